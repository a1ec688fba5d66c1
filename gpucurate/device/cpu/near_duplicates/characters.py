"""Decoding one character beyond ASCII into its entry of the shingle table, whatever the bytes are.

Every byte that is no continuation (10xxxxxx) starts a character, so damaged text reads alike from any place on: a
character that is cut short is a separator of one byte, a continuation byte that belongs to none is skipped by the
caller.  Encodings longer than need be and surrogates are decoded like any other.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import kernel
from gpucurate.core.text_buffers import Bytes

# Written again, as the kernels' cache does not watch constants of other folders; a test compares them.
LETTER = np.uint32(1)
IDEOGRAPH = np.uint32(2)

CLASS_SHIFT = np.uint32(24)
POINT = np.uint32(0xFFFFFF)
FIRST_PICTURE = np.uint32(0x1F000)  # tiles, cards, emoji, and after them the supplementary Han planes

LEAD_OF_3, LEAD_OF_4 = np.uint8(0xE0), np.uint8(0xF0)
CONTINUES, CONTINUATION = np.uint8(0xC0), np.uint8(0x80)
LOW_6 = np.uint32(0x3F)
SIX = np.uint32(6)


@kernel
def character(text: Bytes, i: int, end: int, table: NDArray[np.uint32]) -> tuple[np.uint32, int]:
    """Entry of the character whose first byte is text[i] >= 0xC0, and the place after it; the text ends at `end`."""
    lead = text[i]
    more = 1 if lead < LEAD_OF_3 else 2 if lead < LEAD_OF_4 else 3
    point = np.uint32(lead) & (LOW_6 >> np.uint32(more))
    for k in range(1, more + 1):
        if i + k >= end or text[i + k] & CONTINUES != CONTINUATION:
            return np.uint32(0), i + 1
        point = point << SIX | (np.uint32(text[i + k]) & LOW_6)
    if more < 3:
        return table[point], i + 1 + more
    kind = IDEOGRAPH if point >= FIRST_PICTURE else LETTER
    return np.uint32(kind << CLASS_SHIFT | point), i + 4
