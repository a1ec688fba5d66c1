"""Eight bytes of text in one 64-bit word, the first byte lowest: what lets plain ASCII go eight characters a step."""

from __future__ import annotations

import numpy as np

from gpucurate.core.compiled import inlined
from gpucurate.core.text_buffers import Bytes

HIGH = np.uint64(0x8080808080808080)
CASE = np.uint64(0x2020202020202020)  # the bit that lower-cases an ASCII letter and leaves a digit alone
# A byte plus one of these carries into its high bit when it is at least "a", beyond "z", at least "0", beyond "9".
FROM_A, BEYOND_Z = np.uint64(0x1F1F1F1F1F1F1F1F), np.uint64(0x0505050505050505)
FROM_0, BEYOND_9 = np.uint64(0x5050505050505050), np.uint64(0x4646464646464646)

ZERO = np.uint64(0)
MARK_TO_ONE = np.uint64(7)
PLACES = np.uint64(0x0001020304050607)  # times 256^k: k in the highest byte
HIGHEST_BYTE = np.uint64(56)


@inlined
def load(text: Bytes, i: int) -> np.uint64:
    """text[i:i + 8] as one word; LLVM makes one load of it."""
    at = np.uint64(i)
    low = np.uint64(text[at]) | np.uint64(text[at + np.uint64(1)]) << np.uint64(8)
    low |= np.uint64(text[at + np.uint64(2)]) << np.uint64(16) | np.uint64(text[at + np.uint64(3)]) << np.uint64(24)
    high = np.uint64(text[at + np.uint64(4)]) << np.uint64(32) | np.uint64(text[at + np.uint64(5)]) << np.uint64(40)
    high |= np.uint64(text[at + np.uint64(6)]) << np.uint64(48) | np.uint64(text[at + np.uint64(7)]) << np.uint64(56)
    return low | high


@inlined
def alphanumeric(eight: np.uint64, lower: np.uint64) -> np.uint64:
    """The high bit of each byte that is an ASCII letter or digit; all are below 128, and lower = eight | CASE."""
    letter = (lower + FROM_A) & ~(lower + BEYOND_Z)
    digit = (eight + FROM_0) & ~(eight + BEYOND_9)
    return (letter | digit) & HIGH


@inlined
def bytes_before(marks: np.uint64) -> int:
    """How many bytes come before the first one with its high bit set; there must be one, and no other bits."""
    first = marks & (~marks + np.uint64(1))
    return int(np.int64(((first >> MARK_TO_ONE) * PLACES) >> HIGHEST_BYTE))
