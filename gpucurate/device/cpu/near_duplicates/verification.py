"""How many shingle hashes two documents have in common, counted exactly."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import kernel
from gpucurate.core.text_buffers import Offsets

MUCH_LONGER = 8  # from this ratio of sizes on, searching in the longer set beats walking through it (measured: 6)


@kernel
def count_shared(
    pairs: NDArray[np.int64], offsets: Offsets, hashes: NDArray[np.uint64], shared: NDArray[np.int64]
) -> None:
    """Fill shared [pairs] from the sorted sets `hashes[offsets[d]:offsets[d + 1]]`."""
    for p in range(len(pairs)):
        a, b = pairs[p, 0], pairs[p, 1]
        one = hashes[offsets[a] : offsets[a + 1]]
        other = hashes[offsets[b] : offsets[b + 1]]
        if len(one) > len(other):
            one, other = other, one
        if len(other) >= MUCH_LONGER * len(one):
            shared[p] = search(one, other)
        else:
            shared[p] = merge(one, other)


@kernel
def merge(a: NDArray[np.uint64], b: NDArray[np.uint64]) -> int:
    """Walk through both; without branches on the hashes, which nothing could predict."""
    i = j = both = 0
    while i < len(a) and j < len(b):
        x, y = a[i], b[j]
        both += x == y
        i += x <= y
        j += y <= x
    return both


@kernel
def search(short: NDArray[np.uint64], long: NDArray[np.uint64]) -> int:
    """Look every hash of the short set up in the long one: strides that double from the last place, then bisection."""
    both = low = 0
    for hash_ in short:
        stride = 1
        while low + stride < len(long) and long[low + stride] < hash_:
            low += stride
            stride *= 2
        high = min(low + stride, len(long))
        while low < high:  # the first place that is not less lies in [low, high]
            middle = (low + high) // 2
            if long[middle] < hash_:
                low = middle + 1
            else:
                high = middle
        if low == len(long):
            break
        both += long[low] == hash_
    return both
