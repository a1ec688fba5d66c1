from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pytest

from gpucurate.steps.near_duplicates.config import NearDuplicatesConfig
from tests.oracles.near_duplicates_reference import jaccard, shingles
from tests.steps.near_duplicates.corpora import table
from tests.steps.near_duplicates.removal import removals


@pytest.mark.parametrize(("size", "planted"), [(100, 5), (1000, 10)])
def test_articles_with_planted_pairs(real_data: Path, size: int, planted: int) -> None:
    folder = real_data / "neardup" / "articles"
    lines = (folder / f"articles_{size}.train").read_text().splitlines()
    names, texts = zip(*(line.split(" ", 1) for line in lines), strict=True)
    truth = {frozenset(line.split()) for line in (folder / f"articles_{size}.truth").read_text().splitlines()}
    assert (len(texts), len(truth)) == (size, planted)
    documents = table(texts)
    name_of = dict(zip(documents["record_id"].to_pylist(), names, strict=True))
    found = removals(documents, NearDuplicatesConfig())
    assert {frozenset((name_of[a], name_of[b])) for a, b in found.items()} == truth


def test_news_that_people_call_similar_stays(real_data: Path) -> None:
    texts = (real_data / "neardup" / "lee-corpus" / "lee.cor").read_text("latin-1").splitlines()
    assert len(texts) == 50
    assert removals(table(texts), NearDuplicatesConfig()) == {}


def test_news_printed_twice_goes(real_data: Path) -> None:
    """Seven of these 300 stories are there twice, word for word, and one with a few words changed."""
    texts = (real_data / "neardup" / "lee-corpus" / "lee_background.cor").read_text("latin-1").splitlines()
    documents = table(texts)
    found = similarities(texts, documents, removals(documents, NearDuplicatesConfig()))
    assert len(texts) - len(set(texts)) == 7
    assert sorted(found)[1:] == [1.0] * 7
    assert round(min(found), 3) == 0.904


def test_paraphrases_stay_unless_they_are_the_same_sentence(real_data: Path) -> None:
    folder = real_data / "neardup" / "msr-para" / "data"
    rows = [
        line.split("\t")
        for path in sorted(folder.rglob("*.tsv"))
        for line in path.read_text(encoding="utf-8-sig").splitlines()[1:]
    ]
    pairs = [frozenset(row[3:5]) for row in rows if len(row) >= 5]
    texts = sorted({text for pair in pairs for text in pair})
    assert (len(pairs), len(texts)) == (5801, 10944)
    documents = table(texts)
    gone = removals(documents, NearDuplicatesConfig())
    assert min(similarities(texts, documents, gone)) >= 0.8
    text_of = dict(zip(documents["record_id"].to_pylist(), texts, strict=True))
    merged = {frozenset((text_of[a], text_of[b])) for a, b in gone.items()} & set(pairs)
    assert len(merged) == 19  # "… left alone in their homes." with and without "… said."; all others stay


def similarities(texts: Sequence[str], documents: pa.Table, gone: dict[bytes, bytes]) -> list[float]:
    """Exact Jaccard of each removal, by the plain definition."""
    text_of = dict(zip(documents["record_id"].to_pylist(), texts, strict=True))
    return [jaccard(shingles(text_of[a], 5), shingles(text_of[b], 5)) for a, b in gone.items()]
