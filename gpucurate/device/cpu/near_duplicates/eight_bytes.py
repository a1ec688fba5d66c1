"""Eight bytes of text in one 64-bit word, the first byte lowest: what lets plain ASCII go eight characters a step."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from gpucurate.core.compiled import inlined
from gpucurate.core.text_buffers import Bytes

HIGH = np.uint64(0x8080808080808080)
CASE = np.uint64(0x2020202020202020)  # the bit that lower-cases an ASCII letter and leaves a digit alone
# A byte plus one of these carries into its high bit when it is at least "a", beyond "z", at least "0", beyond "9".
FROM_A, BEYOND_Z = np.uint64(0x1F1F1F1F1F1F1F1F), np.uint64(0x0505050505050505)
FROM_0, BEYOND_9 = np.uint64(0x5050505050505050), np.uint64(0x4646464646464646)

ZERO, ONE = np.uint64(0), np.uint64(1)
ALL_BUT_HIGH = np.uint64(0x7F7F7F7F7F7F7F7F)


def _count_trailing_zeros(typing: Any, bits: Any) -> tuple[Any, Any]:
    """LLVM's own operation, defined for 0, which Numba does not offer."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(types.boolean, False))

    return types.int64(types.uint64), build


trailing_zeros: Any = intrinsic(_count_trailing_zeros)  # of a uint64, as int64; 64 for 0


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
def bits_before(marks: np.uint64) -> int:
    """Bits of the bytes before the first one with its high bit set, 64 if none has; no other bits are set."""
    return int(trailing_zeros(marks) & 0x78)


@inlined
def bytes_to_next_run(marks: np.uint64) -> int:
    """Where the first run of marked bytes after an unmarked one begins; 8 if none does.

    With all lower bits set, one added carries through the marked bytes at the start and clears their marks.
    """
    return int(trailing_zeros(marks & ((marks | ALL_BUT_HIGH) + ONE)) >> 3)
