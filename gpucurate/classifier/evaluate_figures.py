"""All figures of an evaluation: of the model and its baselines, their differences, calibration and slices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpucurate.classifier.association import Floats
from gpucurate.classifier.bootstrap import Figure, intervals
from gpucurate.classifier.calibration import bins_of, cross_calibrated, reliability
from gpucurate.classifier.evaluate_slices import slices
from gpucurate.classifier.examples import Example
from gpucurate.classifier.metrics import Cut, confusion, cuts_for, measure, ratings

MODEL, CALIBRATED = "model", "model, calibrated"
RATINGS_WANTED = (1, 2, 3, 4, 5)
MAIN = Cut(3, 2.5)  # FineWeb-Edu's: a rounded score of 3 (Penedo et al. 2024, section 4)
OF_SLICES = ("mae", "bias", "spearman", "kappa", f"f1 {MAIN.name}")
RESAMPLES = 1000
BETWEEN = " − "  # in the names of differences

Figures = dict[str, Figure]


@dataclass(frozen=True, slots=True)
class Bin:
    """A bin of the calibration curve."""

    documents: int
    score: float
    rating: Figure


@dataclass(frozen=True, slots=True)
class Slice:
    """Part of the examples."""

    documents: int
    groups: int
    figures: Figures


@dataclass(frozen=True, slots=True)
class Count:
    """How many documents, and in how many groups."""

    documents: int
    groups: int
    share: float  # of the corpus, by the documents' weights


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What was found.  Metrics are named as in `metrics.measure`."""

    documents: int
    groups: int
    resamples: int
    rated: dict[int, Count]  # by whole rating
    wanted: dict[int, Count]  # rated so or more
    below: dict[int, Count]  # rated less
    figures: dict[str, Figures]  # by predictor: MODEL, CALIBRATED, BASELINES
    differences: dict[str, Figures]  # by baseline: the model's figure less the baseline's
    confusion: list[list[float]]  # rows: rounded rating; columns: rounded score; weights of documents
    calibration: list[Bin]
    slices: dict[str, dict[str, Slice]]


def evaluate(
    examples: Sequence[Example],
    score: Floats,
    baselines: Mapping[str, Floats],
    groups: NDArray[np.int64],
    fold: NDArray[np.int64],
    resamples: int = RESAMPLES,
    seed: int = 0,
    models: bool = False,
) -> Evaluation:
    """Figures of `score` [examples] against the examples' ratings.

    `groups` are what the bootstrap draws, `fold` what the calibration is crossed over; both [examples].  With `models`
    each fold was scored by a model of its own, so that ranks are compared within folds.
    """
    within = fold if models else None
    truth, weight = (np.array([getattr(e, name) for e in examples], float) for name in ("score", "weight"))
    predictors = {MODEL: score, CALIBRATED: cross_calibrated(truth, score, weight, fold), **baselines}
    cuts = cuts_for(RATINGS_WANTED)
    bins = bins_of(score)

    def everything(weights: Floats) -> dict[str, Floats]:
        found = {name: measure(truth, values, weights, cuts, within) for name, values in predictors.items()}
        for name in (MODEL, CALIBRATED):
            curve = reliability(truth, predictors[name], weights, bins if name == MODEL else bins_of(predictors[name]))
            found[name] |= {k: v for k, v in curve.items() if name == MODEL or k == "calibration error"}
        for baseline in baselines:
            shared = found[baseline].items()
            found[MODEL + BETWEEN + baseline] = {metric: found[MODEL][metric] - values for metric, values in shared}
        return {f"{name}\n{metric}": values for name, metrics in found.items() for metric, values in metrics.items()}

    nested: dict[str, Figures] = {}
    for name, figure in intervals(everything, weight, groups, resamples, seed).items():
        predictor, metric = name.split("\n")
        nested.setdefault(predictor, {})[metric] = figure
    of_model = nested[MODEL]
    curve = [
        Bin(int((bins == at).sum()), of_model.pop(f"score {at}").value, of_model.pop(f"rating {at}"))
        for at in range(int(bins.max()) + 1)
    ]
    return Evaluation(
        documents=len(examples),
        groups=len(np.unique(groups)),
        resamples=resamples,
        rated={rating: _count(ratings(truth) == rating, groups, weight) for rating in range(6)},
        wanted={rating: _count(truth >= rating, groups, weight) for rating in RATINGS_WANTED},
        below={rating: _count(truth < rating, groups, weight) for rating in RATINGS_WANTED},
        figures={name: nested[name] for name in predictors},
        differences={name: nested[MODEL + BETWEEN + name] for name in baselines},
        confusion=confusion(truth, score, weight[None, :])[0].tolist(),
        calibration=curve,
        slices={
            kind: {
                name: _slice(mask, truth, score, weight, groups, within, resamples, seed)
                for name, mask in named.items()
            }
            for kind, named in slices(examples).items()
        },
    )


def _count(there: NDArray[np.bool_], groups: NDArray[np.int64], weight: Floats) -> Count:
    return Count(int(there.sum()), len(np.unique(groups[there])), float(weight[there].sum() / weight.sum()))


def _slice(
    mask: NDArray[np.bool_],
    truth: Floats,
    score: Floats,
    weight: Floats,
    groups: NDArray[np.int64],
    within: NDArray[np.int64] | None,
    resamples: int,
    seed: int,
) -> Slice:
    truth, score, weight, groups = truth[mask], score[mask], weight[mask], groups[mask]

    def some(weights: Floats) -> dict[str, Floats]:
        found = measure(truth, score, weights, [MAIN], None if within is None else within[mask])
        return {name: found[name] for name in OF_SLICES}

    return Slice(len(truth), len(np.unique(groups)), intervals(some, weight, groups, resamples, seed))
