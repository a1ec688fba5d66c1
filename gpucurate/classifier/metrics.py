"""Metrics of a scorer against ratings, weighted, for many weightings at once: that is what a bootstrap asks for.

`weights` is [resamples, examples] throughout, and results are [resamples].  NaN says that a metric is not defined
there: a rank correlation of constants, a precision where nothing is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
RATINGS = 6  # 0 to 5


@dataclass(frozen=True, slots=True)
class Cut:
    """What a user does: wants documents rated `wanted` or more, and keeps those scored `cut` or more."""

    wanted: float
    cut: float

    @property
    def name(self) -> str:
        """As it stands in the names of metrics."""
        return f"{self.wanted:g}@{self.cut:g}"


def cuts_for(ratings: Sequence[float]) -> list[Cut]:
    """Each rating at the score itself, and at .5 less, which is what a rounded score (`int_score`) comes to."""
    return [Cut(wanted, cut) for wanted in ratings for cut in (wanted - 0.5, wanted)]


def measure(
    truth: Floats, score: Floats, weights: Floats, cuts: Sequence[Cut], within: NDArray[np.int64] | None = None
) -> dict[str, Floats]:
    """All metrics by name.

    `mae`, `bias` (mean of score - rating), `spearman`, `kappa` (quadratic, of rounded values); for each rating that is
    wanted `auc R` (a wanted document has the higher score); for each cut `precision R@C`, `recall R@C`, `f1 R@C` and
    `kept R@C` (share of all documents).

    `spearman` and `auc` compare only documents of one block if `within` [examples] names blocks.  Cross-validation
    needs that: a model trained without the best documents gives all scores a little less, so that over several models
    the scores of a classifier that has learned nothing run against the ratings.
    """
    blocks = [within == block for block in np.unique(within)] if within is not None else [np.ones(len(truth), bool)]
    found: dict[str, Floats] = {
        "mae": _mean(np.abs(score - truth), weights),
        "bias": _mean(score - truth, weights),
        "spearman": _over(blocks, weights, partial(_spearman_of, truth, score)),
        "kappa": quadratic_kappa(confusion(truth, score, weights)),
    }
    for wanted in dict.fromkeys(cut.wanted for cut in cuts):
        found[f"auc {wanted:g}"] = _over(blocks, weights, partial(_auc_of, truth >= wanted, score))
    for cut in cuts:
        for name, values in at_cut(truth >= cut.wanted, score >= cut.cut, weights).items():
            found[f"{name} {cut.name}"] = values
    return found


def ratings(values: Floats) -> NDArray[np.int64]:
    """Rounded to whole ratings 0 to 5; halves go up, as a cut at .5 has it."""
    return np.clip(np.floor(values + 0.5), 0, RATINGS - 1).astype(np.int64)


def confusion(truth: Floats, score: Floats, weights: Floats) -> Floats:
    """[resamples, 6, 6]: weight of the examples by rounded rating (rows) and rounded score (columns)."""
    cells = np.zeros((len(truth), RATINGS * RATINGS))
    cells[np.arange(len(truth)), ratings(truth) * RATINGS + ratings(score)] = 1
    table: Floats = (weights @ cells).reshape(-1, RATINGS, RATINGS)
    return table


def quadratic_kappa(table: Floats) -> Floats:
    """Cohen's kappa with quadratic weights (Cohen 1968) of tables [resamples, ratings, ratings]."""
    at = np.arange(table.shape[-1])
    distance = (at[:, None] - at[None, :]) ** 2.0
    expected = table.sum(axis=2)[:, :, None] * table.sum(axis=1)[:, None, :] / table.sum(axis=(1, 2))[:, None, None]
    return 1.0 - _ratio((table * distance).sum(axis=(1, 2)), (expected * distance).sum(axis=(1, 2)))


def at_cut(wanted: Bools, kept: Bools, weights: Floats) -> Mapping[str, Floats]:
    """Precision, recall, F1 and the share kept."""
    hit, keep, want = (weights @ some.astype(float) for some in (wanted & kept, kept, wanted))
    return {
        "precision": _ratio(hit, keep),
        "recall": _ratio(hit, want),
        "f1": _ratio(2 * hit, keep + want),
        "kept": keep / weights.sum(axis=1),
    }


def spearman(truth: Floats, score: Floats, weights: Floats) -> Floats:
    """Spearman's rank correlation: Pearson's over mid-ranks, both weighted."""
    one, other = _ranks(truth, weights), _ranks(score, weights)
    total = np.maximum(weights.sum(axis=1, keepdims=True), np.finfo(float).tiny)  # a resample may lack a block
    one, other = (ranks - (weights * ranks).sum(axis=1, keepdims=True) / total for ranks in (one, other))
    shared, of_one, of_other = ((weights * pair).sum(axis=1) for pair in (one * other, one * one, other * other))
    # a constant's variance is rounding error of about 1e-16 of its squared rank
    constant = np.minimum(of_one, of_other) <= 1e-12 * total[:, 0] ** 3
    return _ratio(shared, np.where(constant, 0.0, np.sqrt(of_one * of_other)))


def auc(wanted: Bools, score: Floats, weights: Floats) -> Floats:
    """Area under the ROC curve: the chance that a wanted document scores above an unwanted one; a tie is half."""
    ranks = _ranks(score, weights * ~wanted)  # weight of the unwanted below, and half of those beside
    want = weights * wanted
    return _ratio((want * ranks).sum(axis=1), _pairs(wanted, weights))


def _pairs(wanted: Bools, weights: Floats) -> Floats:
    """Weight of the pairs that an area under the curve is the mean over."""
    pairs: Floats = (weights * wanted).sum(axis=1) * (weights * ~wanted).sum(axis=1)
    return pairs


def _spearman_of(truth: Floats, score: Floats, block: Bools, weights: Floats) -> tuple[Floats, Floats]:
    return spearman(truth[block], score[block], weights), weights.sum(axis=1)


def _auc_of(wanted: Bools, score: Floats, block: Bools, weights: Floats) -> tuple[Floats, Floats]:
    return auc(wanted[block], score[block], weights), _pairs(wanted[block], weights)


def _over(blocks: Sequence[Bools], weights: Floats, metric: Callable[[Bools, Floats], tuple[Floats, Floats]]) -> Floats:
    """Mean over the blocks where the metric is defined; `metric` gives it with the block's share, both [resamples]."""
    values, shares = (np.stack(each) for each in zip(*(metric(b, weights[:, b]) for b in blocks), strict=True))
    shares = np.where(np.isnan(values), 0.0, shares)
    return _ratio((np.nan_to_num(values) * shares).sum(axis=0), shares.sum(axis=0))


def _ranks(values: Floats, weights: Floats) -> Floats:
    """[resamples, examples]: weight of lesser values and half that of equal ones."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    of_ties = np.add.reduceat(weights[:, order], starts, axis=1)
    middle = np.cumsum(of_ties, axis=1) - of_ties / 2
    place = np.empty(len(values), np.int64)
    place[order] = np.repeat(np.arange(len(starts)), np.diff(np.r_[starts, len(values)]))
    ranks: Floats = middle[:, place]
    return ranks


def _mean(values: Floats, weights: Floats) -> Floats:
    mean: Floats = weights @ values / weights.sum(axis=1)
    return mean


def _ratio(part: Floats, of: Floats) -> Floats:
    """NaN where `of` is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio: Floats = np.where(of > 0, part / of, np.nan)
    return ratio
