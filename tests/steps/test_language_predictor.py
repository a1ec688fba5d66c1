"""Batches do not matter to the bit, memory stays in bounds for any bytes, and marks in a text are text."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from unicodedata import category

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gpucurate.core.errors import RecipeError
from gpucurate.core.text_buffers import pack_texts, read_only
from gpucurate.steps.language import predictor as room
from gpucurate.steps.language.identifier import load_model, model_path
from gpucurate.steps.language.letters import cut_texts, lettered
from gpucurate.steps.language.model_file import ModelFile
from gpucurate.steps.language.predictor import Predictor, make_predictor, predict, predict_texts

WORDS = ["der", "the", "x", "straße", "中文中文", "</s>", "__label__en", "<", "é", "😀", "antidisestablishmentarianism"]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join), max_size=8)


@pytest.fixture(scope="module")
def lid() -> Predictor:
    try:
        return load_model(model_path(None))
    except RecipeError as missing:
        pytest.skip(str(missing))


def ask(predictor: Predictor, texts: list[str] | list[bytes]) -> list[tuple[int, bytes]]:
    """Label, and the bits of the score, of every text."""
    data, offsets = pack_texts(texts)
    found, scores = predict(predictor, data, offsets[:-1], offsets[1:])
    return [(int(label), score.tobytes()) for label, score in zip(found, scores, strict=True)]


@given(TEXTS)
def test_neighbours_do_not_change_a_bit(lid: Predictor, texts: list[str]) -> None:
    alone = [ask(lid, [text])[0] for text in texts]
    assert ask(lid, texts) == alone
    assert ask(lid, texts[::-1]) == alone[::-1]


@given(TEXTS)
def test_remembering_does_not_change_a_bit(lid: Predictor, texts: list[str]) -> None:
    data, offsets = pack_texts(texts)
    seen = []
    for slots in (1, 2, 1 << 14):
        found, scores = np.empty(len(texts), np.int32), np.empty(len(texts))
        _, words, output, end_of_line = lid
        predict_texts(data, offsets[:-1], offsets[1:], words, output, end_of_line, slots, found, scores)
        seen.append((found.tobytes(), scores.tobytes()))
    assert seen[0] == seen[1] == seen[2]


def test_marks_in_a_text_are_words(lid: Predictor) -> None:
    german = "Der schnelle braune Fuchs springt über den faulen Hund und geht dann nach Hause, um zu schlafen."
    cut, whole, english = ask(lid, ["x </s> " + german, "x " + german, "__label__en " * 3 + german])
    assert lid.labels[cut[0]] == lid.labels[whole[0]] == lid.labels[english[0]] == "de"
    assert len({cut[1], whole[1], english[1]}) == 3


def test_separators_are_fasttexts(lid: Predictor) -> None:
    spaced = ask(lid, ["der hund ist da"])
    assert ask(lid, [f"\0{s}der{s}{s}hund{s}ist{s}da{s}" for s in " \t\n\v\f\r\0"]) == spaced * 7
    assert ask(lid, ["der\u00a0hund ist da"]) != spaced


def small_model(rows: NDArray[np.float32], words: list[bytes], bucket_rows: list[int]) -> Predictor:
    output = np.array([[1, 0], [0, 1]], np.float32)
    buckets = np.array(bucket_rows, np.int32)
    return make_predictor(ModelFile(1, 2, words, ["x", "y"], np.array([2, 1]), buckets, rows, output, False))


def test_a_model_that_knows_nothing_of_a_text() -> None:
    nothing = small_model(np.zeros((1, 2), np.float32), [b"de"], [-1])
    assert ask(nothing, ["", "qq", "de"])[:2] == [(-1, np.float64(0).tobytes())] * 2
    assert ask(nothing, ["de"])[0][0] == 0


def test_many_n_grams_kept() -> None:
    """More than are collected before their rows are added; every n-gram has the same row, so the mean is that row."""
    model = small_model(np.array([[0.25, 0.5]], np.float32), [], [0] * 5)
    ((label, score),) = ask(model, ["ab" * 10_000])
    assert label == 1
    assert np.frombuffer(score)[0] == pytest.approx(1 / (1 + np.exp(-0.25)) + 1e-5)


@given(st.lists(st.text(), max_size=5), st.integers(1, 12))
def test_cutting_and_letters(texts: list[str], most: int) -> None:
    data, offsets = pack_texts(texts)
    stops = np.empty(len(texts), np.int64)
    cut_texts(data, offsets, most, stops)
    cut = [data[start:stop].tobytes().decode() for start, stop in zip(offsets[:-1], stops, strict=True)]
    assert cut == [text.encode()[:most].decode("utf-8", "ignore") for text in texts]
    for text, has in zip(cut, lettered(data, offsets[:-1], read_only(stops)).tolist(), strict=True):
        # an older interpreter than the frozen table calls new letters unassigned
        assert any(map(str.isalpha, text)) <= has <= any(c.isalpha() or category(c) == "Cn" for c in text)


def test_letters_of_some_kinds() -> None:
    data, offsets = pack_texts(["", "1 a", "1٢ \u0301😀", "ª", "… 中"])
    assert lettered(data, offsets[:-1], offsets[1:]).tolist() == [False, True, False, True, True]


FUZZ = """
import numpy as np
from gpucurate.core.text_buffers import pack_texts
from gpucurate.steps.language.identifier import load_model, model_path
from gpucurate.steps.language.predictor import predict

chance = np.random.default_rng(3)
model = load_model(model_path(None))
alphabets = [np.arange(256), np.array([0x20, 0x80, 0xBF, 0xC3, 0xF0, 0x61, 0x3C]), np.array([0x80]), np.array([0xFF])]
texts = [chance.choice(alphabets[n % 4], chance.integers(0, 60)).astype(np.uint8).tobytes() for n in range(2000)]
texts.append(bytes(range(1, 9)) * 5000)
data, offsets = pack_texts(texts)
found, scores = predict(model, data, offsets[:-1], offsets[1:])
assert found.min() >= 0 and np.isfinite(scores).all() and (scores > 0).all()
print("all bytes read", len(found))
"""


def test_any_bytes_stay_in_bounds(lid: Predictor, tmp_path: Path) -> None:
    """Every index checked by Numba, in a process and a cache of its own."""
    environment = os.environ | {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    root = Path(room.__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-c", FUZZ], env=environment, cwd=root, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "all bytes read 2001\n"
