"""The S-curve of banded MinHash: which similarities become candidates, and which bands and rows to choose.

Two documents of Jaccard similarity s share all rows of a band with probability s^r, and at least one of b bands with
1 - (1 - s^r)^b (Leskovec, Rajaraman and Ullman, Mining of Massive Datasets, section 3.4.2).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

MIDDLE = 0.5
MOST = 256  # bands, and rows of a band, that a recipe may ask for
MOST_HASHES = 4096  # of a signature: 16 KB a document, and a task holds those of a part


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A choice of bands and rows.  `recall` at the threshold; `waste` is the mean chance of a pair below it, over all
    similarities from 0 up to the threshold."""

    bands: int
    rows: int
    recall: float
    waste: float


def probability(similarity: ArrayLike, bands: int, rows: int) -> NDArray[np.float64]:
    """Chance that a pair of this similarity becomes a candidate; float64 of the shape of `similarity`."""
    s = np.asarray(similarity, np.float64)
    missed: NDArray[np.float64] = np.exp(bands * np.log1p(-np.minimum(s**rows, 1 - 1e-16)))
    return 1 - missed


def middle(bands: int, rows: int) -> float:
    """The similarity at which every second pair becomes a candidate."""
    return float((-np.expm1(np.log(MIDDLE) / bands)) ** (1 / rows))


def suggest(threshold: float, budget: int, recall: float = 0.95, most: int = 5) -> list[Suggestion]:
    """Bands and rows within a budget of hashes that find pairs at the threshold with at least `recall`.

    Those that propose the fewest pairs below the threshold first, one per number of rows; empty if the budget is too
    small for that recall.
    """
    below = np.linspace(0, threshold, 201)
    found = []
    budget = min(budget, MOST_HASHES)
    for rows in range(1, min(budget, MOST) + 1):
        bands = _fewest_bands(threshold, rows, recall, min(budget // rows, MOST))
        if bands is None:
            break  # more rows need more bands yet
        reached = float(probability(threshold, bands, rows))
        found.append(Suggestion(bands, rows, reached, float(probability(below, bands, rows).mean())))
    return sorted(found, key=lambda s: (s.waste, s.bands * s.rows))[:most]


def _fewest_bands(threshold: float, rows: int, recall: float, most: int) -> int | None:
    """None if it takes more than `most`."""
    if threshold >= 1:
        return 1
    with np.errstate(over="ignore"):
        needed = np.log1p(-recall) / np.log1p(-(threshold**rows))
    if needed > most:
        return None
    bands = max(1, int(np.ceil(needed)))
    if probability(threshold, bands, rows) < recall:  # by rounding
        bands += 1
    return bands if bands <= most else None
