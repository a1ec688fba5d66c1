"""Bytes that mean something in HTML, and the hash that names are compared by.

Pages arrive as UTF-8, so markup is ASCII and nothing here looks inside a character.
"""

from __future__ import annotations

from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import borrowing
from gpucurate.core.text_buffers import Bytes

Marks: TypeAlias = NDArray[np.uint64]
Table: TypeAlias = NDArray[np.int32]

# Constants that are passed to kernels have NumPy types: Numba compiles a kernel anew for every literal number.
Byte = np.uint8
TAB, NEWLINE, SPACE, BANG, QUOTE, HASH, DOLLAR, AMPERSAND, APOSTROPHE = map(Byte, b"\t\n !\"#$&'")
DASH, SLASH, COLON, SEMICOLON, LESS, EQUALS, GREATER, QUESTION = map(Byte, b"-/:;<=>?")
ORIGIN, ONE_BYTE = cast(int, np.int64(0)), cast(int, np.int64(1))
YES, NO = cast(bool, np.bool_(True)), cast(bool, np.bool_(False))

FNV_BASIS, FNV_PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)  # FNV-1a, 64 bits
FOLDED = np.arange(256, dtype=np.uint8)  # ASCII upper case to lower case
FOLDED[65:91] += 32
LETTER = np.zeros(256, np.bool_)
LETTER[65:91] = LETTER[97:123] = True
ALNUM = LETTER.copy()
ALNUM[48:58] = True


def name_hash(name: str) -> int:
    """The hash of a name, without ASCII case; what `read_name` gives for it."""
    value = int(FNV_BASIS)
    for byte in name.encode():
        value = ((value ^ int(FOLDED[byte])) * int(FNV_PRIME)) % (1 << 64)
    return value


def name_table(values: dict[str, int]) -> tuple[Marks, Table]:
    """Names to keys and values of an open-addressing table, at most half full; key 0 is an empty slot."""
    capacity = 1 << (2 * len(values)).bit_length()
    keys, found = np.zeros(capacity, np.uint64), np.zeros(capacity, np.int32)
    for name, value in values.items():
        slot = name_hash(name) & (capacity - 1)
        while keys[slot]:
            slot = (slot + 1) & (capacity - 1)
        keys[slot], found[slot] = name_hash(name), value
    return keys, found


@borrowing
def find(keys: Marks, values: Table, wanted: np.uint64) -> int:
    """The value stored under a hash, or 0."""
    mask = np.uint64(len(keys) - 1)
    slot = wanted & mask
    while keys[slot] != 0:
        if keys[slot] == wanted:
            return int(values[slot])
        slot = (slot + np.uint64(1)) & mask
    return 0


@borrowing
def hash_folded(text: Bytes, start: int, stop: int) -> np.uint64:
    """Hash of text[start:stop] without ASCII case."""
    value = FNV_BASIS
    for k in range(start, stop):
        value = (value ^ np.uint64(FOLDED[text[k]])) * FNV_PRIME
    return value


@borrowing
def skip_to(text: Bytes, pos: int, stop: int, c: Byte) -> int:
    """Behind the next byte `c`, or `stop`."""
    while pos < stop and text[pos] != c:
        pos += 1
    return min(pos + 1, stop)
