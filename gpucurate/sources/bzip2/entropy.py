"""The first half of a block: Huffman codes to the last column of the sorted rotations.

The format has no standard text; the reference is bzip2's own source (decompress.c, huffman.c) and, for the order of
fields, the bit-level description in Joe Tsai's "BZIP2: Format Specification" (2016), sections 2.2 to 2.4.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import inlined, kernel
from gpucurate.core.text_buffers import Bytes

BLOCK_SYMBOLS = 900_000  # what a block of the largest level can hold
GROUP = 50  # symbols coded with one table before the next selector
MAX_CODE_BITS = 20
LOOK_BITS = 10  # codes up to this length are decoded by one table look-up
PADDING = 256  # zero bytes that must stand behind the data: a group of symbols is read without looking for its end

# Results of `read_block`, one row a block
LENGTH, END, ORIGIN, CRC = 0, 1, 2, 3
GOOD, BAD, RANDOMISED = 0, -1, -2


@inlined
def _peek(data: Bytes, bit: np.uint64) -> np.uint64:
    """At least 57 bits from bit offset `bit`, in the high end."""
    at = bit >> np.uint64(3)
    word = (
        (np.uint64(data[at]) << np.uint64(56))
        | (np.uint64(data[at + np.uint64(1)]) << np.uint64(48))
        | (np.uint64(data[at + np.uint64(2)]) << np.uint64(40))
        | (np.uint64(data[at + np.uint64(3)]) << np.uint64(32))
        | (np.uint64(data[at + np.uint64(4)]) << np.uint64(24))
        | (np.uint64(data[at + np.uint64(5)]) << np.uint64(16))
        | (np.uint64(data[at + np.uint64(6)]) << np.uint64(8))
        | np.uint64(data[at + np.uint64(7)])
    )
    return word << (bit & np.uint64(7))


@kernel
def _bits(data: Bytes, bit: int, count: int) -> np.int64:
    """`count` bits (at most 48) from bit offset `bit`."""
    return np.int64(_peek(data, np.uint64(bit)) >> np.uint64(64 - count))


@kernel
def _code_lengths(data: Bytes, bit: int, end: int, symbols: int, lengths: Bytes) -> int:
    """Reads one table's code lengths (delta coded); returns the bit after them, or BAD."""
    length = _bits(data, bit, 5)
    bit += 5
    for symbol in range(symbols):
        while True:
            if length < 1 or length > MAX_CODE_BITS or bit >= end:
                return BAD
            step = _bits(data, bit, 2)
            if step < 2:
                bit += 1
                break
            length += 1 if step == 2 else -1
            bit += 2
        lengths[symbol] = length
    return bit


@kernel
def _build_table(
    lengths: Bytes, symbols: int, look: NDArray[np.uint16], limit: NDArray[np.int64], order: NDArray[np.uint16]
) -> None:
    """Canonical decoding tables of one Huffman code.

    look[first LOOK_BITS bits] = symbol << 5 | length, 0 for longer codes.  For those, a code of n bits is less than
    limit[0, n] and its symbol is order[code + limit[1, n]].
    """
    look[:] = 0
    code = 0
    rank = 0
    for n in range(1, MAX_CODE_BITS + 1):
        limit[1, n] = rank - code
        for symbol in range(symbols):
            if lengths[symbol] == n:
                order[rank] = symbol
                rank += 1
                if n <= LOOK_BITS and code < 1 << n:
                    first = code << (LOOK_BITS - n)
                    look[first : first + (1 << (LOOK_BITS - n))] = symbol << 5 | n
                code += 1
        limit[0, n] = code
        code <<= 1


