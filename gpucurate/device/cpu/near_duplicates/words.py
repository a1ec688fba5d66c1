"""Words of a text as 64-bit hashes: runs of letters, folded; ideographs and pictures one by one.

A word's folded characters are packed into blocks of eight bytes, an ASCII character in one byte and any other in three;
a block that has no room for the next character is folded into the hash.  Plain ASCII goes eight bytes a step where the
block is empty or full, anything else a character a step, with the same result.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import kernel
from gpucurate.core.text_buffers import Bytes
from gpucurate.device.cpu.near_duplicates.characters import (
    CLASS_SHIFT,
    CONTINUATION,
    CONTINUES,
    IDEOGRAPH,
    LETTER,
    POINT,
    character,
)
from gpucurate.device.cpu.near_duplicates.eight_bytes import (
    CASE,
    HIGH,
    ONE,
    ZERO,
    alphanumeric,
    bits_before,
    bytes_to_next_run,
    load,
)
from gpucurate.device.cpu.near_duplicates.hashing import WORD_SEED, fold, mix

FULL = np.uint64(64)  # bits of a block
NARROW, WIDE = np.uint64(8), np.uint64(24)  # bits of an ASCII character and of any other
ASCII = np.uint32(0x80)
MOST_A_STEP = 2  # an ideograph ends the word before it and is one itself


@kernel
def word_hashes(
    text: Bytes, begin: int, end: int, table: NDArray[np.uint32], out: NDArray[np.uint64], n: int
) -> tuple[int, int]:
    """Put the hashes of the words of text[begin:end] into out[n:]; return how many `out` has then, and where it is.

    It stops at `end`, or behind a word when `out` (at least two longer than n) may have no room for what comes next.
    """
    i = begin
    room = len(out) - MOST_A_STEP
    value, block, used = WORD_SEED, ZERO, ZERO  # used: bits of the block; 0 when no word is open
    while i < end and n <= room:
        if (used == ZERO or used == FULL) and i + 8 <= end:
            eight = load(text, i)
            if eight & HIGH == ZERO:
                lower = eight | CASE
                inside = alphanumeric(eight, lower)
                if inside == HIGH:
                    if used == FULL:
                        value = fold(value, block)
                    block, used = lower, FULL
                    i += 8
                    continue
                length = bits_before(~inside & HIGH)
                i += bytes_to_next_run(inside)
                if length:  # a word ends within the eight bytes
                    if used == FULL:
                        value = fold(value, block)
                    out[n] = mix(value ^ (lower & ((ONE << np.uint64(length)) - ONE)))
                    n += 1
                elif used == FULL:
                    out[n] = mix(value ^ block)
                    n += 1
                value, block, used = WORD_SEED, ZERO, ZERO
                continue
        byte = text[i]
        if byte & CONTINUES == CONTINUATION:
            i += 1
            continue
        if byte < CONTINUATION:
            entry = table[byte]
            i += 1
        else:
            entry, i = character(text, i, end, table)
        kind, point = entry >> CLASS_SHIFT, entry & POINT
        if kind == LETTER:
            bits = NARROW if point < ASCII else WIDE
            if used + bits > FULL:
                value = fold(value, block)
                block, used = ZERO, ZERO
            block |= np.uint64(point) << used
            used += bits
            continue
        if used:
            out[n] = mix(value ^ block)
            n += 1
            value, block, used = WORD_SEED, ZERO, ZERO
        if kind == IDEOGRAPH:
            out[n] = mix(WORD_SEED ^ np.uint64(point))
            n += 1
    if used:
        out[n] = mix(value ^ block)
        n += 1
    return n, i
