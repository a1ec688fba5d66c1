"""Pairs of known similarity are found as often as the S-curve says."""

from __future__ import annotations

import random

import numpy as np
import pytest

from gpucurate.device import pick
from gpucurate.steps.near_duplicates import NearDuplicates
from gpucurate.steps.near_duplicates.config import NearDuplicatesConfig
from gpucurate.steps.near_duplicates.curve import middle, probability, suggest

from .corpora import pair_at, table
from .removal import removals

PAIRS = 1500


@pytest.mark.parametrize(("bands", "rows"), [(14, 8), (9, 13), (20, 13)])
@pytest.mark.parametrize(("similarity", "shared", "own"), [(0.7, 140, 30), (0.8, 160, 20), (0.9, 180, 10)])
def test_within_two_standard_errors(bands: int, rows: int, similarity: float, shared: int, own: int) -> None:
    rng = random.Random(bands * 1000 + shared)
    texts = [text for _ in range(PAIRS) for text in pair_at(rng, shared, own)]
    config = NearDuplicatesConfig(bands=bands, rows=rows, shingle=1, threshold=similarity)
    found = len(removals(table(texts), config)) / PAIRS
    expected = float(probability(similarity, bands, rows))
    assert shared / (shared + 2 * own) == similarity
    assert abs(found - expected) <= 2 * np.sqrt(expected * (1 - expected) / PAIRS) + 1 / PAIRS


def test_published_values_of_the_curve() -> None:
    """FineWeb, section 3.4: with 14 x 8, similarities .7, .75, .8 and .85 match with 56, 77, 92 and 98.8 %."""
    assert np.round(probability([0.7, 0.75, 0.8, 0.85], 14, 8), 3).tolist() == [0.565, 0.772, 0.924, 0.988]
    assert probability([0.0, 1.0], 14, 8).tolist() == [0.0, 1.0]
    assert float(probability(middle(20, 13), 20, 13)) == pytest.approx(0.5)


def test_suggestions_reach_their_recall_within_the_budget() -> None:
    for threshold in (0.5, 0.7, 0.8, 0.95):
        for best in suggest(threshold, 128, 0.9):
            assert best.bands * best.rows <= 128
            assert best.recall >= 0.9
            assert float(probability(threshold, best.bands, best.rows)) == best.recall
            fewer = best.bands - 1
            assert fewer == 0 or float(probability(threshold, fewer, best.rows)) < 0.9
    assert suggest(0.3, 2, 0.99) == []


@pytest.mark.parametrize("threshold", [1e-6, 0.01, 0.8, 1.0])
def test_suggestions_can_be_put_into_a_recipe(threshold: float) -> None:
    for best in suggest(threshold, 65_536, 0.9, most=1000):
        NearDuplicatesConfig(bands=best.bands, rows=best.rows, threshold=threshold)
    config = NearDuplicatesConfig(bands=16, rows=256, threshold=threshold)
    assert len(NearDuplicates(config, pick("cpu")).remarks()) == (threshold < 1)


def test_signatures_that_no_task_could_hold_are_refused() -> None:
    with pytest.raises(ValueError, match="65,536 hashes a document; at most 4,096"):
        NearDuplicatesConfig(bands=256, rows=256)
