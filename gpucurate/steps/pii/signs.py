"""Classes of bytes and what joins a byte to its neighbours: what all gates of the scan share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import inlined, kernel
from gpucurate.core.text_buffers import Bytes

DIGIT, UPPER, LOWER, HEX, TOKEN_SIGN, LOCAL, DOMAIN, NUMBER_SIGN = 1, 2, 4, 8, 16, 32, 64, 128
ALNUM = DIGIT | UPPER | LOWER
MAX_WORD = 24  # letters of a word after a hyphen


def _classes() -> NDArray[np.uint8]:
    table = np.zeros(256, np.uint8)
    for signs, bits in (
        ("0123456789", DIGIT | HEX | TOKEN_SIGN | LOCAL | DOMAIN),
        ("ABCDEF", UPPER | HEX | TOKEN_SIGN | LOCAL | DOMAIN),
        ("GHIJKLMNOPQRSTUVWXYZ", UPPER | TOKEN_SIGN | LOCAL | DOMAIN),
        ("abcdef", LOWER | HEX | TOKEN_SIGN | LOCAL | DOMAIN),
        ("ghijklmnopqrstuvwxyz", LOWER | TOKEN_SIGN | LOCAL | DOMAIN),
        ("_", TOKEN_SIGN | LOCAL),
        ("-", TOKEN_SIGN | LOCAL | DOMAIN | NUMBER_SIGN),
        (".", LOCAL | DOMAIN | NUMBER_SIGN),
        ("+%", LOCAL),
        (" ()/", NUMBER_SIGN),
    ):
        for sign in signs:
            table[ord(sign)] = bits
    return table


CLASS = _classes()


@inlined
def is_in(text: Bytes, i: int, low: int, high: int, bits: int) -> bool:
    """Whether byte i is within the document and of one of these classes."""
    return low <= i < high and CLASS[text[i]] & bits != 0


@kernel
def separator(text: Bytes, i: int, high: int) -> int:
    """Bytes of the sign between digit groups at i, 0 if there is none: blank ( ) - . / and the Unicode no-break
    space, hyphens and dashes U+00A0, U+2010 to U+2015, U+202F."""
    if i >= high:
        return 0
    b = text[i]
    if CLASS[b] & NUMBER_SIGN:
        return 1
    if b == 0xC2 and i + 1 < high and text[i + 1] == 0xA0:
        return 2
    if b == 0xE2 and i + 2 < high and text[i + 1] == 0x80:
        c = text[i + 2]
        if 0x90 <= c <= 0x95 or c == 0xAF:
            return 3
    return 0


@kernel
def glued(text: Bytes, i: int, low: int) -> bool:
    """Whether what begins at i continues something: a word, a path, or by one of `. , - '` a longer number or name."""
    if i <= low:
        return False
    b = text[i - 1]
    if CLASS[b] & ALNUM or b in (95, 47):  # _ /
        return True
    return b in (46, 44, 45, 39) and is_in(text, i - 2, low, i, ALNUM)


@kernel
def glued_after(text: Bytes, i: int, high: int) -> bool:
    """Whether what ends before i goes on; a hyphen and a whole word of letters (`555-0100-Fax`) are no part of it."""
    if i >= high:
        return False
    b = text[i]
    if CLASS[b] & ALNUM or b == 95:
        return True
    if b not in (45, 44, 47) or not is_in(text, i + 1, i, high, ALNUM):
        return False
    j = i + 1
    while j < high and j - i < MAX_WORD and CLASS[text[j]] & (UPPER | LOWER):
        j += 1
    return b != 45 or is_in(text, j, i, high, TOKEN_SIGN)


@kernel
def digits_at(text: Bytes, i: int, high: int) -> int:
    """Digits from i on, counted up to five."""
    n = 0
    while n < 5 and i + n < high and CLASS[text[i + n]] & DIGIT:
        n += 1
    return n
