"""The fused pass against brute force: equal in every field, on invented and on real text."""

from __future__ import annotations

import random
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpucurate.core.text_buffers import pack_texts
from gpucurate.device.cpu.text_features import text_features
from gpucurate.device.features import GOPHER_STOP_WORDS, REPETITION_BYTES, TEXT_FEATURES
from tests.oracles.text_features_reference import features_of

PIECES = (
    *"aab .,'’-–•…#_\n\n\n  \t中文กำ한1٣é\u0301\u200d\u200b\xad😀。!?؟",
    "...", "the ", "and ", "with", "that\n", "- item\n", "a line that is longer than thirty characters.\n", "\n\n",
    "one two three four five six ", "3.14", "1,000", "don't",
    "\u0e01\u0e33", "\u1100\u1161", "\U00020000", "\x00", "\r\n",
)  # fmt: skip


def assert_equal_rows(texts: list[str], window: int | None = None) -> None:
    measured = text_features(pack_texts(texts), GOPHER_STOP_WORDS, window=window or REPETITION_BYTES)
    assert measured.dtype == TEXT_FEATURES
    for text, row in zip(texts, measured, strict=True):
        expected = features_of(text, window=window)
        found = {name: int(row[name]) for name in TEXT_FEATURES.names or ()}
        assert found == expected, text[:200]


@given(st.lists(st.lists(st.sampled_from(PIECES), max_size=120).map("".join), max_size=4))
@settings(max_examples=300, deadline=None)
def test_invented_texts(texts: list[str]) -> None:
    assert_equal_rows(texts)


@given(st.text(max_size=60))
@settings(max_examples=300, deadline=None)
def test_any_unicode(text: str) -> None:
    assert_equal_rows([text])


@given(st.lists(st.sampled_from(PIECES), max_size=200).map("".join), st.integers(1, 80))
@settings(max_examples=200, deadline=None)
def test_repetition_is_counted_as_if_the_document_ended_at_the_window(text: str, window: int) -> None:
    assert_equal_rows([text], window)


def test_repeated_phrases_at_random() -> None:
    chance = random.Random(7)
    texts = []
    for _ in range(60):
        vocabulary = [f"w{k}" for k in range(chance.choice((1, 2, 3, 8, 40)))]
        words = [chance.choice(vocabulary) for _ in range(chance.randrange(400))]
        texts.append("".join(w + chance.choice((" ", " ", ". ", "\n", "\n\n")) for w in words))
    assert_equal_rows(texts)


@pytest.mark.parametrize("archive", ["webtext", "inaugural", "udhr2"])
def test_real_text(real_data: Path, archive: str) -> None:
    texts = []
    with zipfile.ZipFile(real_data / "books" / f"{archive}.zip") as books:
        for name in books.namelist()[:: 6 if archive == "udhr2" else 1]:
            if name.endswith(".txt"):
                texts.append(books.read(name).decode("utf-8" if archive == "udhr2" else "latin-1", "replace")[:8_000])
    assert len(texts) > 5
    assert_equal_rows(texts)


def test_cut_batches_give_the_same_rows() -> None:
    texts = ["one line.\n" * 3, "", "中文。\n- x", "!!!"]
    together = text_features(pack_texts(texts), GOPHER_STOP_WORDS)
    apart = [text_features(pack_texts([t]), GOPHER_STOP_WORDS) for t in texts]
    np.testing.assert_array_equal(together, np.concatenate(apart))


def test_without_grams_only_those_are_missing() -> None:
    texts = pack_texts(["one two three four five six. " * 9, "x\nx"])
    full, short = text_features(texts, GOPHER_STOP_WORDS), text_features(texts, GOPHER_STOP_WORDS, grams=False)
    for name in TEXT_FEATURES.names or ():
        if name.endswith("_gram_chars"):
            assert full[name][0] > 0
            assert not short[name].any()
        else:
            np.testing.assert_array_equal(full[name], short[name])
