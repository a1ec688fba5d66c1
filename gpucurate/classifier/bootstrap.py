"""Intervals by a bootstrap over groups: sites and their copies are drawn, for the documents of a site are alike.

Percentile intervals of the cluster bootstrap (Davison and Hinkley 1997, section 3.8).  They come out too narrow where
there are few groups, which is why `conclusions` has a floor on those.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpucurate.classifier.association import Floats

LEVEL = 0.95
CELLS = 1 << 22  # of weights at a time: 32 MB
UNDEFINED = 0.05  # share of resamples without a value, from which there is no interval

Metrics = Mapping[str, Floats]


@dataclass(frozen=True, slots=True)
class Figure:
    """A value with its interval; NaN where there is none."""

    value: float
    low: float
    high: float

    @property
    def width(self) -> float:
        """Of the interval; NaN without one."""
        return self.high - self.low

    def __str__(self) -> str:
        if np.isnan(self.value):
            return "–"
        return (
            f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]" if self.low == self.low else f"{self.value:.3f} [–]"
        )


def resampled(weights: Floats, groups: NDArray[np.int64], resamples: int, seed: int) -> Iterator[Floats]:
    """First `weights` itself as one row, then batches [some, examples], `resamples` rows in all."""
    names, group = np.unique(groups, return_inverse=True)
    random = np.random.default_rng(seed)
    yield weights[None, :]
    batch = max(1, CELLS // len(weights))
    for low in range(0, resamples, batch):
        rows = min(batch, resamples - low)
        drawn = random.integers(0, len(names), (rows, len(names)))
        flat = drawn + np.arange(rows)[:, None] * len(names)
        times = np.bincount(flat.ravel(), minlength=rows * len(names)).reshape(rows, len(names))
        yield weights * times[:, group]


def intervals(
    metrics: Callable[[Floats], Metrics], weights: Floats, groups: NDArray[np.int64], resamples: int, seed: int
) -> dict[str, Figure]:
    """Every metric with its interval; `metrics` maps weights [resamples, examples] to values [resamples].

    One group alone has no intervals: every draw of it is the same.
    """
    if len(np.unique(groups)) < 2:
        return {name: Figure(float(values[0]), np.nan, np.nan) for name, values in metrics(weights[None, :]).items()}
    batches = [metrics(rows) for rows in resampled(weights, groups, resamples, seed)]
    return {name: _figure(np.concatenate([batch[name] for batch in batches])) for name in batches[0]}


def _figure(values: Floats) -> Figure:
    """Of the value itself, first, and the resampled ones."""
    drawn = values[1:][~np.isnan(values[1:])]
    if np.isnan(values[0]) or len(drawn) <= (1 - UNDEFINED) * (len(values) - 1):
        return Figure(float(values[0]), np.nan, np.nan)
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Figure(float(values[0]), float(low), float(high))
