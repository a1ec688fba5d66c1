"""Our predictor against fastText's own: every kind of model file we read, every kind of text."""

from __future__ import annotations

import bz2
import random
import re
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gpucurate.core.errors import RecipeError
from gpucurate.core.text_buffers import pack_texts
from gpucurate.steps.language.identifier import model_path
from gpucurate.steps.language.labels import best_of_tree
from gpucurate.steps.language.model_file import read_model
from gpucurate.steps.language.predictor import Predictor, make_predictor, predict

FastText = pytest.importorskip("fasttext.FastText")
CLOSE = 1e-4
SEPARATORS = " \t\n\v\f\r\0"
MARKS = re.compile(rf"(?<![^{SEPARATORS}])(?:__label__[^{SEPARATORS}]*|</s>(?![^{SEPARATORS}]))")
PANGRAM = "The quick brown fox jumps over the lazy dog. "


@pytest.fixture(scope="module")
def lid() -> tuple[Predictor, Any]:
    try:
        path = model_path(None)
    except RecipeError as missing:
        pytest.skip(str(missing))
    return make_predictor(read_model(path)), FastText._FastText(str(path))


def compare(predictor: Predictor, reference: Any, texts: list[str]) -> None:
    """The same score, and the same label wherever the two likeliest are not as good as equal.

    fastText stops at a word `</s>` and skips words that begin as labels do; to us those are words: they are left out.
    """
    texts = [MARKS.sub("", text) for text in texts]
    data, offsets = pack_texts(texts)
    found, scores = predict(predictor, data, offsets[:-1], offsets[1:])
    assert len(texts) == len(found) == len(scores)
    for text, label, score in zip(texts, found, scores, strict=True):
        labels, expected = reference.predict(text.replace("\n", " "), k=2)
        if not labels:
            assert (label, score) == (-1, 0)
            continue
        assert score == pytest.approx(expected[0], abs=CLOSE), text[:100]
        if len(expected) == 1 or expected[0] - expected[1] > CLOSE:
            assert predictor.labels[label] == labels[0].removeprefix("__label__"), text[:100]


def test_rights_in_389_languages(lid: tuple[Predictor, Any], real_data: Path) -> None:
    with zipfile.ZipFile(real_data / "books" / "udhr2.zip") as archive:
        texts = [archive.read(name).decode() for name in archive.namelist() if name.endswith(".txt")]
    assert len(texts) > 380
    compare(*lid, texts)
    compare(*lid, [line for text in texts for line in text.split("\n")[::40]])


def test_wiki_pages(lid: tuple[Predictor, Any], real_data: Path) -> None:
    for dump in ("ltgwiki/*.bz2", "gensim/enwiki-latest*.bz2"):
        xml = bz2.decompress(next((real_data / "wiki").glob(dump)).read_bytes()).decode()
        texts = re.findall(r"<text[^>]*>(.*?)</text>", xml, re.DOTALL)
        assert len(texts) > 200
        compare(*lid, texts[::2])


def test_web_pages(lid: tuple[Predictor, Any], real_data: Path) -> None:
    pages = [path.read_text("utf-8", "replace") for path in sorted((real_data / "html").rglob("*.html"))]
    assert len(pages) > 200
    compare(*lid, [re.sub(r"<[^>]*>", " ", page) for page in pages] + pages[::10])
    with zipfile.ZipFile(real_data / "books" / "webtext.zip") as archive:
        texts = [archive.read(name).decode("latin-1") for name in archive.namelist() if name.endswith(".txt")]
    compare(*lid, texts)


@given(st.lists(st.text(), max_size=20))
@example(
    [
        PANGRAM,
        "",
        " ",
        "\n",
        "a",
        "é",
        "中",
        "😀",
        "👩‍👩‍👧 👍🏽",
        "<",
        ">",
        "<>",
        "\0",
        "a\0b",
        "a\u00a0b",
        "a\u2028b\x1cc\x85d",
    ]
)
@example(["</s>x", "x</s>", "__label_de", "de\v\fde\rde\tde", "\ufeffde", "中文" * 1000, "a " * 10_000])
@settings(max_examples=200)
def test_any_text(lid: tuple[Predictor, Any], texts: list[str]) -> None:
    compare(*lid, texts)


