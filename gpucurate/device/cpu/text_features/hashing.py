"""64-bit hashes of words and lines, and the open-addressing set they go into.

Not for identities: those are BLAKE3.  Here a collision (2^-64 a pair) makes two words of one document count as equal.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import inlined, kernel
from gpucurate.core.text_buffers import Bytes

SEED = np.uint64(0x9AE16A3B2F90404F)
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio
FINAL_1 = np.uint64(0xFF51AFD7ED558CCD)  # the finaliser of MurmurHash3, public domain
FINAL_2 = np.uint64(0xC4CEB9FE1A85EC53)
SHIFT = np.uint64(33)
SHORT_SHIFT = np.uint64(29)
ONE = np.uint64(1)


@inlined
def finish(value: np.uint64) -> np.uint64:
    """Spread every input bit over the word; the result is odd, so that 0 can mean an empty slot."""
    value ^= value >> SHIFT
    value *= FINAL_1
    value ^= value >> SHIFT
    value *= FINAL_2
    return (value ^ (value >> SHIFT)) | ONE


@inlined
def fold(value: np.uint64, more: np.uint64) -> np.uint64:
    """One step of a sequence hash: order matters."""
    value = (value ^ more) * MULTIPLIER
    return value ^ (value >> SHORT_SHIFT)


@inlined
def spell(value: np.uint64, character: np.int64) -> np.uint64:
    """One step of a word's hash: no shift, for the innermost loop (FNV-1a with this multiplier)."""
    return (value ^ np.uint64(character)) * MULTIPLIER


@kernel
def hash_bytes(text: Bytes, start: int, stop: int) -> np.uint64:
    """Hash of text[start:stop], eight bytes a step."""
    value = SEED ^ np.uint64(stop - start)
    at = start
    while at + 8 <= stop:
        block = np.uint64(0)
        for k in range(8):
            block |= np.uint64(text[at + k]) << np.uint64(8 * k)
        value = fold(value, block)
        at += 8
    block = np.uint64(0)
    for k in range(stop - at):
        block |= np.uint64(text[at + k]) << np.uint64(8 * k)
    return finish(fold(value, block))


@inlined
def slot_of(key: np.uint64, keys: NDArray[np.uint64], mask: int) -> np.int64:
    """Where `key` is, or the empty slot where it belongs (linear probing; at most half of the slots are taken)."""
    slot = np.int64(key >> ONE) & mask
    while keys[slot] != 0 and keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


@inlined
def table_size(entries: int) -> int:
    """Slots for so many entries: a power of two, at least twice as many."""
    size = 16
    while size < 2 * entries:
        size *= 2
    return size