@kernel
def read_block(
    data: Bytes, bit: int, end: int, column: NDArray[np.uint32], counts: NDArray[np.int64], result: NDArray[np.int64]
) -> int:
    """Decode the block whose magic stands at bit offset `bit` of `data`; `end` is the bit after the last real one.

    Writes the last column into the low bytes of `column` (BLOCK_SYMBOLS long), the number of each byte into `counts`
    (256), and LENGTH, END, ORIGIN and CRC into `result`.  Returns GOOD, BAD, or RANDOMISED for a kind of block that
    bzip2 stopped writing in 1999.  Never reads beyond PADDING bytes after `end`.
    """
    counts[:] = 0
    if bit + 48 + 32 + 1 + 24 + 16 > end:
        return BAD
    bit += 48
    result[CRC] = _bits(data, bit, 32)
    if _bits(data, bit + 32, 1):
        return RANDOMISED
    result[ORIGIN] = _bits(data, bit + 33, 24)
    rows = _bits(data, bit + 57, 16)
    bit += 73

    recent = np.zeros(256, np.uint8)  # move-to-front list of the bytes in use
    used = 0
    for row in range(16):
        if rows >> (15 - row) & 1:
            if bit + 16 > end:
                return BAD
            present = _bits(data, bit, 16)
            bit += 16
            for k in range(16):
                if present >> (15 - k) & 1:
                    recent[used] = 16 * row + k
                    used += 1
    if used == 0 or bit + 18 > end:
        return BAD
    symbols = used + 2  # RUNA, RUNB, moves 1 to used - 1, end of block
    end_of_block = used + 1

    tables = _bits(data, bit, 3)
    groups = _bits(data, bit + 3, 15)
    bit += 18
    if tables < 2 or tables > 6 or groups == 0:
        return BAD
    selectors = np.empty(groups, np.uint8)
    front = np.arange(6).astype(np.uint8)
    for group in range(groups):
        j = 0
        while _bits(data, bit, 1):
            j += 1
            bit += 1
            if j >= tables:
                return BAD
        bit += 1
        if bit > end:
            return BAD
        chosen = front[j]
        for k in range(j, 0, -1):
            front[k] = front[k - 1]
        front[0] = chosen
        selectors[group] = chosen

    look = np.empty((6, 1 << LOOK_BITS), np.uint16)
    limit = np.zeros((6, 2, MAX_CODE_BITS + 2), np.int64)
    order = np.zeros((6, 258), np.uint16)
    lengths = np.empty(258, np.uint8)
    for table in range(tables):
        bit = _code_lengths(data, bit, end, symbols, lengths)
        if bit < 0:
            return BAD
        _build_table(lengths, symbols, look[table], limit[table], order[table])

    first = np.uint64(0)  # the first eight of `recent` live here, the most recent in the low byte
    for k in range(8):
        first |= np.uint64(recent[k]) << np.uint64(8 * k)
    at = np.uint64(bit)
    written = np.int64(0)
    run = np.int64(0)
    weight = 1
    for group in range(groups):
        if at > np.uint64(end):
            return BAD
        table = selectors[group]
        for _ in range(GROUP):
            word = _peek(data, at)
            entry = np.int64(look[table, word >> np.uint64(64 - LOOK_BITS)])
            if entry:
                symbol = entry >> 5
                at += np.uint64(entry & 31)
            else:
                n = LOOK_BITS + 1
                while n <= MAX_CODE_BITS and np.int64(word >> np.uint64(64 - n)) >= limit[table, 0, n]:
                    n += 1
                if n > MAX_CODE_BITS:
                    return BAD
                rank = np.int64(word >> np.uint64(64 - n)) + limit[table, 1, n]
                if rank < 0 or rank >= symbols:
                    return BAD
                symbol = np.int64(order[table, rank])
                at += np.uint64(n)
            if symbol < 2:  # a digit of a run's length, in bijective base 2
                run += weight << symbol
                weight <<= 1
                if run > BLOCK_SYMBOLS:
                    return BAD
                continue
            if run:
                if written + run > BLOCK_SYMBOLS:
                    return BAD
                value = first & np.uint64(0xFF)
                column[written : written + run] = value
                counts[value] += run
                written += run
                run = np.int64(0)
                weight = 1
            if symbol == end_of_block:
                result[LENGTH] = written
                result[END] = np.int64(at)
                return GOOD if result[END] <= end and result[ORIGIN] < written else BAD
            if written == BLOCK_SYMBOLS:
                return BAD
            if symbol <= 8:  # without a loop, whose length no processor could predict
                low = np.uint64(8 * (symbol - 1))
                value = (first >> low) & np.uint64(0xFF)
                below = (np.uint64(1) << low) - np.uint64(1)
                moved = (first & below) << np.uint64(8) | value
                first = first & ~(below << np.uint64(8) | np.uint64(0xFF)) | moved
            else:
                value = np.uint64(recent[symbol - 1])
                for k in range(symbol - 1, 8, -1):
                    recent[k] = recent[k - 1]
                recent[8] = first >> np.uint64(56)
                first = first << np.uint64(8) | value
            column[written] = value
            counts[value] += 1
            written += 1
    return BAD
