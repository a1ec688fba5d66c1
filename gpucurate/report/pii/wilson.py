"""The interval of a share seen in a sample (Wilson 1927): sensible for few items and for shares of 0 and 1."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

Z = 1.959964  # standard normal quantile of 0.975: intervals of 95 %


class Share(NamedTuple):
    """A share with its interval of 95 %; NaN without any item."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return "–" if self.value != self.value else f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


def wilson(value: float, items: float) -> Share:
    """Interval of a share `value` seen in `items` items.

    `items` may be an effective number: that of a simple random sample which would say as much (Kish 1965).
    """
    if items <= 0:
        return Share(float("nan"), float("nan"), float("nan"))
    widening = Z * Z / items
    middle = (value + widening / 2) / (1 + widening)
    half = Z * sqrt(value * (1 - value) / items + widening / (4 * items)) / (1 + widening)
    return Share(value, middle - half if value > 0 else 0.0, middle + half if value < 1 else 1.0)  # exact at the ends
