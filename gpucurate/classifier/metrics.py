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

from gpucurate.classifier.association import (
    Classes,
    Floats,
    crossed,
    mid_ranks,
    nearest_class,
    quadratic_kappa,
    ratio,
    spearman,
)

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


def ratings(values: Floats) -> Classes:
    """Rounded to whole ratings 0 to 5; halves go up, as a cut at .5 has it."""
    return nearest_class(values).clip(0, RATINGS - 1)


def confusion(truth: Floats, score: Floats, weights: Floats) -> Floats:
    """[resamples, 6, 6]: weight of the examples by rounded rating (rows) and rounded score (columns)."""
    return crossed(ratings(truth), ratings(score), RATINGS, weights)


def at_cut(wanted: Bools, kept: Bools, weights: Floats) -> Mapping[str, Floats]:
    """Precision, recall, F1 and the share kept."""
    hit, keep, want = (weights @ some.astype(float) for some in (wanted & kept, kept, wanted))
    return {
        "precision": ratio(hit, keep),
        "recall": ratio(hit, want),
        "f1": ratio(2 * hit, keep + want),
        "kept": keep / weights.sum(axis=1),
    }


def auc(wanted: Bools, score: Floats, weights: Floats) -> Floats:
    """Area under the ROC curve: the chance that a wanted document scores above an unwanted one; a tie is half."""
    ranks = mid_ranks(score, weights * ~wanted)  # weight of the unwanted below, and half of those beside
    want = weights * wanted
    return ratio((want * ranks).sum(axis=1), _pairs(wanted, weights))


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
    return ratio((np.nan_to_num(values) * shares).sum(axis=0), shares.sum(axis=0))


def _mean(values: Floats, weights: Floats) -> Floats:
    mean: Floats = weights @ values / weights.sum(axis=1)
    return mean
