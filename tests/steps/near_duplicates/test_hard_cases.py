"""Inputs that other tools lose documents on, or time."""

from __future__ import annotations

import random

import numpy as np
import pytest

from gpucurate.device import pick
from gpucurate.steps.near_duplicates import NearDuplicates
from gpucurate.steps.near_duplicates.config import Keep, NearDuplicatesConfig, Verify
from tests.oracles.near_duplicates_reference import jaccard, removed, shingles
from tests.steps.stages import MemoryStages

from .corpora import edited, table, words
from .removal import kept, removals, signals

DEFAULT = NearDuplicatesConfig()


def test_documents_shorter_than_a_shingle() -> None:
    documents = table(["cat", "dog", "cat"])
    stay = kept(documents, DEFAULT)
    assert len(stay) == 2
    assert {documents["text"][n].as_py() for n in stay} == {"cat", "dog"}


def test_documents_without_words_never_match() -> None:
    texts = ["", "", " ... ", "—", "\u200b", "!!!", "!!!"]
    said = signals(table(texts), DEFAULT)
    assert kept(table(texts), DEFAULT) == list(range(len(texts)))
    assert said["cluster"].null_count == len(texts)


def test_one_document_and_none() -> None:
    assert kept(table(["a text by itself"]), DEFAULT) == [0]
    assert signals(table([]), DEFAULT).num_rows == 0


def test_a_corpus_without_duplicates() -> None:
    rng = random.Random(1)
    documents = table([" ".join(words(rng, 80)) for _ in range(300)])
    assert kept(documents, DEFAULT) == list(range(300))


@pytest.mark.parametrize("verify", list(Verify))
def test_identical_documents_are_linear(verify: Verify) -> None:
    documents = table(["the same words over and over in every single document of this corpus"] * 20_000)
    stages = MemoryStages([documents.slice(0, 7_000), documents.slice(7_000)])
    step = NearDuplicates(NearDuplicatesConfig(verify=verify), pick("cpu"))
    said = step.compare(stages)
    assert sum(stages.tables[path].num_rows for path in stages.tables if path.startswith("pairs-")) == 2 * 19_999
    answers = stages.tables[said[0].path]
    assert answers.num_rows == 20_000
    assert answers["duplicate_of"].null_count == 1
    assert max(answers["stands_for"].to_pylist()) == 20_000
    least = min(documents["record_id"].to_pylist())
    assert set(answers["cluster"].to_pylist()) == {least}
    assert set(answers["cluster_size"].to_pylist()) == {20_000}


@pytest.mark.parametrize("k", range(2, 8))
def test_templated_one_liners_stay(k: int) -> None:
    """Wikipedia's road stubs: half of their words are the same, and no two reach the threshold."""
    texts = [
        f"Farm to Market Road {road} (FM {road}) is located in {county} County."
        for road in range(1500, 1540)
        for county in ("Lamar", "Red River", "Van Zandt")
    ]
    documents = table(texts)
    assert removed(documents.to_pylist(), lambda d: 0, k) == {}
    assert removals(documents, NearDuplicatesConfig(shingle=k, bands=28, rows=4)) == {}


def chain() -> list[str]:
    """A like B and B like C at .8, A and C unlike."""
    rng = random.Random(8)
    a = words(rng, 120)
    b = [*a[:-10], *words(rng, 10)]
    c = [*words(rng, 10), *b[10:]]
    return [" ".join(each) for each in (a, b, c)]


def test_a_chain_keeps_its_unlike_ends() -> None:
    a, b, c = chain()
    assert jaccard(shingles(a, 5), shingles(b, 5)) >= 0.8
    assert jaccard(shingles(b, 5), shingles(c, 5)) >= 0.8
    assert jaccard(shingles(a, 5), shingles(c, 5)) < 0.8
    wide = NearDuplicatesConfig(bands=40, rows=4, keep=Keep.LONGEST)
    documents = table([f"{a} an", b, c])  # the longest
    said = signals(documents, wide)
    assert said["duplicate_of"].is_null().to_pylist() == [True, False, True]
    assert said["cluster_size"].to_pylist() == [3, 3, 3]
    assert said["representative"][2] == documents["record_id"][0]
    assert said["stands_for"].to_pylist() == [2, 0, 1]


def test_trusting_candidates_merges_the_chain_as_other_tools_do() -> None:
    said = signals(table(chain()), NearDuplicatesConfig(bands=40, rows=4, verify=Verify.NONE))
    assert said["duplicate_of"].null_count == 1


def test_one_banner_under_many_different_pages_keeps_them() -> None:
    """One band is shared by all through the banner; the bodies differ, so that verification refuses."""
    rng = random.Random(4)
    banner = " ".join(words(rng, 60))
    texts = [f"{banner} {' '.join(words(rng, 60))}" for _ in range(3_000)]
    near = [f"{banner} {' '.join(edited(rng, text.split()[60:], 1))}" for text in texts[:50]]
    documents = table([*texts, *near])
    stages = MemoryStages([documents])
    step = NearDuplicates(NearDuplicatesConfig(bands=60, rows=2), pick("cpu"))
    said = step.compare(stages)
    pairs = sum(stages.tables[path].num_rows for path in stages.tables if path.startswith("pairs-"))
    assert pairs < 2 * 60 * 3_050  # a star a bucket, not a clique
    gone = sum(stages.tables[piece.path]["duplicate_of"].is_valid().to_numpy().sum() for piece in said)
    found = removals(documents, NearDuplicatesConfig(bands=60, rows=2))
    assert gone == len(found)
    text_of = dict(zip(documents["record_id"].to_pylist(), documents["text"].to_pylist(), strict=True))
    assert all(jaccard(shingles(text_of[a], 5), shingles(text_of[b], 5)) >= 0.8 for a, b in found.items())
    assert 45 <= len(found) <= 50


def test_scope_source_compares_within_sources_only() -> None:
    text = "the same words in every one of the documents that are compared here"
    first, second = table([text, text], "one"), table([text, text], "two")
    for scope, gone in (("corpus", 3), ("source", 2)):
        stages = MemoryStages([first, second])
        said = NearDuplicates(NearDuplicatesConfig(scope=scope), pick("cpu")).compare(stages)
        found = sum(int(np.sum(stages.tables[p.path]["duplicate_of"].is_valid().to_numpy())) for p in said)
        assert found == gone


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"bands": 8, "rows": 14}, "14 bands of 8 rows would find 92%"),
        ({"bands": 2, "rows": 20}, "only 2% of the pairs"),
        ({}, None),
    ],
)
def test_bands_and_rows_that_find_little_are_pointed_out(settings: dict[str, int], said: str | None) -> None:
    remarks = NearDuplicates(NearDuplicatesConfig(**settings), pick("cpu")).remarks()
    assert (remarks == []) if said is None else (said in remarks[0])


def test_signatures_may_decide() -> None:
    rng = random.Random(3)
    base = [words(rng, 200) for _ in range(100)]
    texts = [" ".join(b) for b in base] + [" ".join(edited(rng, b, 1)) for b in base]
    exact = set(removals(table(texts), NearDuplicatesConfig()))
    estimated = set(removals(table(texts), NearDuplicatesConfig(verify=Verify.SIGNATURE)))
    assert len(exact ^ estimated) <= 3
    assert len(exact) > 90
