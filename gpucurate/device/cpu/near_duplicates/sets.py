"""The sets of documents' shingle hashes: 64 bits each, sorted, once each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import kernel
from gpucurate.core.text_buffers import Bytes, Offsets
from gpucurate.device.cpu.near_duplicates.hash_sort import sort_distinct
from gpucurate.device.cpu.near_duplicates.hashing import mix
from gpucurate.device.cpu.near_duplicates.shingles import one_shingle, shingle_hashes
from gpucurate.device.cpu.near_duplicates.words import MOST_A_STEP, word_hashes

PIECE = 4096  # words at a time
BYTES_A_SHINGLE = 5  # of English: the first guess at the size of the result, which grows as needed


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
        bounds[d + 1] = first + sort_distinct(out[first:n], spare)
    return bounds, out[: bounds[documents]].copy()


@kernel
def with_room(array: NDArray[np.uint64], used: int, size: int) -> NDArray[np.uint64]:
    """The array, or a longer copy of its first `used` hashes if it is shorter than `size`."""
    if len(array) >= size:
        return array
    longer = np.empty(size + size // 2, np.uint64)
    longer[:used] = array[:used]
    return longer