@given(st.lists(st.text("aeéñ中<>/_ \n\0", max_size=12)))
def test_few_characters(lid: tuple[Predictor, Any], texts: list[str]) -> None:
    compare(*lid, texts)


def test_words_of_a_megabyte(lid: tuple[Predictor, Any]) -> None:
    letters = random.Random(1).choices("abcdefghijklmnopqrstuvwxyzäöü", k=1_000_000)
    compare(*lid, ["a" * 100_000, "".join(letters), "中" * 350_000, PANGRAM.replace(" ", "") * 10_000])


@pytest.mark.parametrize("text", ["a" * 1_000_000, "abc" * 200_000, PANGRAM * 3_000, ""])
def test_exact_means(lid: tuple[Predictor, Any], text: str) -> None:
    """fastText adds a million rows in float32 and loses three digits of four; the mean of its own rows is ours."""
    predictor, reference = lid
    words = Counter(text.split())
    ids = {word: reference.get_subwords(word)[1].astype(np.int64) for word in (*words, "</s>")}
    rows = predictor.words.rows.astype(np.float64)
    total = rows[ids["</s>"]].sum(0) + sum((rows[ids[word]].sum(0) * words[word] for word in words), np.zeros(16))
    mean = total / (len(ids["</s>"]) + sum(len(ids[word]) * words[word] for word in words))
    data, offsets = pack_texts([text])
    found, scores = predict(predictor, data, offsets[:-1], offsets[1:])
    label, score = best_of_tree(mean, predictor.output)
    assert found[0] == label
    assert scores[0] == pytest.approx(score, abs=1e-7)


KINDS = {
    "softmax": {"loss": "softmax"},
    "hierarchical": {"loss": "hs"},
    "words only": {"loss": "softmax", "minn": 0, "maxn": 0},
    "single characters": {"loss": "hs", "minn": 1, "maxn": 1},
    "long n-grams, odd width": {"loss": "hs", "minn": 3, "maxn": 6, "dim": 7},
    "few buckets": {"loss": "softmax", "bucket": 3},
    "norms apart": {"loss": "hs", "quantize": {"qnorm": True}},
    "no norms": {"loss": "softmax", "quantize": {"qnorm": False}},
    "a last part that is shorter": {"loss": "hs", "dim": 7, "quantize": {"dsub": 2}},
    "pruned": {"loss": "hs", "quantize": {"cutoff": 300, "qnorm": True}},
    "pruned, output quantised": {"loss": "softmax", "labels": 300, "quantize": {"cutoff": 400, "qout": True}},
}


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_of_models(kind: str, tmp_path: Path) -> None:
    settings = {"dim": 8, "minn": 2, "maxn": 4, "bucket": 500, "epoch": 3, "lr": 0.5, "thread": 1, "verbose": 0}
    settings |= KINDS[kind]
    quantisation = settings.pop("quantize", None)
    chance = random.Random(kind)
    words = ["".join(chance.choices("abcdeéñ中😀<>", k=chance.randint(1, 7))) for _ in range(500)]
    lines = [
        f"__label__{chance.randrange(settings.get('labels', 9))} " + " ".join(chance.choices(words, k=12))
        for _ in range(3000)
    ]
    settings.pop("labels", None)
    examples = tmp_path / "examples.txt"
    examples.write_text("\n".join(lines) + "\n")
    model = FastText.train_supervised(str(examples), **settings)
    if quantisation:
        model.quantize(str(examples), **quantisation, thread=1, verbose=0)
    path = tmp_path / "model"
    model.save_model(str(path))
    read = read_model(path)
    assert read.labels == [label.removeprefix("__label__") for label in model.get_labels()]
    texts = [" ".join(chance.choices(words, k=chance.randint(0, 30))) for _ in range(200)]
    texts += ["".join(chance.choices("abcdeéñ中😀<> ", k=chance.randint(0, 30))) for _ in range(200)]
    compare(make_predictor(read), model, texts)
    if not quantisation:
        assert np.array_equal(read.rows, model.get_input_matrix())
        assert np.array_equal(read.output, model.get_output_matrix())
