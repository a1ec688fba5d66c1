"""Sampled windows of words: winnowing (Schleimer, Wilkerson and Aiken 2003) over rolling hashes.

Text goes through in pieces of PIECE words that overlap by what a window's neighbours need, so that memory beside the
result does not depend on the length of a document.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import kernel
from gpucurate.core.text_buffers import Bytes, Offsets, Scalar, TextBuffers, pack_texts, read_only
from gpucurate.device.backend import Windows
from gpucurate.device.cpu.near_duplicates.shingles import shingle_hashes
from gpucurate.device.cpu.near_duplicates.words import MOST_A_STEP, word_hashes
from gpucurate.device.shingle_characters import shingle_characters

PIECE = 4096  # words at a time, beside those that overlap
BYTES_A_WORD = 6  # of English: the first guess at the size of the result, which grows as needed


def sampled_windows(texts: TextBuffers, window: int, span: int) -> Windows:
    """See `gpucurate.device.backend.Backend.sampled_windows`.  Memory: at most about 2.5 times the result.

    Raises ValueError if a window or a span is empty.
    """
    if window < 1 or span < 1:
        raise ValueError(f"windows of {window} words, one of {span}")
    room = PIECE + window + 2 * span + MOST_A_STEP
    return Windows(*sample(read_only(texts.data), read_only(texts.offsets), shingle_characters(), window, span, room))


def prepare() -> None:
    """Compile the kernels, or load them from the cache."""
    sampled_windows(pack_texts(["to be or not to be"]), 2, 2)


@kernel
def sample(
    data: Bytes, offsets: Offsets, table: NDArray[np.uint32], k: int, span: int, room: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint64]]:
    """Offsets [documents + 1], positions and hashes; `room`: words of the buffer, more than k + 2 * span."""
    documents = len(offsets) - 1
    bounds = np.zeros(documents + 1, np.int64)
    words = np.empty(room, np.uint64)
    hashes = np.empty(room, np.uint64)
    guess = 2 * (offsets[documents] - offsets[0]) // (BYTES_A_WORD * (span + 1)) + room
    positions, chosen = np.empty(guess, np.int64), np.empty(guess, np.uint64)
    n = 0
    for d in range(documents):
        at, end = offsets[d], offsets[d + 1]
        first = settled = carried = 0  # number of words[0], windows decided, words in the buffer
        while at < end:
            count, at = word_hashes(data, at, end, table, words, carried)
            carried = count
            if count < k:
                continue
            windows = shingle_hashes(words, count, k, hashes)
            until = windows if at >= end else windows - (span - 1)  # the last ones' neighbours are not yet here
            if n + windows > len(positions):
                positions, chosen = longer(positions, n, n + windows), longer(chosen, n, n + windows)
            for i in range(settled - first, until):
                if least_of_a_span(hashes, i, windows, span):
                    positions[n] = first + i
                    chosen[n] = hashes[i]
                    n += 1
            settled = max(settled, first + until)
            drop = max(settled - (span - 1) - first, 0)  # whose windows no undecided one is a neighbour of
            carried = count - drop
            words[:carried] = words[drop:count]  # to the left: safe where the two overlap
            first += drop
        bounds[d + 1] = n
    return bounds, positions[:n].copy(), chosen[:n].copy()


@kernel
def least_of_a_span(hashes: NDArray[np.uint64], i: int, windows: int, span: int) -> bool:
    """Whether some `span` consecutive ones of hashes[:windows] have their first least one at i."""
    reach = 1
    j = i - 1
    while reach < span and j >= 0 and hashes[j] > hashes[i]:
        reach += 1
        j -= 1
    j = i + 1
    while reach < span and j < windows and hashes[j] >= hashes[i]:
        reach += 1
        j += 1
    return reach >= span


@kernel
def longer(array: NDArray[Scalar], used: int, size: int) -> NDArray[Scalar]:
    """A longer copy of an array's first elements, with room for `size` and half as many more."""
    copy = np.empty(size + size // 2, array.dtype)
    copy[:used] = array[:used]
    return copy
