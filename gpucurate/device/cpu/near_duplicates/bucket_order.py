"""The order of a bucket's rows: by `first`, then `second`, then row number."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import inlined, kernel

BY_HAND = 24  # members that insertion sorts faster than a merge sort does


@kernel
def order_bucket(members: NDArray[np.int64], first: NDArray[np.uint64], second: NDArray[np.uint64]) -> None:
    """Sort `members`, ascending row numbers, in place."""
    if len(members) <= BY_HAND:
        for i in range(1, len(members)):
            row = members[i]
            j = i
            while j > 0 and before(row, members[j - 1], first, second):
                members[j] = members[j - 1]
                j -= 1
            members[j] = row
        return
    members[:] = members[np.argsort(first[members], kind="mergesort")]  # stable, as is the next
    start = 0
    for i in range(1, len(members) + 1):
        if i == len(members) or first[members[i]] != first[members[start]]:
            if i - start > 1:
                tied = members[start:i]
                tied[:] = tied[np.argsort(second[tied], kind="mergesort")]
            start = i


@inlined
def before(a: int, b: int, first: NDArray[np.uint64], second: NDArray[np.uint64]) -> bool:
    """Row a comes strictly before row b, of which a has the greater number."""
    if first[a] != first[b]:
        return bool(first[a] < first[b])
    return bool(second[a] < second[b])
