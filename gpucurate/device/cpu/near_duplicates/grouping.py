"""Pairs of rows with equal keys, in linear time: partitions by the key's highest bits, in each a hash table.

Most keys occur once and go no further than the table.  A partition fits into a core's cache unless keys are skewed, and
then it is only slower: nothing here grows faster than the rows, but for sorting a large bucket's own.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import kernel
from gpucurate.device.cpu.near_duplicates.bucket_order import order_bucket

ROWS_A_PARTITION = 1 << 14  # keys, rows and table take 0.5 MB; 2^12 to 2^16 differ little
MOST_PARTITION_BITS = 12  # more at once than that, and scattering itself misses the cache
SPREAD = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio: multiplicative hashing (Knuth 6.4)
WORD_BITS = 64


@kernel
def partition_bits(rows: int) -> int:
    """How many of a key's bits choose its partition."""
    bits = 0
    while bits < MOST_PARTITION_BITS and rows >> bits > ROWS_A_PARTITION:
        bits += 1
    return bits


@kernel
def scatter(keys: NDArray[np.uint64], bits: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Bounds [partitions + 1] and row numbers [rows], by partition, ascending in each."""
    shift = np.uint64(WORD_BITS - bits)
    bounds = np.zeros((1 << bits) + 1, np.int64)
    rows = np.empty(len(keys), np.int64)
    if bits == 0:  # a shift by 64 is undefined
        bounds[1] = len(keys)
        rows[:] = np.arange(len(keys))
        return bounds, rows
    for key in keys:
        bounds[np.int64(key >> shift) + 1] += 1
    bounds[:] = np.cumsum(bounds)
    at = bounds[:-1].copy()
    for row in range(len(keys)):
        partition = np.int64(keys[row] >> shift)
        rows[at[partition]] = row
        at[partition] += 1
    return bounds, rows


@kernel
def group_partition(
    rows: NDArray[np.int64],
    keys: NDArray[np.uint64],
    first: NDArray[np.uint64],
    second: NDArray[np.uint64],
    all_pairs: int,
) -> NDArray[np.int64]:
    """Pairs [pairs, 2] of a partition's rows, in the order that `Backend.group` states."""
    buckets, sizes, bucket_keys = find_buckets(rows, keys)
    repeated = np.flatnonzero(sizes > 1)
    repeated = repeated[np.argsort(bucket_keys[repeated])]
    starts = np.full(len(sizes), -1, np.int64)
    members = pairs = 0
    for bucket in repeated:
        size = sizes[bucket]
        starts[bucket] = members
        members += size
        pairs += size * (size - 1) // 2 if size <= all_pairs else size - 1
    gathered = np.empty(members, np.int64)
    for i in range(len(rows)):
        at = starts[buckets[i]]
        if at >= 0:
            gathered[at] = rows[i]
            starts[buckets[i]] += 1
    out = np.empty((pairs, 2), np.int64)
    n = stop = 0
    for bucket in repeated:
        start, stop = stop, stop + sizes[bucket]
        members_ = gathered[start:stop]
        order_bucket(members_, first, second)
        heads = len(members_) - 1 if len(members_) <= all_pairs else 1
        for i in range(heads):
            for j in range(i + 1, len(members_)):
                out[n, 0], out[n, 1] = members_[i], members_[j]
                n += 1
    return out


@kernel
def find_buckets(
    rows: NDArray[np.int64], keys: NDArray[np.uint64]
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.uint64]]:
    """Number of each row's bucket, in order of appearance; size and key of each bucket."""
    bits = 4
    while 1 << bits < 2 * len(rows):
        bits += 1
    shift, mask = np.uint64(WORD_BITS - bits), (1 << bits) - 1
    table = np.full(1 << bits, -1, np.int32)
    buckets = np.empty(len(rows), np.int32)
    sizes = np.zeros(len(rows), np.int64)
    bucket_keys = np.empty(len(rows), np.uint64)
    n = 0
    for i in range(len(rows)):
        key = keys[rows[i]]
        slot = np.int64((key * SPREAD) >> shift)
        while table[slot] >= 0 and bucket_keys[table[slot]] != key:
            slot = (slot + 1) & mask
        if table[slot] < 0:
            table[slot] = n
            bucket_keys[n] = key
            n += 1
        buckets[i] = table[slot]
        sizes[table[slot]] += 1
    return buckets, sizes[:n], bucket_keys[:n]
