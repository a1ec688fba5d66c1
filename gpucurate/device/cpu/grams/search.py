"""One pass over the words of every document for grams of all lengths at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import kernel
from gpucurate.core.text_buffers import Bytes, Offsets
from gpucurate.device.cpu.near_duplicates.hashing import mix
from gpucurate.device.cpu.near_duplicates.shingles import BASE, one_shingle
from gpucurate.device.cpu.near_duplicates.words import MOST_A_STEP, word_hashes

PIECE = 1024  # words at a time: they stay in the nearest cache
ROOM = 1024  # hits at first; grows as needed
WORD_BITS = np.uint64(6)  # of a place in the sieve: which bit of a word of 64
BIT = np.uint64(63)
ZERO, ONE = np.uint64(0), np.uint64(1)

Found = NDArray[np.int64]  # [room, 3]: document, word, gram


@kernel
def search(
    data: Bytes,
    offsets: Offsets,
    characters: NDArray[np.uint32],
    lengths: NDArray[np.int64],
    bounds: NDArray[np.int64],
    hashes: NDArray[np.uint64],
    sieve: NDArray[np.uint64],
) -> tuple[Found, int]:
    """The hits of all documents, those of a document piece by piece and length by length; how many there are."""
    longest = lengths[-1]
    found = np.empty((ROOM, 3), np.int64)
    hits = 0
    words = np.empty(PIECE + longest + MOST_A_STEP, np.uint64)
    passed = np.empty(len(words), np.int64)
    values = np.empty(len(words), np.uint64)
    for d in range(len(offsets) - 1):
        first = 0  # number of the word in words[0]
        carried = 0
        at, end = offsets[d], offsets[d + 1]
        while at < end:
            count, at = word_hashes(data, at, end, characters, words, carried)
            for t in range(len(lengths)):
                begin = max(0, carried - lengths[t] + 1)  # the first gram that ends in a new word
                if count - begin < lengths[t]:
                    continue
                some = sift(words[begin:count], lengths[t], sieve, passed, values)
                if hits + some > len(found):
                    found = with_room(found, hits, hits + some)
                grams = hashes[bounds[t] : bounds[t + 1]]
                for k in range(some):
                    gram = mix(values[k])
                    place = gram & np.uint64(len(sieve) * 64 - 1)
                    if sieve[place >> WORD_BITS] >> (place & BIT) & ONE == ZERO:
                        continue
                    low = np.searchsorted(grams, gram)
                    if low < len(grams) and grams[low] == gram:
                        found[hits, 0] = d
                        found[hits, 1] = first + begin + passed[k]
                        found[hits, 2] = bounds[t] + low
                        hits += 1
            keep = min(count, longest - 1)
            first += count - keep
            words[:keep] = words[count - keep : count]
            carried = keep
    return found, hits


@kernel
def sift(
    words: NDArray[np.uint64],
    n: int,
    sieve: NDArray[np.uint64],
    passed: NDArray[np.int64],
    values: NDArray[np.uint64],
) -> int:
    """Places and polynomials of the grams of n words, at most len(words), that the sieve lets pass; how many.

    Without a branch on the sieve, which would be guessed wrong too often: 1.4 times as fast with three lengths.
    """
    mask = np.uint64(len(sieve) * 64 - 1)
    leaves = ONE  # weight of the word that a step leaves behind
    for _ in range(n):
        leaves *= BASE
    value = one_shingle(words, n)
    last = len(words) - n
    some = 0
    for i in range(last + 1):
        place = value & mask
        passed[some] = i
        values[some] = value
        some += int(sieve[place >> WORD_BITS] >> (place & BIT) & ONE)
        if i < last:
            value = value * BASE + words[i + n] - words[i] * leaves
    return some


@kernel
def with_room(found: Found, used: int, size: int) -> Found:
    """A copy of the first `used` hits with room for `size` and half as many again."""
    longer = np.empty((size + size // 2, 3), np.int64)
    longer[:used] = found[:used]
    return longer
