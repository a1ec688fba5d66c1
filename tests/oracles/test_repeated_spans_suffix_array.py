"""`repeated_spans` against a suffix array over the words of 5 MB of real text with planted repeats."""

from __future__ import annotations

import random
import zipfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from gpucurate.device.shingle_characters import IDEOGRAPH, LETTER, shingle_characters
from tests.steps.repeated_spans.corpora import record_id, run, shuffled

BOOKS = ("inaugural.zip", "state_union.zip", "webtext.zip", "udhr2.zip")
SIZE = 5_000_000  # bytes
WORDS = 50


class Folded(dict[int, str]):
    """For `str.translate`: folded letters, ideographs between spaces, a space for anything else."""

    def __missing__(self, point: int) -> str:
        kind, folded = (IDEOGRAPH if point >= 0x1F000 else LETTER), point
        if point < 0x10000:
            kind, folded = divmod(int(shingle_characters()[point]), 1 << 24)
        self[point] = chr(folded) if kind == LETTER else f" {chr(folded)} " if kind == IDEOGRAPH else " "
        return self[point]


def real_texts(folder: Path) -> list[str]:
    """Speeches, forums and declarations in 300 languages, cut into documents of some thousand characters."""
    texts = []
    for name in BOOKS:
        with zipfile.ZipFile(folder / "books" / name) as archive:
            for entry in sorted(archive.namelist()):
                if entry.endswith(".txt") and "README" not in entry:
                    text = archive.read(entry).decode("utf-8", "replace")
                    texts += [text[i : i + 4000] for i in range(0, len(text), 4000)]
    return texts


def planted(texts: Sequence[str], seed: int) -> list[str]:
    """SIZE bytes of them; every fourth document has a piece of another, of 20 to 400 words, somewhere inside."""
    chance = random.Random(seed)
    chosen = chance.sample(list(texts), len(texts))
    made, size = [], 0
    for number, text in enumerate(chosen):
        if number % 4 == 0:
            words, where = chance.choice(chosen).split(), chance.randrange(len(text) + 1)
            first = chance.randrange(len(words) or 1)
            piece = " ".join(words[first : first + chance.randint(20, 400)])
            text = f"{text[:where]} {piece}\n{text[where:]}" * chance.choice((1, 1, 1, 2))
        made.append(text)
        size += len(text.encode())
        if size >= SIZE:
            return made
    raise AssertionError(f"{size} bytes of text")


def gone_words(
    documents: Sequence[tuple[bytes, str]], n: int, rules: Sequence[int | None]
) -> list[list[NDArray[np.bool_]]]:
    """Which words of each document go by each rule, from the suffix array of all words, a border of its own behind
    every document."""
    divsufsort = pytest.importorskip("pydivsufsort")
    numbers: dict[str, int] = {}
    folded = Folded()
    words = [text.translate(folded).split() for _, text in documents]
    ids = [[numbers.setdefault(w, len(numbers)) for w in each] for each in words]
    borders = [[len(numbers) + d] for d in range(len(documents))]
    joined = np.array([i for pair in zip(ids, borders, strict=True) for each in pair for i in each], np.uint32)
    order = divsufsort.divsufsort(joined)
    common = divsufsort.kasai(joined, order)  # of a suffix and the next one in order
    document = np.repeat(np.arange(len(documents)), [len(each) + 1 for each in ids])
    starts = np.concatenate([[0], np.cumsum([len(each) + 1 for each in ids])])
    rank = np.empty(len(documents), np.int64)
    rank[sorted(range(len(documents)), key=lambda d: (documents[d][0], d))] = np.arange(len(documents))
    gone = np.zeros((len(rules), len(joined) + 1), np.int64)
    group = np.concatenate([[0], np.cumsum(common[:-1] < n)])
    for places in np.split(order, np.flatnonzero(np.diff(group)) + 1):
        if len(places) < 2:
            continue
        places = places[np.lexsort((places, rank[document[places]]))].astype(np.int64)
        for number, most in enumerate(rules):
            going = places[goes(places, document, n, most)]
            gone[number, going] += 1
            gone[number, going + n] -= 1
    inside = np.cumsum(gone, axis=1)[:, :-1] > 0
    return [[row[a : b - 1] for a, b in pairwise(starts.tolist())] for row in inside]


def goes(places: NDArray[np.int64], document: NDArray[np.int64], n: int, most: int | None) -> NDArray[np.bool_]:
    """Of places where the same `n` words are, sorted: which go."""
    if most is None:
        return (document[places] != document[places[0]]) | (places >= places[0] + n)
    apart = [places[0]]
    for place in places.tolist():
        if document[place] != document[apart[-1]] or place >= apart[-1] + n:
            apart.append(place)
    return np.full(len(places), len(apart) > most)


def test_five_megabytes(real_data: Path) -> None:
    documents = [(record_id(f"{n}"), text) for n, text in enumerate(planted(real_texts(real_data), 7))]
    rules = (None, 2)
    for most, expected in zip(rules, gone_words(documents, WORDS, rules), strict=True):
        check(documents, most, expected)


def check(documents: Sequence[tuple[bytes, str]], most: int | None, expected: list[NDArray[np.bool_]]) -> None:
    """Shuffled and in three parts, the step takes the same words."""
    order = shuffled(documents, 3)
    mixed = [documents[i] for i in order]
    _, _, stages = run(mixed, [len(mixed) // 5, len(mixed) // 2], words=WORDS, boilerplate=most)
    made = [np.zeros(len(each), np.bool_) for each in expected]
    for name, table in stages.tables.items():
        for row in table.to_pylist() if name.startswith("passages") else ():
            units = made[order[row["node"]]]
            assert row["units"] == len(units)
            for passage in row["passages"]:
                units[passage["from"] : passage["to"]] = True
            assert row["repeated_units"] == units.sum()
    for mine, other in zip(made, expected, strict=True):
        np.testing.assert_array_equal(mine, other)
    share = sum(int(each.sum()) for each in expected) / sum(len(each) for each in expected)
    print(f"{len(documents)} documents, {share:.1%} of the words go")
    assert share > 0.005
