"""Character references: &amp;, &#65; and &#x41; become the characters they name; what names none stays text."""

from __future__ import annotations

import numpy as np

from gpucurate.core.compiled import kernel
from gpucurate.core.text_buffers import Bytes
from gpucurate.sources.wikitext import names
from gpucurate.sources.wikitext.characters import HASH, SEMICOLON, SPACE, ZERO, at, is_alnum
from gpucurate.sources.wikitext.rules import CODE_POINT_BITS, Rules

LONGEST_NAME = 33
MOST_DIGITS = 8
LOWER_X = ord("x")
LOWER_A_LESS_10 = ord("a") - 10
# References to the C1 controls mean Windows-1252, as browsers read them (HTML standard, section 13.2.5.80).
WINDOWS_1252 = np.array([ord(bytes([b]).decode("cp1252", "replace")) for b in range(128, 160)], np.int64)
REPLACEMENT = 0xFFFD


@kernel
def read_entity(text: Bytes, pos: int, stop: int, rules: Rules) -> tuple[int, int]:
    """`pos` is at '&'.  (one or two code points, position behind ';'), or (0, pos) if this is no entity."""
    k = pos + 1
    value = 0
    if at(text, k, stop, HASH):
        value, k = _read_number(text, k + 1, stop)
    else:
        while k < stop and k - pos <= LONGEST_NAME and is_alnum(text[k]):
            k += 1
        value = names.find_name(rules.keys, rules.values, names.ENTITY, text, pos + 1, k)
    return (value, k + 1) if value > 0 and at(text, k, stop, SEMICOLON) else (0, pos)


@kernel
def _read_number(text: Bytes, pos: int, stop: int) -> tuple[int, int]:
    """Code point of a numeric reference (0 if it names no character of text) and the position behind its digits."""
    k = pos
    base = 10
    if k < stop and text[k] | 32 == LOWER_X:
        base = 16
        k += 1
    while at(text, k, stop, ZERO):
        k += 1
    first = k
    value = 0
    while k < stop and k - first < MOST_DIGITS:
        c = int(np.int64(text[k]))
        digit = c - int(ZERO) if c <= 57 else (c | 32) - LOWER_A_LESS_10
        if digit < 0 or digit >= base or 57 < c < 65:
            break
        value = value * base + digit
        k += 1
    if 128 <= value < 160:
        value = int(WINDOWS_1252[value - 128])
        return (0 if value == REPLACEMENT else value), k
    if 9 <= value <= 13:
        return int(SPACE), k
    if value < SPACE or value == 127 or value > 0x10FFFF or 0xD800 <= value < 0xE000 or value & 0xFFFE == 0xFFFE:
        return 0, k
    return value, k


@kernel
def put_entity(out: Bytes, w: int, value: int) -> int:
    """Append the one or two characters of `read_entity`; returns the new end."""
    w = put_utf8(out, w, value & ((1 << CODE_POINT_BITS) - 1))
    return put_utf8(out, w, value >> CODE_POINT_BITS) if value >> CODE_POINT_BITS else w


@kernel
def put_utf8(out: Bytes, w: int, codepoint: int) -> int:
    """Append a code point; returns the new end."""
    if codepoint < 0x80:
        out[w] = codepoint
        return w + 1
    length = 2 if codepoint < 0x800 else (3 if codepoint < 0x10000 else 4)
    for k in range(length - 1, 0, -1):
        out[w + k] = 0x80 | (codepoint & 0x3F)
        codepoint >>= 6
    out[w] = ((0xF00 >> length) & 0xFF) | codepoint
    return w + length
