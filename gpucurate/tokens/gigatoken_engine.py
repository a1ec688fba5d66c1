"""gigatoken: the accelerated engine, for vocabularies it can read and after it has proved itself on a self-test.

It is told of no special tokens, so that it cannot find them in text.  It remembers every word it has met; that memory
is given back by loading it anew from time to time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa

from gpucurate.core.text_buffers import Offsets, text_buffers
from gpucurate.tokens.engines import Ids
from gpucurate.tokens.hugging_face import without_special_tokens
from gpucurate.tokens.vocabularies import NamedVocabulary, Ranks, rank_file

PATTERNS = {"gpt2": "gpt2", "cl100k_base": "gpt4", "o200k_base": "o200k"}  # gigatoken's names for them
# Bytes of text after which it is loaded anew.  Measured with version 0.10: 6 bytes of memory a byte of text that never
# repeats a word, so at most 0.8 GB; loading takes 0.05 to 0.2 s, a tenth of what the text takes or less.
RENEW_BYTES = 128 << 20


class Unsupported(Exception):
    """gigatoken cannot read this vocabulary, and says why."""


class GigatokenEngine:
    """Encodes on the calling thread; may be shared between threads."""

    name = "gigatoken"

    def __init__(self, load: Callable[[], Any], renew_bytes: int = RENEW_BYTES) -> None:
        self._load = load
        self._renew_bytes = renew_bytes
        self._lock = threading.Lock()
        self._seen = 0
        self._tokenizer = load()

    @classmethod
    def of_ranks(cls, vocabulary: NamedVocabulary, ranks: Ranks) -> GigatokenEngine:
        """An engine of a vocabulary tiktoken names.  Raises Unsupported."""
        return cls(lambda: _from_ranks(PATTERNS[vocabulary.name], ranks))

    @classmethod
    def of_json(cls, content: bytes) -> GigatokenEngine:
        """An engine of a tokenizer.json.  Raises Unsupported."""
        return cls(lambda: _from_json(without_special_tokens(content)))

    def encode(self, texts: pa.Array) -> tuple[Ids, Offsets]:
        """See `Engine.encode`."""
        import awkward as ak

        data, offsets = text_buffers(texts)
        characters = ak.contents.NumpyArray(data, parameters={"__array__": "char"})
        layout = ak.contents.ListOffsetArray(ak.index.Index64(offsets), characters, parameters={"__array__": "string"})
        encoded = self._fresh(int(offsets[-1] - offsets[0])).encode_batch(ak.Array(layout), parallel=False).layout
        return np.asarray(encoded.content.data, np.uint32), np.asarray(encoded.offsets.data, np.int64)

    def _fresh(self, upcoming: int) -> Any:
        with self._lock:
            if self._seen > self._renew_bytes:
                self._tokenizer, self._seen = self._load(), 0
            self._seen += upcoming
            return self._tokenizer


def installed() -> bool:
    """True if the package is there (it is not imported)."""
    return find_spec("gigatoken") is not None


def _from_ranks(pattern: str, ranks: Ranks) -> Any:
    from gigatoken import Tokenizer

    with TemporaryDirectory(prefix="gpucurate-") as directory:
        path = Path(directory) / "ranks.tiktoken"
        path.write_bytes(rank_file(ranks))
        try:
            return Tokenizer.from_tiktoken(path, pattern, {})
        except (RuntimeError, ValueError) as error:
            raise Unsupported(_first_line(error)) from error


def _from_json(content: str) -> Any:
    from gigatoken import Tokenizer

    try:
        return Tokenizer.from_json(content)
    except (RuntimeError, ValueError) as error:
        raise Unsupported(_first_line(error)) from error


def _first_line(error: Exception) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
