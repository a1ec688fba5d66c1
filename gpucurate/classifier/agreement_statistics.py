"""Measures of agreement between raters on a scale of K classes, numbered from 0.

Each is None where it is not defined: a rater who gives one class only has no rank order, and two who give the same
class only leave chance nothing to disagree about.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Classes = NDArray[np.int64]
Values = NDArray[np.float64]
RESAMPLES = 2000  # of the bootstrap (Efron and Tibshirani 1993, section 13.3: percentile intervals want 1,000 or more)
LEVEL = 0.95  # of intervals


def confusion(first: Classes, second: Classes, classes: int) -> NDArray[np.int64]:
    """Counts [classes, classes]: rows are the first rater's."""
    counts = np.bincount(first * classes + second, minlength=classes * classes)
    return counts.reshape(classes, classes).astype(np.int64)


def quadratic_kappa(counts: NDArray[np.int64]) -> float | None:
    """Cohen's kappa with quadratic weights (Cohen 1968, "Weighted kappa") of a confusion matrix."""
    kappa = float(_kappas(counts[None])[0])
    return None if np.isnan(kappa) else kappa


def kappa_interval(first: Classes, second: Classes, classes: int, seed: int = 0) -> tuple[float, float] | None:
    """Percentile bootstrap interval of the quadratic kappa over documents; None if it is not defined."""
    if not len(first):
        return None
    chosen = np.random.default_rng(seed).integers(0, len(first), (RESAMPLES, len(first)))
    cells = classes * classes
    codes = (first * classes + second)[chosen] + np.arange(RESAMPLES)[:, None] * cells
    counts = np.bincount(codes.ravel(), minlength=RESAMPLES * cells).reshape(RESAMPLES, classes, classes)
    kappas = _kappas(counts)
    kappas = kappas[~np.isnan(kappas)]
    if not len(kappas):
        return None
    low, high = np.quantile(kappas, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def _kappas(counts: NDArray[np.int64]) -> Values:
    """Kappas [n] of matrices [n, classes, classes]; NaN where chance allows no disagreement."""
    classes = counts.shape[1]
    number = np.arange(classes)
    weights = (number[:, None] - number) ** 2
    observed = (counts * weights).sum((1, 2)).astype(np.float64)
    by_chance = counts.sum(2)[:, :, None] * counts.sum(1)[:, None, :]  # of row and column totals
    expected = (by_chance * weights).sum((1, 2)) / np.maximum(counts.sum((1, 2)), 1)
    kappas: Values = 1 - np.divide(observed, expected, out=np.full(len(counts), np.nan), where=expected > 0)
    return kappas


def spearman(first: Values, second: Values) -> float | None:
    """Spearman's rank correlation, ties with their mean rank; None if one rater's values are all the same."""
    if len(first) < 2 or (first == first[0]).all() or (second == second[0]).all():
        return None
    return float(np.corrcoef(mean_ranks(first), mean_ranks(second))[0, 1])


def mean_ranks(values: Values) -> Values:
    """Ranks from 1; equal values share the mean of theirs."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks: Values = (last - (counts - 1) / 2)[place]
    return ranks


def interval_alpha(units: Sequence[Sequence[float]]) -> float | None:
    """Krippendorff's alpha for interval data over any number of raters with gaps (Krippendorff 2004, section 11.3).

    `units` has the ratings of each document; those with fewer than two do not count.  None without any disagreement to
    expect.
    """
    rated = [np.asarray(unit, np.float64) for unit in units if len(unit) > 1]
    if not rated:
        return None
    together = np.concatenate(rated)
    expected = _square_differences(together) / (len(together) - 1)
    observed = sum(_square_differences(unit) / (len(unit) - 1) for unit in rated)
    return None if expected == 0 else float(1 - observed / expected)


def _square_differences(values: Values) -> float:
    """Sum over all ordered pairs of their squared difference."""
    return float(2 * len(values) * ((values - values.mean()) ** 2).sum())
