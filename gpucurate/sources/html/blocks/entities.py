"""Character references: &amp;, &copy, &#65; and &#x41; become the characters they name; what names none stays text.

As browsers read them (HTML standard, section 13.2.5.72 and on): a few old names need no semicolon, numbers of C1
controls mean Windows-1252.
"""

from __future__ import annotations

import html.entities

import numpy as np

from gpucurate.core.compiled import borrowing
from gpucurate.core.text_buffers import Bytes
from gpucurate.sources.html.blocks.characters import ALNUM, FNV_BASIS, FNV_PRIME, HASH, SEMICOLON, Byte

LONGEST_NAME = 32
MOST_DIGITS = 8
LOWER_X, ZERO = Byte(ord("x")), Byte(ord("0"))
CODE_POINT_BITS = 21  # a few references are two characters: the second stands above the first
LEGACY = 1 << 2 * CODE_POINT_BITS  # the name needs no semicolon
REPLACEMENT = 0xFFFD
WINDOWS_1252 = np.array([ord(bytes([b]).decode("cp1252", "replace")) for b in range(128, 160)], np.int64)


def _references() -> tuple[np.ndarray[tuple[int], np.dtype[np.uint64]], np.ndarray[tuple[int], np.dtype[np.int64]]]:
    """HTML's names, compared by case, in an open-addressing table as `characters.find` reads it."""
    names = html.entities.html5
    capacity = 1 << 13
    keys, values = np.zeros(capacity, np.uint64), np.zeros(capacity, np.int64)
    for name, text in names.items():
        if name.endswith(";"):
            key = int(FNV_BASIS)
            for byte in name[:-1].encode():
                key = ((key ^ byte) * int(FNV_PRIME)) % (1 << 64)
            slot = key & (capacity - 1)
            while keys[slot]:
                slot = (slot + 1) & (capacity - 1)
            second = ord(text[1]) << CODE_POINT_BITS if len(text) > 1 else 0
            keys[slot] = key
            values[slot] = ord(text[0]) | second | (LEGACY if name[:-1] in names else 0)
    return keys, values


KEYS, VALUES = _references()


@borrowing
def read_reference(src: Bytes, pos: int, stop: int) -> tuple[int, int]:
    """`pos` is at '&'.  (one or two code points, position behind), or (0, pos) if this is no reference."""
    if pos + 1 < stop and src[pos + 1] == HASH:
        return _read_number(src, pos, stop)
    k = pos + 1
    hashed = FNV_BASIS
    best, best_end = 0, pos
    while k < stop and k - pos <= LONGEST_NAME and ALNUM[src[k]]:
        hashed = (hashed ^ np.uint64(src[k])) * FNV_PRIME
        k += 1
        closed = k < stop and src[k] == SEMICOLON
        if closed or k - pos <= 7:  # the longest old name has six letters
            value = _named(hashed)
            if value > 0 and (closed or value & LEGACY):
                best, best_end = value & (LEGACY - 1), k + int(closed)
    return best, best_end


@borrowing
def _named(hashed: np.uint64) -> int:
    mask = np.uint64(len(KEYS) - 1)
    slot = hashed & mask
    while KEYS[slot] != 0:
        if KEYS[slot] == hashed:
            return int(VALUES[slot])
        slot = (slot + np.uint64(1)) & mask
    return 0


@borrowing
def _read_number(src: Bytes, pos: int, stop: int) -> tuple[int, int]:
    k = pos + 2
    base = 10
    if k < stop and src[k] | Byte(32) == LOWER_X:
        base = 16
        k += 1
    first = k
    value = 0
    digits = 0
    while k < stop:
        c = int(np.int64(src[k]))
        digit = c - 48 if c <= 57 else (c | 32) - 87
        if digit < 0 or digit >= base or 57 < c < 65:
            break
        if digits or digit:  # leading zeros do not count
            digits += 1
        value = value * base + digit if digits <= MOST_DIGITS else 0x7FFFFFFF
        k += 1
    if k == first:
        return 0, pos
    if k < stop and src[k] == SEMICOLON:
        k += 1
    if 128 <= value < 160:
        return int(WINDOWS_1252[value - 128]), k
    if value == 0 or value > 0x10FFFF or 0xD800 <= value < 0xE000:
        return REPLACEMENT, k
    return value, k


@borrowing
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
