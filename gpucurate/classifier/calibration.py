"""Calibration: whether a score of 3 means a rating of 3 on average, and the monotone map that makes it so.

The map is isotonic regression by pool-adjacent-violators (Ayer et al. 1955), linear between its knots; it never
changes an order, so it moves a cut but not who passes it first.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from gpucurate.classifier.association import Floats
from gpucurate.classifier.examples import Example, examples_digest
from gpucurate.classifier.guard import LINEAGE, read_lineage, read_trained_on, trained_on_table, write_trained_on
from gpucurate.steps.quality.calibration import ENTRY, Calibration
from gpucurate.store.atomic import write_bytes

BINS = 10


def isotonic(score: Floats, truth: Floats, weight: Floats) -> Calibration:
    """The non-decreasing map with the least weighted squared error."""
    knots, at = np.unique(score, return_inverse=True)
    mass = np.bincount(at, weight)
    mean = np.bincount(at, weight * truth) / mass
    blocks: list[tuple[float, float, int]] = []  # mean, weight and number of knots
    for value, own in zip(mean.tolist(), mass.tolist(), strict=True):
        blocks.append((value, own, 1))
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            (low, light, left), (high, heavy, right) = blocks[-2:]
            blocks[-2:] = [((low * light + high * heavy) / (light + heavy), light + heavy, left + right)]
    flat = np.repeat([block[0] for block in blocks], [block[2] for block in blocks])
    corner = np.ones(len(knots), bool)  # knots inside a flat stretch say nothing
    corner[1:-1] = (flat[1:-1] != flat[:-2]) | (flat[1:-1] != flat[2:])
    return Calibration(knots[corner], flat[corner])


def cross_calibrated(truth: Floats, score: Floats, weight: Floats, fold: NDArray[np.int64]) -> Floats:
    """[examples]: scores through a map that was fitted on the other folds."""
    out = np.empty_like(score)
    for number in np.unique(fold):
        others = fold != number
        out[~others] = isotonic(score[others], truth[others], weight[others])(score[~others])
    return out


def bins_of(score: Floats) -> NDArray[np.int64]:
    """[examples]: which of at most BINS bins, each of about as many examples; equal scores share a bin."""
    edges = np.unique(np.quantile(score, np.arange(1, BINS) / BINS, method="inverted_cdf"))
    return np.unique(np.searchsorted(edges, score, side="left"), return_inverse=True)[1]


def reliability(truth: Floats, score: Floats, weights: Floats, bins: NDArray[np.int64]) -> dict[str, Floats]:
    """[resamples]: `score B` and `rating B`, means in each bin, and `calibration error`, their mean distance."""
    there = (bins[:, None] == np.arange(bins.max() + 1)[None, :]).astype(float)
    mass = weights @ there
    with np.errstate(invalid="ignore"):
        means = [(weights * values) @ there / mass for values in (score, truth)]
    distance = np.nan_to_num(np.abs(means[0] - means[1])) * mass
    found = {"calibration error": distance.sum(axis=1) / mass.sum(axis=1)}
    for number in range(there.shape[1]):
        found[f"score {number}"], found[f"rating {number}"] = means[0][:, number], means[1][:, number]
    return found


def save_calibration(directory: Path, calibration: Calibration, examples: Sequence[Example]) -> None:
    """Write the map into the model's `gpucurate.json`, and the examples among those that the guard refuses.

    The guard's record comes first: a stop between the two must not leave a map fitted on examples that still pass.
    """
    known = read_trained_on(directory)
    new = trained_on_table(examples, "calibration")
    write_trained_on(directory, [new] if known is None else [known, new])
    lineage = {**read_lineage(directory), ENTRY: _entry(calibration, examples)}
    write_bytes(directory / LINEAGE, orjson.dumps(lineage, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))


def _entry(calibration: Calibration, examples: Sequence[Example]) -> dict[str, Any]:
    return {
        "kind": "isotonic",
        "score": calibration.score.tolist(),
        "rating": calibration.rating.tolist(),
        "examples": len(examples),
        "examples_digest": examples_digest(examples),
    }
