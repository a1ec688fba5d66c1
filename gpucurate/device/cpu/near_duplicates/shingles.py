"""Hashes of shingles, k words in a row: a polynomial over the word hashes, rolled from one to the next, then mixed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import inlined, kernel
from gpucurate.device.cpu.near_duplicates.hashing import mix

BASE = np.uint64(0x9FB21C651E98DF25)  # odd, bits well spread: the multiplier of the mixer rrmxmx (Evensen 2018)


@inlined
def one_shingle(words: NDArray[np.uint64], k: int) -> np.uint64:
    """The polynomial of words[:k], not yet mixed."""
    value = np.uint64(0)
    for i in range(k):
        value = value * BASE + words[i]
    return value


@kernel
def shingle_hashes(words: NDArray[np.uint64], n: int, k: int, out: NDArray[np.generic]) -> int:
    """Put the hashes of the n - k + 1 shingles of words[:n], n >= k, into `out`: uint64, or uint32 for low halves."""
    leaves = np.uint64(1)  # weight of the word that a step leaves behind
    for _ in range(k):
        leaves *= BASE
    value = one_shingle(words, k)
    out[0] = mix(value)
    for i in range(n - k):
        value = value * BASE + words[i + k] - words[i] * leaves
        out[i + 1] = mix(value)
    return n - k + 1
