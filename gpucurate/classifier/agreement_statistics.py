"""Measures of agreement between raters, each document counted once.

Each is None where it is not defined: a rater who gives one class only has no rank order, and two who give the same
class only leave chance nothing to disagree about.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpucurate.classifier import association
from gpucurate.classifier.association import Classes, Floats
from gpucurate.classifier.bootstrap import Figure, intervals

RESAMPLES = 2000  # of the bootstrap (Efron and Tibshirani 1993, section 13.3: percentile intervals want 1,000 or more)


def confusion(first: Classes, second: Classes, classes: int) -> Classes:
    """Counts [classes, classes]: rows are the first rater's."""
    counts: Classes = association.crossed(first, second, classes, np.ones((1, len(first))))[0].astype(np.int64)
    return counts


def kappa(first: Classes, second: Classes, classes: int, seed: int = 0) -> Figure:
    """Cohen's kappa with quadratic weights and its 95 % percentile interval over documents; NaN for what is not
    defined."""

    def of(weights: Floats) -> dict[str, Floats]:
        return {"kappa": association.quadratic_kappa(association.crossed(first, second, classes, weights))}

    return intervals(of, np.ones(len(first)), np.arange(len(first)), RESAMPLES, seed)["kappa"]


def spearman(first: Floats, second: Floats) -> float | None:
    """Spearman's rank correlation, ties with their mean rank; None if one rater's values are all the same."""
    found = float(association.spearman(first, second, np.ones((1, len(first))))[0])
    return None if np.isnan(found) else found


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


def _square_differences(values: Floats) -> float:
    """Sum over all ordered pairs of their squared difference."""
    return float(2 * len(values) * ((values - values.mean()) ** 2).sum())
