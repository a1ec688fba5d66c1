from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr
from sklearn.metrics import (
    cohen_kappa_score,
    confusion_matrix,
    mean_absolute_error,
    precision_recall_fscore_support,
    roc_auc_score,
)

from gpucurate.classifier.association import Floats, spearman
from gpucurate.classifier.bootstrap import Figure, intervals, resampled
from gpucurate.classifier.metrics import Cut, confusion, cuts_for, measure, ratings


def data(seed: int, count: int = 200) -> tuple[Floats, Floats, Floats]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 6, count).astype(float)
    score = np.clip(truth * 0.5 + rng.normal(1, 1, count), -0.5, 5.5).round(1)  # ties
    return truth, score, rng.integers(1, 5, count).astype(float)


@pytest.mark.parametrize("seed", range(5))
def test_weighted_metrics_equal_scikit_learn_and_scipy(seed: int) -> None:
    truth, score, weights = data(seed)
    found = {name: values[0] for name, values in measure(truth, score, weights[None, :], cuts_for([2, 3])).items()}
    assert found["mae"] == pytest.approx(mean_absolute_error(truth, score, sample_weight=weights))
    whole = [ratings(values) for values in (truth, score)]
    kappa = cohen_kappa_score(*whole, weights="quadratic", sample_weight=weights, labels=list(range(6)))
    assert found["kappa"] == pytest.approx(kappa)
    repeated = [np.repeat(values, weights.astype(int)) for values in (truth, score)]
    assert found["spearman"] == pytest.approx(spearmanr(*repeated).statistic)
    assert found["bias"] == pytest.approx((repeated[1] - repeated[0]).mean())
    for cut in cuts_for([2, 3]):
        wanted, kept = truth >= cut.wanted, score >= cut.cut
        ours = [found[f"{name} {cut.name}"] for name in ("precision", "recall", "f1")]
        theirs = precision_recall_fscore_support(wanted, kept, average="binary", sample_weight=weights)
        assert ours == pytest.approx(theirs[:3])
        assert found[f"kept {cut.name}"] == pytest.approx(np.average(kept, weights=weights))
        assert found[f"auc {cut.wanted:g}"] == pytest.approx(roc_auc_score(wanted, score, sample_weight=weights))
    table = confusion_matrix(*whole, sample_weight=weights, labels=list(range(6)))
    assert confusion(truth, score, weights[None, :])[0] == pytest.approx(table)


def test_a_row_of_weights_is_measured_as_if_alone() -> None:
    truth, score, _ = data(1)
    rows = np.random.default_rng(2).integers(0, 3, (7, len(truth))).astype(float)
    together = measure(truth, score, rows, cuts_for([3]))
    for name, values in together.items():
        alone = [measure(truth, score, row[None, :], cuts_for([3]))[name][0] for row in rows]
        assert values == pytest.approx(alone), name


def test_a_weight_of_nothing_is_an_example_that_is_not_there() -> None:
    truth, score, weights = data(3)
    weights[::3] = 0
    there = weights > 0
    whole = measure(truth, score, weights[None, :], cuts_for([3]))
    part = measure(truth[there], score[there], weights[None, there], cuts_for([3]))
    assert {k: v.tolist() for k, v in whole.items()} == {k: pytest.approx(v.tolist()) for k, v in part.items()}


@given(st.lists(st.sampled_from([0.0, 1.5, 3.0, 3.1]), min_size=2, max_size=30), st.integers(0, 99))
def test_spearman_with_ties_and_constants(values: list[float], seed: int) -> None:
    score = np.array(values)
    truth = np.random.default_rng(seed).integers(0, 3, len(values)).astype(float)
    found = spearman(truth, score, np.ones((1, len(values))))[0]
    if len(set(values)) == 1 or len(set(truth.tolist())) == 1:
        assert np.isnan(found)
    else:
        assert found == pytest.approx(spearmanr(truth, score).statistic)


def test_what_is_not_defined_is_nan_not_zero() -> None:
    truth, score = np.array([0.0, 1.0, 1.0]), np.array([1.0, 1.0, 1.0])
    found = measure(truth, score, np.ones((1, 3)), [Cut(3, 3), Cut(1, 3)])
    assert np.isnan([found[name][0] for name in ("spearman", "precision 3@3", "recall 3@3", "f1 3@3", "auc 3")]).all()
    assert [found[name][0] for name in ("recall 1@3", "f1 1@3", "kept 3@3")] == [0, 0, 0]
    assert np.isnan(found["precision 1@3"][0])


def test_halves_round_up_so_that_int_score_is_a_cut_at_half() -> None:
    assert ratings(np.array([-0.7, 0.5, 1.5, 2.5, 2.49, 4.6, 7.0])).tolist() == [0, 1, 2, 3, 2, 5, 5]
    assert cuts_for([3]) == [Cut(3, 2.5), Cut(3, 3)]


