"""What the figures allow to say, and what is too small to conclude.

The limits are ours, fixed before any figure was looked at: an interval wider than WIDE says too little about a metric
that runs from 0 to 1, and fewer than FEW groups on either side of a cut leave a bootstrap nothing to draw from.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isnan

from gpucurate.classifier.bootstrap import Figure
from gpucurate.classifier.evaluate_figures import MAIN, MODEL, Evaluation

FEW = 20  # groups
WIDE = 0.2  # of an interval; the error of a rating is taken on the same scale, whose unit is a rating
LOWER_IS_BETTER = ("mae",)
COMPARED = ("mae", "spearman", "kappa", f"auc {MAIN.wanted:g}", f"f1 {MAIN.name}")
TITLES = {
    "mae": "mean absolute error",
    "spearman": "Spearman's rank correlation",
    "kappa": "quadratic kappa",
    f"auc {MAIN.wanted:g}": f"area under the ROC curve for rated ≥ {MAIN.wanted:g}",
    f"f1 {MAIN.name}": f"F1 for rated ≥ {MAIN.wanted:g} at score ≥ {MAIN.cut:g}",
}


@dataclass(frozen=True, slots=True)
class Conclusion:
    """A sentence, and whether it says that something cannot be concluded."""

    text: str
    too_small: bool


def conclusions(found: Evaluation) -> list[Conclusion]:
    """In the order: what the data can carry, the model itself, the model against each baseline."""
    return [*_of_data(found), *_of_model(found), *_against(found)]


def too_small(metric: str, figure: Figure, found: Evaluation) -> bool:
    """Whether a figure of the whole is too uncertain to conclude from."""
    return not carries(metric, found) or not figure.width <= WIDE  # also where there is no interval


def carries(metric: str, found: Evaluation) -> bool:
    """Whether there are groups enough, for a metric of a cut on both sides of it."""
    wanted = wanted_of(metric)
    sides = [found.groups] if wanted is None else [found.wanted[wanted].groups, found.below[wanted].groups]
    return min(sides) >= FEW


def wanted_of(metric: str) -> int | None:
    """The rating that a metric of a cut is about: `f1 3@2.5` is about 3."""
    _, _, cut = metric.partition(" ")
    return int(cut.partition("@")[0]) if cut[:1].isdigit() else None


def better(metric: str, difference: Figure) -> bool | None:
    """Whether the model is better by a metric, None where its interval does not tell."""
    sign = -1 if metric in LOWER_IS_BETTER else 1
    low, high = sorted((sign * difference.low, sign * difference.high))
    if low > 0:
        return True
    return False if high < 0 else None


def _of_data(found: Evaluation) -> Iterator[Conclusion]:
    if found.groups < FEW:
        text = f"{found.groups} groups of one site or copies: too few for any interval to be trusted."
        yield Conclusion(text, True)
    for rating, count in found.wanted.items():
        if not carries(f"f1 {rating}", found):
            rest = found.below[rating]
            text = (
                f"Rated ≥ {rating}: {count.documents:,} documents in {count.groups:,} groups, below: "
                f"{rest.documents:,} in {rest.groups:,}. Too small to conclude about a cut there."
            )
            yield Conclusion(text, True)


def _of_model(found: Evaluation) -> Iterator[Conclusion]:
    for metric in COMPARED:
        figure = found.figures[MODEL][metric]
        small = too_small(metric, figure, found)
        yield Conclusion(f"{_upper(TITLES[metric])}: {figure}{'; too small to conclude' if small else ''}.", small)


def _against(found: Evaluation) -> Iterator[Conclusion]:
    for baseline, differences in found.differences.items():
        for metric in COMPARED:
            difference = differences[metric]
            if isnan(difference.value):  # a constant has no ranks
                continue
            if not carries(metric, found):
                said, small = "too small to conclude", True
            else:
                verdict = better(metric, difference)
                said = {True: "the model is better", False: "the model is worse", None: "not told apart"}[verdict]
                small = verdict is None
            yield Conclusion(f"Against {baseline}, {TITLES[metric]}: {said} (difference {difference}).", small)


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]
