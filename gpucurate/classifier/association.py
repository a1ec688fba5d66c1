"""How far two columns of ratings go together: confusion, Cohen's kappa, Spearman's correlation.

`weights` is [resamples, documents] throughout and results are [resamples, ...], which is what a bootstrap asks for.
NaN says that a measure is not defined there: a rank correlation of constants, chance without anything to disagree on.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Classes = NDArray[np.int64]


def nearest_class(values: Floats) -> Classes:
    """The nearest whole rating; halves go up."""
    return np.floor(values + 0.5).astype(np.int64)


def crossed(first: Classes, second: Classes, classes: int, weights: Floats) -> Floats:
    """[resamples, classes, classes]: weight of the documents by the first's class (rows) and the second's (columns)."""
    cells = np.zeros((len(first), classes * classes))
    cells[np.arange(len(first)), first * classes + second] = 1
    table: Floats = (weights @ cells).reshape(-1, classes, classes)
    return table


def quadratic_kappa(table: Floats) -> Floats:
    """Cohen's kappa with quadratic weights (Cohen 1968) of tables [resamples, classes, classes]."""
    at = np.arange(table.shape[-1])
    distance = (at[:, None] - at[None, :]) ** 2.0
    expected = table.sum(axis=2)[:, :, None] * table.sum(axis=1)[:, None, :] / table.sum(axis=(1, 2))[:, None, None]
    return 1.0 - ratio((table * distance).sum(axis=(1, 2)), (expected * distance).sum(axis=(1, 2)))


def spearman(first: Floats, second: Floats, weights: Floats) -> Floats:
    """Spearman's rank correlation: Pearson's over mid-ranks, both weighted."""
    one, other = mid_ranks(first, weights), mid_ranks(second, weights)
    total = np.maximum(weights.sum(axis=1, keepdims=True), np.finfo(float).tiny)  # a resample may lack a block
    one, other = (ranks - (weights * ranks).sum(axis=1, keepdims=True) / total for ranks in (one, other))
    shared, of_one, of_other = ((weights * pair).sum(axis=1) for pair in (one * other, one * one, other * other))
    # a constant's variance is rounding error of about 1e-16 of its squared rank
    constant = np.minimum(of_one, of_other) <= 1e-12 * total[:, 0] ** 3
    return ratio(shared, np.where(constant, 0.0, np.sqrt(of_one * of_other)))


def mid_ranks(values: Floats, weights: Floats) -> Floats:
    """[resamples, documents]: weight of lesser values and half that of equal ones."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    of_ties = np.add.reduceat(weights[:, order], starts, axis=1)
    middle = np.cumsum(of_ties, axis=1) - of_ties / 2
    place = np.empty(len(values), np.int64)
    place[order] = np.repeat(np.arange(len(starts)), np.diff(np.r_[starts, len(values)]))
    ranks: Floats = middle[:, place]
    return ranks


def ratio(part: Floats, of: Floats) -> Floats:
    """NaN where `of` is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = np.where(of > 0, part / of, np.nan)
    return found
