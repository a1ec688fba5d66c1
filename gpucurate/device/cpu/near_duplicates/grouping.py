"""Pairs of rows with equal keys, in linear time: partitions by the key's highest bits, in each a hash table.

Most keys occur once, and a sieve stops most of those before the table.  A partition fits into a core's cache unless
keys are skewed, and then it is only slower: nothing here grows faster than the rows, but for sorting one large bucket.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import inlined, kernel
from gpucurate.device.cpu.near_duplicates.bucket_order import order_bucket

ROWS_A_PARTITION = 1 << 15  # keys and rows take 0.5 MB; from 2^13 to 2^17 time differs by 15 %
MOST_PARTITION_BITS = 11  # with more partitions at once scattering itself misses the cache
SIEVE_BITS = 2  # 2^2 holes a row: of the keys that occur once, a fifth goes through beside another
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
def scatter(keys: NDArray[np.uint64], bits: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint64]]:
    """Bounds [partitions + 1], and by partition the row numbers [rows], ascending in each, and their keys [rows]."""
    bounds = np.zeros((1 << bits) + 1, np.int64)
    for key in keys:
        bounds[partition_of(key, bits) + 1] += 1
    bounds[:] = np.cumsum(bounds)
    ends = bounds[:-1].copy()
    rows = np.empty(len(keys), np.int64)
    partitioned = np.empty(len(keys), np.uint64)
    for row in range(len(keys)):
        partition = partition_of(keys[row], bits)
        rows[ends[partition]] = row
        partitioned[ends[partition]] = keys[row]
        ends[partition] += 1
    return bounds, rows, partitioned


@inlined
def partition_of(key: np.uint64, bits: int) -> int:
    """The key's highest bits."""
    return int(np.int64(key >> np.uint64(1) >> np.uint64(WORD_BITS - 1 - bits)))  # shifting by 64 is undefined


@kernel
def group_partition(
    rows: NDArray[np.int64],
    keys: NDArray[np.uint64],
    first: NDArray[np.uint64],
    second: NDArray[np.uint64],
    all_pairs: int,
) -> NDArray[np.int64]:
    """Pairs [pairs, 2] of a partition's `rows`, of which `keys` are the keys, in the order that `Backend.group` states.

    `first` and `second` are those of all partitions.
    """
    passed = sieve(keys)
    buckets, sizes, bucket_keys = find_buckets(keys[passed])
    repeated = np.flatnonzero(sizes > 1)
    repeated = repeated[np.argsort(bucket_keys[repeated])]
    ends = np.full(len(sizes), -1, np.int64)  # -1: a key that occurs once
    total = pairs = 0
    for bucket in repeated:
        ends[bucket] = total
        total += sizes[bucket]
        pairs += pairs_of(sizes[bucket], all_pairs)
    gathered = np.empty(total, np.int64)
    for i in range(len(passed)):
        end = ends[buckets[i]]
        if end >= 0:
            gathered[end] = rows[passed[i]]
            ends[buckets[i]] += 1
    out = np.empty((pairs, 2), np.int64)
    n = stop = 0
    for bucket in repeated:
        start, stop = stop, stop + sizes[bucket]
        members = gathered[start:stop]
        order_bucket(members, first, second)
        heads = len(members) - 1 if len(members) <= all_pairs else 1
        for i in range(heads):
            for j in range(i + 1, len(members)):
                out[n, 0], out[n, 1] = members[i], members[j]
                n += 1
    return out


@inlined
def pairs_of(size: int, all_pairs: int) -> int:
    """How many pairs a bucket gives."""
    return size * (size - 1) // 2 if size <= all_pairs else size - 1


@kernel
def sieve(keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Places of all keys that occur more than once, and of a few others: those that share a hole."""
    bits = table_bits(len(keys) << SIEVE_BITS)
    shift = np.uint64(WORD_BITS - bits)
    holes = np.zeros(1 << bits, np.uint8)
    for key in keys:
        hole = np.int64((key * SPREAD) >> shift)
        holes[hole] = min(holes[hole] + 1, 2)
    passed = np.empty(len(keys), np.int64)
    n = 0
    for i in range(len(keys)):
        passed[n] = i
        n += holes[np.int64((keys[i] * SPREAD) >> shift)] == 2
    return passed[:n]


@inlined
def table_bits(entries: int) -> int:
    """Bits of a slot's number, so that there are at least as many slots as entries, and two."""
    bits = 1
    while 1 << bits < entries:
        bits += 1
    return bits


@kernel
def find_buckets(
    keys: NDArray[np.uint64],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint64]]:
    """Number of each key's bucket, in order of appearance; size and key of each bucket."""
    bits = table_bits(2 * len(keys))  # half empty: open addressing, linear probing
    shift, mask = np.uint64(WORD_BITS - bits), (1 << bits) - 1
    table = np.full(1 << bits, -1, np.int64)
    buckets = np.empty(len(keys), np.int64)
    sizes = np.zeros(len(keys), np.int64)
    bucket_keys = np.empty(len(keys), np.uint64)
    n = 0
    for i in range(len(keys)):
        slot = np.int64((keys[i] * SPREAD) >> shift)
        while table[slot] >= 0 and bucket_keys[table[slot]] != keys[i]:
            slot = (slot + 1) & mask
        if table[slot] < 0:
            table[slot] = n
            bucket_keys[n] = keys[i]
            n += 1
        buckets[i] = table[slot]
        sizes[table[slot]] += 1
    return buckets, sizes[:n], bucket_keys[:n]
