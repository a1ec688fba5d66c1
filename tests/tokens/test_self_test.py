from __future__ import annotations

import numpy as np
import pyarrow as pa

from gpucurate.core.text_buffers import Offsets
from gpucurate.tokens.engines import Ids
from gpucurate.tokens.self_test import first_difference, self_test_texts
from tests.tokens.small_corpus import ByteEngine


class Wrong(ByteEngine):
    """Differs on one letter."""

    name = "wrong"

    def encode(self, texts: pa.Array) -> tuple[Ids, Offsets]:
        tokens, offsets = super().encode(texts)
        return np.where(tokens == 0xBF, 0xC0, tokens).astype(np.uint32), offsets


class Shifted(ByteEngine):
    """The same ids, shared out differently."""

    def encode(self, texts: pa.Array) -> tuple[Ids, Offsets]:
        tokens, offsets = super().encode(texts)
        return tokens, np.concatenate([offsets[:3], offsets[3:4] - 1, offsets[4:]])


def test_texts_are_varied_and_the_same_on_every_call() -> None:
    texts = self_test_texts(["<|endoftext|>"])
    assert texts.equals(self_test_texts(["<|endoftext|>"]))
    assert len(texts) > 6_000
    assert "text <|endoftext|> text" in texts.to_pylist()
    letters = set("".join(texts.to_pylist()))
    assert {"\u0600", "中", "😀", "\u2028", "ǅ", "\U000e0100"} <= letters
    assert "\u0378" not in letters  # unassigned: the reference's business


def test_equal_engines_have_no_difference() -> None:
    assert first_difference(ByteEngine(), ByteEngine(), self_test_texts([])) is None


def test_a_difference_is_shown() -> None:
    texts = pa.array(["a", "ſ", "¿ here"], pa.large_string())
    assert "'ſ'" in str(first_difference(ByteEngine(), Wrong(), texts))
    assert first_difference(ByteEngine(), Shifted(), pa.array(["ab", "cd", "ef", "g"], pa.large_string())) is not None
