"""Cutting items of any length into tasks of bounded length, so that one long document does not hold a device up."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gpucurate.device.cuda.engine import DeviceArray

PER_TASK = 48  # bytes of device memory that a task takes while they are cut


class Tasks(NamedTuple):
    """Task t is the part of item `owners[t]` from `starts[t]` on, int64 [total] each."""

    owners: DeviceArray
    starts: DeviceArray
    total: int


def cut(xp: Any, lengths: DeviceArray, most: int) -> Tasks:
    """Tasks of at most `most` over items of `lengths` (int64); an item of length 0 has none."""
    if lengths.size == 0:
        return Tasks(lengths, lengths, 0)
    each = (lengths + (most - 1)) // most
    ends = xp.cumsum(each)
    total = int(ends[-1])
    numbers = xp.arange(total, dtype=np.int64)
    owners = xp.searchsorted(ends, numbers, side="right")
    return Tasks(owners, (numbers - (ends - each)[owners]) * most, total)
