"""Equal keys to pairs on the device, by sorting.

Most keys occur once, so the keys alone are sorted first and only rows that share theirs are sorted in full.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpucurate.device.backend import Pairs
from gpucurate.device.cuda.engine import DeviceArray, Engine, sorted_order, zero_first

PER_ROW = 112  # device bytes a row: sorting, where no key occurs once
PER_PAIR = 72  # device bytes a pair on its way out


def fits(engine: Engine, rows: int) -> bool:
    """Whether the device can hold so many rows; a quarter of its memory is left for the pairs."""
    return rows * PER_ROW <= engine.limits.memory // 4 * 3


def group(
    engine: Engine,
    keys: NDArray[np.uint64],
    first: NDArray[np.uint64],
    second: NDArray[np.uint64],
    all_pairs: int,
) -> Pairs:
    """See `gpucurate.device.backend.Backend.group`."""
    xp = engine.xp
    rows, buckets = _repeated(engine, keys)
    if rows.shape[0] == 0:
        return np.zeros((0, 2), np.int64)
    host_rows = engine.download(rows)
    seconds, firsts = engine.upload(second[host_rows]), engine.upload(first[host_rows])
    order = sorted_order(xp, rows, seconds, firsts, buckets)
    rows, buckets = rows[order], buckets[order]
    del seconds, firsts, order
    starts = zero_first(xp, xp.cumsum(_seconds(xp, buckets, all_pairs)))
    return _emit(engine, rows, starts)


def _repeated(engine: Engine, keys: NDArray[np.uint64]) -> tuple[DeviceArray, DeviceArray]:
    """Rows whose key occurs more than once, int64, and their keys, in the order of keys."""
    xp = engine.xp
    if keys.shape[0] < 2:
        return xp.zeros(0, np.int64), xp.zeros(0, np.uint64)
    uploaded = engine.upload(keys)
    rows = xp.argsort(uploaded, kind="stable")
    ordered = uploaded[rows]
    del uploaded
    equal = ordered[1:] == ordered[:-1]
    repeated = xp.zeros(ordered.shape[0], np.bool_)
    repeated[1:] = equal
    repeated[:-1] |= equal
    return rows[repeated], ordered[repeated]


def _seconds(xp: Any, buckets: DeviceArray, all_pairs: int) -> DeviceArray:
    """int64 [rows]: of how many pairs each row is the first.  The seconds of a row are the rows that follow it."""
    count = buckets.shape[0]
    new = xp.ones(count, np.bool_)
    new[1:] = buckets[1:] != buckets[:-1]
    heads = xp.flatnonzero(new)
    ends = xp.concatenate((heads[1:], xp.full(1, count, np.int64)))
    bucket = xp.cumsum(new, dtype=np.int64) - 1
    follow = ends[bucket] - 1 - xp.arange(count, dtype=np.int64)
    everyone = (ends - heads)[bucket] <= all_pairs
    return xp.where(new | everyone, follow, 0)


def _emit(engine: Engine, rows: DeviceArray, starts: DeviceArray) -> Pairs:
    """Pair q belongs to the row i with starts[i] <= q < starts[i + 1], and its second is row i + 1 + q - starts[i]."""
    xp = engine.xp
    total = int(starts[-1])
    pairs = np.empty((total, 2), np.int64)
    step = max(1, engine.limits.memory // 4 // PER_PAIR)
    for begin in range(0, total, step):
        end = min(total, begin + step)
        numbers = xp.arange(begin, end, dtype=np.int64)
        first = xp.searchsorted(starts, numbers, side="right") - 1
        second = first + 1 + numbers - starts[first]
        pairs[begin:end] = engine.download(xp.stack((rows[first], rows[second]), axis=1))
    return pairs
