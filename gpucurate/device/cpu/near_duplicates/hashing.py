"""The 64-bit mixing that words, shingles and buckets share.

Not for identities: those are BLAKE3.  Two different shingles of two documents get one hash with probability 2^-64.
"""

from __future__ import annotations

import numpy as np

from gpucurate.core.compiled import inlined

WORD_SEED = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio
FOLD_MULTIPLIER = np.uint64(0xD6E8FEB86659FD93)  # with the shift by 32, one round of the mixer degski64
FINAL_1 = np.uint64(0xFF51AFD7ED558CCD)  # the finaliser of MurmurHash3, public domain
FINAL_2 = np.uint64(0xC4CEB9FE1A85EC53)
FINAL_SHIFT = np.uint64(33)
FOLD_SHIFT = np.uint64(32)


@inlined
def mix(value: np.uint64) -> np.uint64:
    """Spread every input bit over the whole word; a permutation."""
    value ^= value >> FINAL_SHIFT
    value *= FINAL_1
    value ^= value >> FINAL_SHIFT
    value *= FINAL_2
    return value ^ (value >> FINAL_SHIFT)


@inlined
def fold(value: np.uint64, more: np.uint64) -> np.uint64:
    """One step of a sequence hash: order matters."""
    value = (value ^ more) * FOLD_MULTIPLIER
    return value ^ (value >> FOLD_SHIFT)