def test_resamples_draw_groups_whole_and_as_many_as_there_are() -> None:
    groups = np.array([7, 7, 1, 1, 1, 4])
    first, *batches = resampled(np.array([2.0, 3, 1, 1, 1, 5]), groups, 500, seed=1)
    assert first.tolist() == [[2, 3, 1, 1, 1, 5]]
    times = np.concatenate(batches) / first
    assert times.shape == (500, 6)
    assert (times[:, 0] == times[:, 1]).all()
    assert (times[:, 2] == times[:, 4]).all()
    assert (times[:, [0, 2, 5]].sum(axis=1) == 3).all()
    assert times[:, 0].mean() == pytest.approx(1, abs=0.1)


def test_one_group_has_no_interval() -> None:
    values = np.arange(5.0)
    found = intervals(lambda w: {"m": w @ values / w.sum(axis=1)}, np.ones(5), np.zeros(5, np.int64), 100, 1)["m"]
    assert found.value == 2
    assert np.isnan(found.width)


def test_an_interval_of_a_mean_has_its_known_width() -> None:
    values = np.random.default_rng(4).normal(0, 1, 400)
    mean = intervals(lambda w: {"mean": w @ values / w.sum(axis=1)}, np.ones(400), np.arange(400), 2000, 1)["mean"]
    assert mean.value == pytest.approx(values.mean())
    assert mean.width == pytest.approx(2 * 1.96 * values.std() / 20, rel=0.08)
    copies = np.repeat(values, 4)  # four times the documents, no more groups: the same interval, not half of it
    groups = np.repeat(np.arange(400), 4)
    grouped = intervals(lambda w: {"mean": w @ copies / w.sum(axis=1)}, np.ones(1600), groups, 2000, 1)["mean"]
    assert grouped.width == pytest.approx(mean.width, rel=1e-9)


def test_intervals_cover_the_truth_about_as_often_as_they_say() -> None:
    rng = np.random.default_rng(6)
    covered = 0
    for trial in range(200):
        site = rng.normal(0, 1, 60)
        groups = np.repeat(np.arange(60), 5)
        values = site[groups] + rng.normal(0, 1, 300)
        found = intervals(lambda w, v=values: {"m": w @ v / w.sum(axis=1)}, np.ones(300), groups, 400, trial)["m"]
        covered += found.low <= 0 <= found.high
    assert 0.88 <= covered / 200 <= 0.99


def test_a_metric_that_resamples_often_lack_has_no_interval() -> None:
    truth = np.array([3.0] + [0.0] * 20)
    found = intervals(lambda w: measure(truth, truth, w, [Cut(3, 3)]), np.ones(21), np.arange(21), 300, 1)
    assert found["recall 3@3"].value == 1
    assert np.isnan(found["recall 3@3"].width)
    assert str(found["recall 3@3"]) == "1.000 [–]"
    assert str(Figure(np.nan, np.nan, np.nan)) == "–"


def test_within_blocks_only_pairs_of_one_block_count() -> None:
    truth, score, weights = data(5)
    block = np.arange(len(truth)) % 3
    found = measure(truth, score, weights[None, :], cuts_for([3]), block)
    parts = [(truth[block == b], score[block == b], weights[block == b]) for b in range(3)]
    alone = [spearmanr(np.repeat(t, w.astype(int)), np.repeat(s, w.astype(int))).statistic for t, s, w in parts]
    assert found["spearman"][0] == pytest.approx(np.average(alone, weights=[w.sum() for *_, w in parts]))
    pairs = [w[t >= 3].sum() * w[t < 3].sum() for t, _, w in parts]
    areas = [roc_auc_score(t >= 3, s, sample_weight=w) for t, s, w in parts]
    assert found["auc 3"][0] == pytest.approx(np.average(areas, weights=pairs))
    plain = measure(truth, score, weights[None, :], cuts_for([3]))
    assert {name: plain[name] for name in ("mae", "kappa", "f1 3@3")} == {
        n: found[n] for n in ("mae", "kappa", "f1 3@3")
    }


def test_a_model_that_learned_nothing_does_not_look_worse_than_that_in_cross_validation() -> None:
    rng = np.random.default_rng(8)
    pooled, within = [], []
    for _ in range(50):
        truth = rng.integers(0, 6, 50).astype(float)
        fold = rng.permutation(50) % 5
        score = np.array([truth[fold != f].mean() for f in fold]) + rng.normal(0, 0.01, 50)
        ones = np.ones((1, 50))
        pooled.append(measure(truth, score, ones, [])["spearman"][0])
        within.append(measure(truth, score, ones, [], fold)["spearman"][0])
    assert np.mean(pooled) < -0.1
    assert abs(np.mean(within)) < 0.05
