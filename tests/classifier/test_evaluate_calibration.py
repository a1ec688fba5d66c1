from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression

from gpucurate.classifier.calibration import (
    bins_of,
    cross_calibrated,
    isotonic,
    reliability,
    save_calibration,
)
from gpucurate.classifier.examples import Example, text_digest
from gpucurate.classifier.guard import read_lineage, refuse_known
from gpucurate.core.errors import UserError
from gpucurate.steps.quality.calibration import read_calibration

POINT = st.tuples(st.integers(0, 12), st.integers(0, 5), st.integers(1, 4))


@given(st.lists(POINT, min_size=2, max_size=40))
def test_isotonic_is_scikit_learns(points: list[tuple[int, int, int]]) -> None:
    score, truth, weight = np.array(points, float).T
    ours = isotonic(score, truth, weight)
    theirs = IsotonicRegression(out_of_bounds="clip").fit(score, truth, sample_weight=weight)
    at = np.linspace(-1, 13, 57)
    assert ours(at) == pytest.approx(theirs.predict(at))
    assert (np.diff(ours.rating) >= 0).all()


def test_each_fold_is_mapped_by_the_others() -> None:
    rng = np.random.default_rng(1)
    score, truth, weight = rng.random(60) * 5, rng.integers(0, 6, 60).astype(float), np.ones(60)
    fold = np.arange(60) % 3
    out = cross_calibrated(truth, score, weight, fold)
    own = truth.copy()
    own[fold == 1] = 5 - own[fold == 1]  # its own ratings do not reach a fold
    assert cross_calibrated(own, score, weight, fold)[fold == 1].tolist() == out[fold == 1].tolist()


def test_the_curve_of_a_calibrated_score_is_the_diagonal() -> None:
    score = np.repeat([0.0, 1, 2, 3, 4, 5], 50)
    truth = score + np.tile([-1.0, 1], 150)
    bins = bins_of(score)
    found = {name: values[0] for name, values in reliability(truth, score, np.ones((1, 300)), bins).items()}
    assert [found[f"rating {b}"] for b in range(6)] == [0, 1, 2, 3, 4, 5]
    assert found["calibration error"] == 0
    assert reliability(truth + 1, score, np.ones((1, 300)), bins)["calibration error"][0] == pytest.approx(1)


@given(st.lists(st.integers(0, 30), min_size=1, max_size=200))
def test_bins_ascend_without_gaps_and_keep_equals_together(values: list[int]) -> None:
    score = np.array(values, float)
    bins = bins_of(score)
    assert set(bins.tolist()) == set(range(bins.max() + 1))
    order = np.argsort(score, kind="stable")
    assert (np.diff(bins[order]) >= 0).all()
    assert all(len(set(bins[score == value].tolist())) == 1 for value in set(values))
    assert bins.max() < 10


def test_a_saved_map_comes_back_and_its_examples_are_refused(tmp_path: Path) -> None:
    examples = [
        Example(f"{i:032x}", f"text {i}", 1.0, 1.0, "s", "", "", None, text_digest(f"text {i}")) for i in (1, 2)
    ]
    (tmp_path / "gpucurate.json").write_text('{"kind": "regressor"}')
    fitted = isotonic(np.array([0.0, 1, 2]), np.array([0.0, 2, 3]), np.ones(3))
    save_calibration(tmp_path, fitted, examples)
    lineage = read_lineage(tmp_path)
    again = read_calibration(lineage)
    assert lineage["kind"] == "regressor"
    assert again is not None
    assert again(np.array([-1.0, 0.5, 9])).tolist() == [0, 1, 3]
    with pytest.raises(UserError, match="2 of 2 examples"):
        refuse_known("m", tmp_path, examples)
