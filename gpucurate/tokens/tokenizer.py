"""A tokenizer: a vocabulary, the engine that applies it, and the identity that stands in task keys.

The identity says what decides the ids (ranks or tokenizer.json, separator) and never which engine computed them.
Loading reads local files only, except for `hf:` names that are not paths.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from blake3 import blake3
from numpy.typing import NDArray

from gpucurate.core.errors import InputError, InvariantError, MissingExtra, RecipeError
from gpucurate.core.text_buffers import Offsets
from gpucurate.recipe.mistakes import did_you_mean
from gpucurate.tokens import gigatoken_engine
from gpucurate.tokens.accelerated import GuardedEngine
from gpucurate.tokens.config import TokensConfig
from gpucurate.tokens.engines import Decoder, Engine
from gpucurate.tokens.gigatoken_engine import GigatokenEngine
from gpucurate.tokens.hugging_face import HuggingFaceEngine, read_tokenizer_json
from gpucurate.tokens.self_test import first_difference, self_test_texts
from gpucurate.tokens.tiktoken_engine import TiktokenEngine
from gpucurate.tokens.vocabularies import VOCABULARIES, load_ranks

Tokens = NDArray[np.unsignedinteger[Any]]  # uint16 or uint32, by vocabulary
UINT16_IDS = 1 << 16
# What vocabularies call the token that ends a document, in the order of preference where one has several.
END_OF_TEXT = (
    "<|endoftext|>",
    "<|end_of_text|>",
    "</s>",
    "<eos>",
    "<｜end▁of▁sentence｜>",
    "<EOT>",
    "[SEP]",
)


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """Texts to ids and back, by one vocabulary."""

    name: str  # as the recipe names it, `train` for one trained here
    vocabulary_digest: str  # SHA-256 of the ranks, or BLAKE3 of tokenizer.json
    vocabulary_size: int  # one more than the largest id
    separator: int  # id
    separator_text: str
    engine: Engine = field(compare=False)
    decoder: Decoder = field(compare=False)

    @property
    def dtype(self) -> np.dtype[np.unsignedinteger[Any]]:
        """uint16 where every id fits, else uint32."""
        return np.dtype(np.uint16) if self.vocabulary_size <= UINT16_IDS else np.dtype(np.uint32)

    def identity(self) -> dict[str, object]:
        """Everything that decides the ids, in JSON types; part of the task key."""
        return {
            "tokenizer": self.name,
            "vocabulary": self.vocabulary_digest,
            "size": self.vocabulary_size,
            "separator": self.separator,
        }

    def encode(self, texts: pa.Array) -> tuple[Tokens, Offsets]:
        """Ids of all texts (dtype `self.dtype`, [tokens]) and where each begins (int64 [texts + 1]).

        `texts` is large_string without nulls.  No separator is added.  Raises InvariantError where an id lies
        outside the vocabulary or is the separator's.
        """
        tokens, offsets = self.engine.encode(texts)
        if len(tokens) and int(tokens.max()) >= self.vocabulary_size:
            raise InvariantError(
                f"{self.engine.name} gave id {int(tokens.max())} for {self.name}, which has {self.vocabulary_size} ids"
            )
        if (tokens == self.separator).any():
            raise InvariantError(f"{self.engine.name} found the separator of {self.name} inside a document's text")
        return tokens.astype(self.dtype, copy=False), offsets

    def decode(self, tokens: Tokens, offsets: Offsets) -> pa.Array:
        """large_binary, one value a document; equals the documents' UTF-8 unless the vocabulary normalises text."""
        return self.decoder.decode(tokens.astype(np.uint32, copy=False), offsets)


@dataclass(frozen=True, slots=True)
class _Vocabulary:
    """A vocabulary on its way into a tokenizer."""

    name: str
    digest: str
    size: int
    special: Mapping[str, int]
    reference: TiktokenEngine | HuggingFaceEngine
    accelerate: Callable[[], GigatokenEngine]


