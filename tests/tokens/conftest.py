"""Tokenizers that the tests of this room share."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gpucurate.core.errors import InputError
from gpucurate.tokens.config import TokensConfig
from gpucurate.tokens.tokenizer import Tokenizer, load_tokenizer
from tests.tokens.small_corpus import ByteEngine


@pytest.fixture
def bytewise() -> Tokenizer:
    """257 ids: bytes, and 256 as separator."""
    engine = ByteEngine()
    return Tokenizer("bytes", "0" * 64, 257, 256, "<end>", engine, engine)


@pytest.fixture
def named() -> Callable[..., Tokenizer]:
    """Loads a tiktoken vocabulary; skips, saying so, where no package on this machine carries it."""

    def load(name: str, engine: str = "auto") -> Tokenizer:
        try:
            return load_tokenizer(TokensConfig.model_validate({"tokenizer": f"tiktoken:{name}", "engine": engine}))
        except InputError as error:
            pytest.skip(str(error))

    return load
