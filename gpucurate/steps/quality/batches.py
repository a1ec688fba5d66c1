"""Batches of windows of nearly equal length, so that hardly anything is padded."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray


def by_length(lengths: NDArray[np.int64], budget: int) -> Iterator[NDArray[np.int64]]:
    """Numbers of windows, longest first, in batches of at most `budget` tokens, padding included (at least a window).

    Equal lengths keep their order.  The longest come first, so that a device without enough memory says so at once.
    """
    order = np.argsort(-lengths, kind="stable")
    start = 0
    while start < len(order):
        stop = start + max(1, budget // max(1, int(lengths[order[start]])))
        yield order[start:stop]
        start = stop
