"""Agreement: how far raters say the same of the same documents, pair by pair and all together."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from gpucurate.classifier.agreement_ratings import Ratings
from gpucurate.classifier.agreement_statistics import confusion, interval_alpha, kappa, spearman
from gpucurate.classifier.association import nearest_class
from gpucurate.core.errors import InputError


@dataclass(frozen=True, slots=True)
class Pair:
    """Two raters on the documents that both rated; measures are None where they are not defined."""

    first: str
    second: str
    documents: int
    kappa: float | None  # quadratic
    interval: tuple[float, float] | None  # 95 %, by bootstrap over documents
    spearman: float | None
    same: float  # share of documents in the same class
    within_one: float  # share of documents at most one class apart
    difference: float  # mean of the second's scores minus the first's
    confusion: list[list[int]]  # rows are the first rater's classes


@dataclass(frozen=True, slots=True)
class Agreement:
    """All pairs that have documents in common; `alpha` is Krippendorff's for interval data over all raters."""

    raters: dict[str, int]  # documents each rated
    pairs: list[Pair]
    alpha: float | None
    mean_kappa: float | None  # over the pairs where it is defined


def agreement(ratings: Ratings, classes: int) -> Agreement:
    """Compare all raters; raises InputError if no two have a document in common."""
    pairs = [
        _pair(first, second, ratings, classes)
        for first, second in combinations(sorted(ratings), 2)
        if ratings[first].keys() & ratings[second].keys()
    ]
    if not pairs:
        raise InputError(
            f"no two of the {len(ratings)} raters ({', '.join(sorted(ratings)) or 'none'}) rated the same document. "
            "Remedy: files whose ids are of the same documents; labels of several judges, or with --repeat"
        )
    documents = sorted({document for by_document in ratings.values() for document in by_document})
    units = [[found[d] for found in ratings.values() if d in found] for d in documents]
    kappas = [pair.kappa for pair in pairs if pair.kappa is not None]
    raters = {name: len(ratings[name]) for name in sorted(ratings)}
    return Agreement(raters, pairs, interval_alpha(units), float(np.mean(kappas)) if kappas else None)


def _pair(first: str, second: str, ratings: Ratings, classes: int) -> Pair:
    common = sorted(ratings[first].keys() & ratings[second].keys())
    left = np.array([ratings[first][document] for document in common], np.float64)
    right = np.array([ratings[second][document] for document in common], np.float64)
    left_classes, right_classes = nearest_class(left), nearest_class(right)
    counts = confusion(left_classes, right_classes, classes)
    found = kappa(left_classes, right_classes, classes)
    apart = np.abs(left_classes - right_classes)
    return Pair(
        first,
        second,
        len(common),
        None if np.isnan(found.value) else found.value,
        None if np.isnan(found.low) else (found.low, found.high),
        spearman(left, right),
        float((apart == 0).mean()),
        float((apart <= 1).mean()),
        float((right - left).mean()),
        counts.tolist(),
    )
