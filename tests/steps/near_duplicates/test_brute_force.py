"""Equal to all pairs, exact Jaccard and one pass in order, where bands leave no pair out."""

from __future__ import annotations

import random

import numpy as np
import pyarrow as pa
import pytest

from gpucurate.device import pick
from gpucurate.steps.comparison import RATING
from gpucurate.steps.near_duplicates import NearDuplicates
from gpucurate.steps.near_duplicates.config import Keep, NearDuplicatesConfig
from tests.oracles.near_duplicates_reference import removed
from tests.steps.stages import MemoryStages, answers

from .corpora import clustered, table
from .removal import removals

RANKS = {
    Keep.FIRST_ID: lambda d: 0,
    Keep.LONGEST: lambda d: -d["text_bytes"],
    Keep.EARLIEST: lambda d: d["modified"],
    Keep.NEWEST: lambda d: -d["modified"].timestamp(),
    Keep.QUALITY: lambda d: np.inf if d[RATING] is None else -d[RATING],
}


@pytest.mark.parametrize("keep", list(RANKS))
def test_two_thousand_documents(keep: Keep) -> None:
    documents = table(clustered(1, 2000))
    ratings = [None if n % 11 == 0 else n * 7919 % 50_000 / 10_000 - 1 for n in range(2000)]
    documents = documents.append_column(RATING, pa.array(ratings))
    found = removals(documents, NearDuplicatesConfig(bands=60, rows=4, keep=keep), [17, 600, 601, 1500])
    wanted = removed(documents.to_pylist(), RANKS[keep])
    assert len(wanted) > 400
    assert found == wanted


@pytest.mark.parametrize("shingle", [1, 2, 7])
@pytest.mark.parametrize("threshold", [0.5, 0.95, 1.0])
def test_other_shingles_and_thresholds(shingle: int, threshold: float) -> None:
    documents = table(clustered(2, 300, length=(3, 60)))
    config = NearDuplicatesConfig(bands=120, rows=2, shingle=shingle, threshold=threshold, all_pairs=1024)
    assert removals(documents, config) == removed(documents.to_pylist(), RANKS[Keep.FIRST_ID], shingle, threshold)


def test_partition_and_order_of_arrival_change_nothing() -> None:
    documents = table(clustered(3, 400))
    config = NearDuplicatesConfig()
    once = removals(documents, config)
    assert len(once) > 100
    rng = random.Random(5)
    for _ in range(4):
        shuffled = documents.take(pa.array(np.random.default_rng(rng.randrange(100)).permutation(400)))
        assert removals(shuffled, config, sorted(rng.sample(range(400), 5))) == once


def test_documents_that_earlier_steps_removed_are_neither_compared_nor_chosen() -> None:
    documents = table(clustered(4, 400))
    alive = np.flatnonzero(np.random.default_rng(1).random(400) < 0.7)
    parts, survivors = [documents.slice(0, 150), documents.slice(150)], [alive[alive < 150], alive[alive >= 150] - 150]
    step = NearDuplicates(NearDuplicatesConfig(bands=60, rows=4), pick("cpu"))
    said = answers(step, MemoryStages(parts, survivors))["duplicate_of"].to_pylist()
    found = {identity: other for identity, other in zip(documents["record_id"].to_pylist(), said, strict=True) if other}
    assert found == removed(documents.take(pa.array(alive)).to_pylist(), RANKS[Keep.FIRST_ID])
    assert len(found) > 50
