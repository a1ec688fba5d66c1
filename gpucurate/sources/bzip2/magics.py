"""Finding where blocks and streams begin and end: two 48-bit magic numbers, at any bit of a file.

A magic may also stand inside a block by chance (once in 2^48 bits) or malice; whoever decodes must tell.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import kernel
from gpucurate.core.text_buffers import Bytes

BLOCK = 0x314159265359  # pi in BCD
STREAM_END = 0x177245385090  # its square root
MAGIC_BITS = 48


def _shifts_by_byte() -> Bytes:
    """For each value of a byte: the bit shifts r (as bits of a mask) at which it can be a magic's second byte.

    A magic that begins r bits into a byte fills the next byte whole, whatever r is.
    """
    shifts = np.zeros(256, np.uint8)
    for magic in (BLOCK, STREAM_END):
        for r in range(8):
            shifts[magic >> (MAGIC_BITS - 16 + r) & 0xFF] |= np.uint8(1 << r)
    return shifts


SHIFTS = _shifts_by_byte()


def find_magics(data: Bytes) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Bit offsets into `data` (uint8) of all whole magics, ascending, and which of them end a stream."""
    found = np.empty(64, np.int64)
    while (count := _find(data, SHIFTS, found)) > len(found):
        found = np.empty(count, np.int64)
    return found[:count] >> 1, (found[:count] & 1).astype(np.bool_)


@kernel
def _find(data: Bytes, shifts: Bytes, found: NDArray[np.int64]) -> int:
    """Writes 2 * bit offset, + 1 for stream ends, as far as there is room; returns how many there are."""
    count = 0
    mask = np.uint64(0xFFFFFFFFFFFF)
    for i in range(1, len(data) - 4):
        allowed = shifts[data[i]]
        if allowed == 0:
            continue
        window = np.uint64(0)  # seven bytes from the one before
        for k in range(i - 1, i + 6):
            window = (window << np.uint64(8)) | np.uint64(data[k] if k < len(data) else 0)
        for r in range(8):
            start = 8 * (i - 1) + r
            if allowed >> r & 1 == 0 or start + MAGIC_BITS > 8 * len(data):
                continue
            value = (window >> np.uint64(8 - r)) & mask
            if value == np.uint64(BLOCK) or value == np.uint64(STREAM_END):
                if count < len(found):
                    found[count] = 2 * start + (value == np.uint64(STREAM_END))
                count += 1
    return count
