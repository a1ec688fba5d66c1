"""Hugging Face `tokenizers`: the reference engine of tokenizer.json files, trained here or elsewhere.

Padding, truncation and the templates of a file are never applied, and text that spells a special token stays text.
"""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from gpucurate.core.errors import InputError, RecipeError
from gpucurate.core.text_buffers import Offsets
from gpucurate.tokens.engines import Ids, join

FILE = "tokenizer.json"
BATCH_BYTES = 1 << 20  # an encoding keeps each token as a string and its place: some 100 bytes a token


class HuggingFaceEngine:
    """Encodes and decodes through `tokenizers.Tokenizer`.

    Raises RecipeError, with the library's words, where `content` is no tokenizer.json; `origin` names it.
    """

    name = "tokenizers"

    def __init__(self, content: bytes, origin: str) -> None:
        from tokenizers import Tokenizer

        try:
            self._tokenizer: Any = Tokenizer.from_str(content.decode())
        except Exception as error:  # the library raises nothing narrower
            raise RecipeError(f"{origin} is not a tokenizer.json that `tokenizers` can read: {error}") from error
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._tokenizer.encode_special_tokens = True

    @property
    def vocabulary_size(self) -> int:
        """One more than the largest id, added tokens included."""
        ids: dict[str, int] = self._tokenizer.get_vocab(with_added_tokens=True)
        return 1 + max(ids.values())

    @property
    def special(self) -> dict[str, int]:
        """Special tokens and their ids."""
        added = self._tokenizer.get_added_tokens_decoder()
        return {token.content: i for i, token in added.items() if token.special}

    def encode(self, texts: pa.Array) -> tuple[Ids, Offsets]:
        """See `Engine.encode`."""
        return join([np.array(e.ids, np.uint32) for batch in _batches(texts) for e in self._encode_batch(batch)])

    def _encode_batch(self, batch: list[str]) -> list[Any]:
        encodings: list[Any] = self._tokenizer.encode_batch_fast(batch, add_special_tokens=False)
        return encodings

    def decode(self, tokens: Ids, offsets: Offsets) -> pa.Array:
        """See `Decoder.decode`.  A vocabulary that normalises text does not give it back as it was."""
        ids = [tokens[a:b].tolist() for a, b in pairwise(offsets)]
        texts = self._tokenizer.decode_batch(ids, skip_special_tokens=False)
        return pa.array([text.encode() for text in texts], pa.large_binary())


def read_tokenizer_json(name: str) -> bytes:
    """Content of the tokenizer.json that `hf:<name>` means: a file, a directory with one, or a name on the hub.

    Raises InputError where there is none.
    """
    path = Path(name).expanduser()
    if path.is_dir():
        path = path / FILE
    if path.exists() or path.suffix == ".json" or name.startswith((".", "/", "~")):
        try:
            return path.read_bytes()
        except OSError as error:
            raise InputError(
                f"cannot read {path}: {error.strerror or error}. Remedy: name a tokenizer.json, or a directory with one"
            ) from error
    return _from_hub(name)


def _from_hub(name: str) -> bytes:
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import HFValidationError

    try:
        return Path(hf_hub_download(name, FILE)).read_bytes()
    except (OSError, HFValidationError) as error:  # what the hub raises for no network and no such name is an OSError
        reason = str(error).strip().splitlines()[0]
        raise InputError(
            f"hf:{name} is neither a path here nor to be had from the Hugging Face hub: {reason} "
            f"Remedy: download its tokenizer.json where there is a network and name the file as hf:<path>"
        ) from error


def without_special_tokens(content: bytes) -> str:
    """The same tokenizer without its special tokens, for an engine that would find them in text."""
    data = json.loads(content)
    data["added_tokens"] = [token for token in data.get("added_tokens") or [] if not token.get("special")]
    return json.dumps(data, ensure_ascii=False)


def _batches(texts: pa.Array) -> list[list[str]]:
    """Texts in runs of about `BATCH_BYTES` (a longer text is a run of its own)."""
    ends = np.cumsum(np.asarray(pc.binary_length(texts), np.int64))
    cuts = np.flatnonzero(np.diff(ends // BATCH_BYTES)) + 1
    bounds = [0, *cuts.tolist(), len(texts)]
    return [texts.slice(a, b - a).to_pylist() for a, b in pairwise(bounds) if b > a]
