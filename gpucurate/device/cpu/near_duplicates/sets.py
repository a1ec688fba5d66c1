"""The set of a document's shingle hashes: 64 bits each, sorted, once each.

Hashes are spread evenly, so one pass into as many buckets as there are hashes, by their highest bits, all but sorts
them; the buckets, of one hash on average, are then sorted one by one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import kernel
from gpucurate.core.text_buffers import Bytes, Offsets
from gpucurate.device.cpu.near_duplicates.hashing import mix
from gpucurate.device.cpu.near_duplicates.shingles import one_shingle, shingle_hashes
from gpucurate.device.cpu.near_duplicates.words import MOST_A_STEP, word_hashes

PIECE = 4096  # words at a time
BYTES_A_SHINGLE = 5  # of English: the first guess at the size of the result, which grows as needed
BY_HAND = 32  # hashes in a bucket that are sorted by insertion; more are the work of repeated shingles or of malice
WORD_BITS = 64


@kernel
def collect(
    data: Bytes, offsets: Offsets, table: NDArray[np.uint32], k: int
) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Offsets [documents + 1] and hashes of all documents' sets, one after another."""
    documents = len(offsets) - 1
    bounds = np.zeros(documents + 1, np.int64)
    words = np.empty(PIECE + k + MOST_A_STEP, np.uint64)
    out = np.empty((offsets[documents] - offsets[0]) // BYTES_A_SHINGLE + len(words), np.uint64)
    spare = np.empty(len(words), np.uint64)
    starts = np.empty(len(words), np.int64)
    for d in range(documents):
        first = n = bounds[d]
        carried = 0
        at, end = offsets[d], offsets[d + 1]
        while at < end:
            count, at = word_hashes(data, at, end, table, words, carried)
            carried = count
            if count >= k:
                out = with_room(out, n, n + count)
                n += shingle_hashes(words, count, k, out[n:])
                carried = k - 1
                words[:carried] = words[count - carried : count]
        if n == first and carried:
            out = with_room(out, n, n + 1)
            out[n] = mix(one_shingle(words, carried))
            n += 1
        spare = with_room(spare, 0, n - first)
        if len(starts) < 2 * (n - first):
            starts = np.empty(3 * (n - first), np.int64)
        bounds[d + 1] = first + sort_distinct(out[first:n], spare, starts)
    return bounds, out[: bounds[documents]].copy()


@kernel
def with_room(array: NDArray[np.uint64], used: int, size: int) -> NDArray[np.uint64]:
    """The array, or a longer copy of its first `used` hashes if it is shorter than `size`."""
    if len(array) >= size:
        return array
    longer = np.empty(size + size // 2, np.uint64)
    longer[:used] = array[:used]
    return longer


@kernel
def sort_distinct(hashes: NDArray[np.uint64], spare: NDArray[np.uint64], starts: NDArray[np.int64]) -> int:
    """Sort `hashes`, each once, to the front; return how many.  Overwrites `spare`, as long, and `starts`, twice so."""
    n = len(hashes)
    bits = 1
    while 1 << bits < n:
        bits += 1
    shift = np.uint64(WORD_BITS - bits)
    ends = starts[: 1 << bits]
    ends[:] = 0
    for i in range(n):
        ends[hashes[i] >> shift] += 1
    total = 0
    for bucket in range(len(ends)):
        count = ends[bucket]
        ends[bucket] = total
        total += count
    for i in range(n):  # a bucket's start moves to its end as it fills
        bucket = hashes[i] >> shift
        spare[ends[bucket]] = hashes[i]
        ends[bucket] += 1
    kept = start = 0
    for bucket in range(len(ends)):
        stop = ends[bucket]
        if stop - start > BY_HAND:
            spare[start:stop].sort()
        else:
            for i in range(start + 1, stop):
                hash_ = spare[i]
                j = i
                while j > start and spare[j - 1] > hash_:
                    spare[j] = spare[j - 1]
                    j -= 1
                spare[j] = hash_
        for i in range(start, stop):
            if kept == 0 or spare[i] != hashes[kept - 1]:
                hashes[kept] = spare[i]
                kept += 1
        start = stop
    return kept
