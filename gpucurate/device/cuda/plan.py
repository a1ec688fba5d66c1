"""How much goes to the device at once: consecutive items whose cost stays within a bound.

Pure arithmetic on running sums, so that what a verb takes of the device's memory is decided before it takes anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.text_buffers import Offsets
from gpucurate.device.cuda.engine import Limits

FIXED = 1 << 20  # bytes a batch takes whatever its size: the character table, the hash family, rounding of allocations


class Batch(NamedTuple):
    """Items `first` to `last` (exclusive).  One that does not fit is a single item beyond the bound, for the CPU."""

    first: int
    last: int
    fits: bool


def batches(costs: NDArray[np.int64], most: int) -> Iterator[Batch]:
    """Cut items into runs of at most `most`; `costs` [items + 1] is the running sum of their costs, from any start."""
    items, first = costs.shape[0] - 1, 0
    while first < items:
        last = int(np.searchsorted(costs, costs[first] + most, side="right")) - 1
        yield Batch(first, max(last, first + 1), last > first)
        first = max(last, first + 1)


def text_batches(offsets: Offsets, per_byte: int, per_document: int, limits: Limits) -> Iterator[Batch]:
    """Cut documents into batches of at most `limits.memory` bytes of device memory and `limits.text` bytes of text.

    `offsets` is int64 [documents + 1].  A byte of text is taken to cost `per_byte` bytes of device memory, a document
    `per_document` more.
    """
    documents = offsets.shape[0] - 1
    costs = (offsets - offsets[0]) * per_byte + np.arange(documents + 1, dtype=np.int64) * per_document
    for batch in batches(costs, limits.memory - FIXED):
        if not batch.fits:
            yield batch
            continue
        for part in batches(offsets[batch.first : batch.last + 1], limits.text):
            yield Batch(batch.first + part.first, batch.first + part.last, part.fits)
