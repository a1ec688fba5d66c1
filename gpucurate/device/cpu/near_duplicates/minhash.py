"""MinHash signatures: the least value of every hash function over a document's shingles.

Text goes through in pieces of PIECE words, so that memory does not depend on the length of a document and words and
shingles stay in the nearest cache.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import kernel
from gpucurate.core.text_buffers import Bytes, Offsets
from gpucurate.device.cpu.near_duplicates.hashing import mix
from gpucurate.device.cpu.near_duplicates.shingles import one_shingle, shingle_hashes
from gpucurate.device.cpu.near_duplicates.words import MOST_A_STEP, word_hashes

PIECE = 1024  # words; from 512 to 8,192 speed differs by less than 3 %
NO_SHINGLE = np.uint32(0xFFFFFFFF)


@kernel
def sign(
    data: Bytes,
    offsets: Offsets,
    table: NDArray[np.uint32],
    k: int,
    a: NDArray[np.uint32],
    b: NDArray[np.uint32],
    rows: NDArray[np.uint32],
    shingles: NDArray[np.int64],
) -> None:
    """Fill `rows` [documents, hashes] and `shingles` [documents]."""
    words = np.empty(PIECE + k + MOST_A_STEP, np.uint64)
    some = np.empty(len(words), np.uint32)
    for d in range(len(offsets) - 1):
        row = rows[d]
        row[:] = NO_SHINGLE
        total = carried = 0
        at, end = offsets[d], offsets[d + 1]
        while at < end:
            n, at = word_hashes(data, at, end, table, words, carried)
            carried = n
            if n >= k:
                count = shingle_hashes(words, n, k, some)
                lower(some, count, a, b, row)
                total += count
                carried = k - 1
                words[:carried] = words[n - carried : n]  # to the left: safe where the two overlap
        if total == 0 and carried:
            some[0] = mix(one_shingle(words, carried))
            lower(some, 1, a, b, row)
            total = 1
        shingles[d] = total


@kernel
def lower(x: NDArray[np.uint32], n: int, a: NDArray[np.uint32], b: NDArray[np.uint32], row: NDArray[np.uint32]) -> None:
    """row = min(row, a * x + b mod 2^32) over x[:n]; eight x at a time, as many as leave a, b and row in registers."""
    i = 0
    while i + 8 <= n:
        x0, x1, x2, x3 = x[i], x[i + 1], x[i + 2], x[i + 3]
        x4, x5, x6, x7 = x[i + 4], x[i + 5], x[i + 6], x[i + 7]
        for j in range(len(row)):
            p, q = a[j], b[j]
            least_01 = min(np.uint32(p * x0 + q), np.uint32(p * x1 + q))
            least_23 = min(np.uint32(p * x2 + q), np.uint32(p * x3 + q))
            least_45 = min(np.uint32(p * x4 + q), np.uint32(p * x5 + q))
            least_67 = min(np.uint32(p * x6 + q), np.uint32(p * x7 + q))
            row[j] = min(row[j], min(min(least_01, least_23), min(least_45, least_67)))
        i += 8
    while i < n:
        for j in range(len(row)):
            row[j] = min(row[j], np.uint32(a[j] * x[i] + b[j]))
        i += 1
