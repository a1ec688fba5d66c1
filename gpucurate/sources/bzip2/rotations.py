"""The second half of a block: from the last column of the sorted rotations back to text, and its checksum.

Undoing the sort follows one chain of rows through 3.6 MB, each step waiting for the memory of the step before.  But
the rows form a cycle, so the chain can be entered anywhere: many segments are followed side by side, each up to where
the next begins, and put in order afterwards.  The waiting overlaps, four times as fast as one chain.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import kernel
from gpucurate.core.text_buffers import Bytes

SEGMENTS = 512  # entries into the chain besides its own beginning; the longest segment ends last and alone
LANES = 8  # segments followed at a time: what one core can have waiting for the outer caches
START_FOLLOWS = 1 << 31  # mark on a row: the next row begins a segment.  A row is mark 1, 3 unused, next 20, byte 8
POLYNOMIAL = 0x04C11DB7  # CRC-32, most significant bit first
RUN = 4  # equal bytes after which a count of further ones stands


def _crc_tables() -> NDArray[np.uint32]:
    """tables[k, byte]: CRC of `byte` followed by k zero bytes."""
    tables = np.zeros((8, 256), np.uint32)
    for byte in range(256):
        crc = byte << 24
        for _ in range(8):
            crc = (crc << 1 ^ (POLYNOMIAL if crc >> 31 else 0)) & 0xFFFFFFFF
        tables[0, byte] = crc
    for k in range(1, 8):
        tables[k] = (tables[k - 1] << 8) ^ tables[0, tables[k - 1] >> 24]
    return tables


CRC_TABLES = _crc_tables()


@kernel
def link_rows(column: NDArray[np.uint32], counts: NDArray[np.int64], length: int, origin: int) -> None:
    """Complete the rows of `column`: beside each byte the row whose byte comes next in the text, and the marks.

    Segments begin at `origin` and at every multiple of length // SEGMENTS + 1.
    """
    place = np.empty(256, np.int64)
    total = np.int64(0)
    for value in range(256):
        place[value] = total
        total += counts[value]
    every = length // SEGMENTS + 1
    start = 0
    for row in range(length):
        value = column[row] & np.uint32(0xFF)
        link = np.uint32(row) << np.uint32(8)
        if row == start or row == origin:
            link |= np.uint32(START_FOLLOWS)
            start = row - row % every + every
        column[place[value]] |= link
        place[value] += 1


@kernel
def follow_rows(
    column: NDArray[np.uint32], length: int, origin: int, lanes: NDArray[np.uint8], text: NDArray[np.uint8]
) -> None:
    """Undo the sort: linked rows to text[:length].  `lanes` (LANES x at least `length`) is scratch."""
    every = length // SEGMENTS + 1
    segments = (length + every - 1) // every + 1  # the last one begins at the origin
    first = np.empty(segments, np.int64)  # where each lies: offset into the flat lanes, and its length
    size = np.zeros(segments, np.int64)
    successor = np.empty(segments, np.int64)
    flat = lanes.reshape(-1)

    rows = np.empty(LANES, np.int64)
    at = np.empty(LANES, np.int64)
    current = np.empty(LANES, np.int64)
    active = min(LANES, segments)
    for lane in range(active):
        segment = segments - 1 - lane
        rows[lane] = origin if lane == 0 else segment * every
        at[lane] = lane * lanes.shape[1]
        current[lane] = segment
        first[segment] = at[lane]
    waiting = segments - active
    while active:
        lane = 0
        while lane < active:
            row = column[rows[lane]]
            flat[at[lane]] = row & np.uint32(0xFF)
            at[lane] += 1
            rows[lane] = np.int64(row >> np.uint32(8)) & 0xFFFFF
            if row >= np.uint32(START_FOLLOWS):
                segment = current[lane]
                size[segment] = at[lane] - first[segment]
                successor[segment] = segments - 1 if rows[lane] == origin else rows[lane] // every
                if waiting:
                    waiting -= 1
                    current[lane] = waiting
                    first[waiting] = at[lane]
                    rows[lane] = waiting * every
                else:
                    active -= 1
                    rows[lane], at[lane], current[lane] = rows[active], at[active], current[active]
            lane += 1

    # The text begins behind the origin and ends with it: the chain goes round once, more often if it repeats itself.
    segment = segments - 1
    skip = 1
    done = np.int64(0)
    while done < length:
        begin = first[segment] + skip
        count = min(size[segment] - skip, length - done)
        text[done : done + count] = flat[begin : begin + count]
        done += count
        segment = successor[segment]
        skip = 0


@kernel
def expand(text: Bytes, out: NDArray[np.uint8]) -> np.int64:
    """Undo the run-length coding that precedes the sort, as far as `out` has room; returns the whole length."""
    at = np.int64(0)
    same = 0
    last = np.int64(-1)
    for value in text:
        if same == RUN:
            stop = at + np.int64(value)
            if stop <= len(out):
                out[at:stop] = last
            at = stop
            same = 0
            last = np.int64(-1)
            continue
        if at < len(out):
            out[at] = value
        at += 1
        same = same + 1 if value == last else 1
        last = np.int64(value)
    return at


@kernel
def checksum(data: Bytes, tables: NDArray[np.uint32]) -> np.int64:
    """CRC-32 as bzip2 has it, eight bytes at a time (Kounavis and Berry, 2005: slicing)."""
    crc = np.uint32(0xFFFFFFFF)
    whole = len(data) - len(data) % 8
    for i in range(0, whole, 8):
        crc ^= (
            np.uint32(data[i]) << np.uint32(24)
            | np.uint32(data[i + 1]) << np.uint32(16)
            | np.uint32(data[i + 2]) << np.uint32(8)
            | np.uint32(data[i + 3])
        )
        crc = (
            tables[7, crc >> np.uint32(24)]
            ^ tables[6, crc >> np.uint32(16) & np.uint32(0xFF)]
            ^ tables[5, crc >> np.uint32(8) & np.uint32(0xFF)]
            ^ tables[4, crc & np.uint32(0xFF)]
            ^ tables[3, data[i + 4]]
            ^ tables[2, data[i + 5]]
            ^ tables[1, data[i + 6]]
            ^ tables[0, data[i + 7]]
        )
    for i in range(whole, len(data)):
        # Numba widens 32-bit arithmetic: the cast cuts the shift back
        crc = np.uint32(crc << np.uint32(8)) ^ tables[0, crc >> np.uint32(24) ^ np.uint32(data[i])]
    return np.int64(crc ^ np.uint32(0xFFFFFFFF))