@lru_cache(maxsize=8)
def load_tokenizer(config: TokensConfig, trained: Path | None = None) -> Tokenizer:
    """The tokenizer a recipe means; kept, so that the tasks of one process load it once.

    `trained` is the tokenizer.json that `train_tokenizer` gave, for a recipe with `train`.  Raises InputError where
    the vocabulary is not to be had, RecipeError for a separator it does not have, MissingExtra for an engine that is
    not installed.
    """
    if config.train is not None:
        if trained is None:
            raise InvariantError("a tokenizer was loaded before it was trained")
        vocabulary = _from_json("train", read_tokenizer_json(str(trained)))
    elif config.tokenizer.startswith("tiktoken:"):
        vocabulary = _from_ranks(config.tokenizer)
    else:
        vocabulary = _from_json(config.tokenizer, read_tokenizer_json(config.tokenizer.removeprefix("hf:")))
    separator = _separator(vocabulary, config.separator)
    engine = _choose_engine(vocabulary, config.engine)
    _check_text_stays_text(vocabulary, engine, separator)
    return Tokenizer(
        vocabulary.name,
        vocabulary.digest,
        vocabulary.size,
        vocabulary.special[separator],
        separator,
        engine,
        vocabulary.reference,
    )


def _from_ranks(name: str) -> _Vocabulary:
    named = VOCABULARIES[name.removeprefix("tiktoken:")]
    ranks = load_ranks(named)
    size = 1 + max(*ranks.values(), *named.special.values())
    reference = TiktokenEngine(named, ranks)
    return _Vocabulary(
        name, named.sha256, size, named.special, reference, lambda: GigatokenEngine.of_ranks(named, ranks)
    )


def _from_json(name: str, content: bytes) -> _Vocabulary:
    reference = HuggingFaceEngine(content, name)
    digest = blake3(content).hexdigest()
    size, special = reference.vocabulary_size, reference.special
    return _Vocabulary(name, digest, size, special, reference, lambda: GigatokenEngine.of_json(content))


def _separator(vocabulary: _Vocabulary, wanted: str | None) -> str:
    special = vocabulary.special
    if wanted is not None:
        if wanted not in special:
            raise RecipeError(
                f"tokens.separator: {vocabulary.name} has no special token {wanted!r}{did_you_mean(wanted, special)}"
            )
        return wanted
    for token in END_OF_TEXT:
        if token in special:
            return token
    raise RecipeError(
        f"tokens.separator: no special token of {vocabulary.name} is known to end a text; name one of {sorted(special)}"
    )


def _choose_engine(vocabulary: _Vocabulary, wanted: str) -> Engine:
    if wanted == "reference" or (wanted == "auto" and not gigatoken_engine.installed()):
        return vocabulary.reference
    if not gigatoken_engine.installed():
        raise MissingExtra("tokens.engine: gigatoken", "gigatoken", "fast-tokens")
    try:
        fast = GuardedEngine(vocabulary.accelerate(), vocabulary.reference)
        reason = first_difference(vocabulary.reference, fast, self_test_texts(vocabulary.special))
    except gigatoken_engine.Unsupported as error:
        reason = str(error)
    if reason is None:
        return fast
    if wanted == "auto":
        return vocabulary.reference
    raise InputError(
        f"tokens.engine: gigatoken cannot be used for {vocabulary.name}: {reason}. Remedy: tokens.engine: auto"
    )


def _check_text_stays_text(vocabulary: _Vocabulary, engine: Engine, separator: str) -> None:
    tokens, _ = engine.encode(pa.array([separator, f"a {separator} b"], pa.large_string()))
    if vocabulary.special[separator] in tokens:
        raise RecipeError(
            f"tokens.separator: {vocabulary.name} turns the text {separator!r} into its separator, so that documents "
            "could end where their text merely spells it; choose another separator or vocabulary"
        )
