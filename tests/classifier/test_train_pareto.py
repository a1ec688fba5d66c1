"""GPT-3's keep rule: the probability it promises, and nothing but the record id in it."""

from __future__ import annotations

import hashlib

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

from gpucurate.steps.quality.pareto import keep_probability, pareto_keep, uniforms

IDS = [hashlib.md5(str(n).encode()).digest() for n in range(20_000)]


def test_draws_are_uniform_and_differ_by_seed() -> None:
    drawn = uniforms(IDS)
    assert stats.kstest(drawn, "uniform").pvalue > 0.01
    assert abs(np.corrcoef(drawn, uniforms(IDS, seed=1))[0, 1]) < 0.02


@pytest.mark.parametrize("score", [0.0, 0.3, 0.7, 0.9, 1.0])
def test_kept_as_often_as_numpys_pareto_keeps(score: float) -> None:
    kept = pareto_keep(np.full(len(IDS), score), IDS).mean()
    by_numpy = (np.random.default_rng(0).pareto(9, 200_000) > 1 - score).mean()
    assert kept == pytest.approx(by_numpy, abs=0.012)
    assert kept == pytest.approx(keep_probability(np.array([score]))[0], abs=0.012)


def test_a_document_fares_alike_in_any_company() -> None:
    scores = np.random.default_rng(1).random(len(IDS))
    kept = pareto_keep(scores, IDS)
    some = np.random.default_rng(2).permutation(len(IDS))[:500]
    ids = pa.array([IDS[n] for n in some], pa.binary(16))
    assert (pareto_keep(scores[some], ids) == kept[some]).all()
    assert pareto_keep(np.empty(0), []).tolist() == []


@pytest.mark.parametrize("score", [-0.1, 1.1, 3.0, float("nan")])
def test_scores_that_are_no_probabilities_are_refused(score: float) -> None:
    with pytest.raises(ValueError, match="from 0 to 1"):
        pareto_keep(np.array([0.5, score]), IDS[:2])
    with pytest.raises(ValueError, match="positive"):
        pareto_keep(np.array([0.5]), IDS[:1], alpha=0)
