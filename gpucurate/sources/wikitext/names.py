"""Names as 64-bit hashes in one open-addressing table, so that compiled code can ask what a name means.

A name is looked up by kind: "small" the tag and "small" the template are two entries.  Names are compared without
ASCII case and with "_" as a space, as MediaWiki compares titles, except for the kinds where case has a meaning.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import kernel
from gpucurate.core.errors import InvariantError
from gpucurate.core.text_buffers import Bytes

# Kinds of names, and what the value of each is.
Kind = np.int64
TAG = Kind(0)  # id << rules.ACTION_BITS | action
MAGIC_WORD = Kind(1)  # 0
SCHEME = Kind(2)  # 1 if "//" must follow the colon
HIDDEN_PREFIX = Kind(3)  # 0: links with this prefix show nothing
VARIANT = Kind(4)  # 0: codes inside -{...}-
TEMPLATE = Kind(5)  # row of Rules.templates
TEMPLATE_FAMILY = Kind(6)  # the same, of all templates whose names begin so
OPTION = Kind(7)  # argument slot
RANGE = Kind(8)  # text reference
COMPOUND_UNIT = Kind(9)  # 0: may follow a larger unit, as in 6 ft 4 in
MONTH = Kind(10)  # text reference
UNIT = Kind(11)  # text reference; compared by case
ENTITY = Kind(12)  # one or two code points; compared by case
FIRST_CASED_KIND = UNIT

FNV_BASIS, FNV_PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)  # FNV-1a, 64 bits
KIND_SHIFT = 32  # out of the first byte's reach, so that a kind and a byte cannot make up another pair
FOLDED = np.arange(256, dtype=np.uint8)
FOLDED[65:91] += 32
FOLDED[ord("_")] = ord(" ")

TEXT_LENGTH_BITS = 8


def text_reference(start: int, length: int) -> int:
    """A place in `Rules.text` as one number; texts have fewer than 256 bytes."""
    if length >> TEXT_LENGTH_BITS:
        raise InvariantError(f"a shown text has {length} bytes, more than 255")
    return start << TEXT_LENGTH_BITS | length


def name_table(entries: Iterable[tuple[Kind, str, int]]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """(kind, name, value) to keys and values of an open-addressing table, at most half full; key 0 is an empty slot.

    Raises InvariantError where two entries collide in 64 bits with different values.
    """
    by_hash: dict[int, int] = {}
    for kind, name, value in entries:
        key = _hash(kind, name)
        if key == 0 or by_hash.setdefault(key, value) != value:
            raise InvariantError(f"the name {name!r} of kind {kind} cannot be told from another one")
    capacity = 1 << (2 * len(by_hash)).bit_length()
    keys, values = np.zeros(capacity, np.uint64), np.zeros(capacity, np.int64)
    for key, value in sorted(by_hash.items()):
        slot = key & (capacity - 1)
        while keys[slot]:
            slot = (slot + 1) & (capacity - 1)
        keys[slot], values[slot] = key, value
    return keys, values


def _hash(kind: Kind, name: str) -> int:
    value = int(FNV_BASIS) ^ int(kind) << KIND_SHIFT
    for byte in name.encode():
        value = ((value ^ (byte if kind >= FIRST_CASED_KIND else int(FOLDED[byte]))) * int(FNV_PRIME)) % (1 << 64)
    return value


@kernel
def find(keys: NDArray[np.uint64], values: NDArray[np.int64], wanted: np.uint64) -> int:
    """The value stored under a hash, or -1."""
    mask = np.uint64(len(keys) - 1)
    slot = wanted & mask
    while keys[slot] != 0:
        if keys[slot] == wanted:
            return int(values[slot])
        slot = (slot + np.uint64(1)) & mask
    return -1


@kernel
def find_name(
    keys: NDArray[np.uint64], values: NDArray[np.int64], kind: Kind, text: Bytes, start: int, stop: int
) -> int:
    """What text[start:stop] means as a name of this kind, or -1."""
    wanted = FNV_BASIS ^ np.uint64(kind << KIND_SHIFT)
    if kind >= FIRST_CASED_KIND:
        for k in range(start, stop):
            wanted = (wanted ^ np.uint64(text[k])) * FNV_PRIME
    else:
        for k in range(start, stop):
            wanted = (wanted ^ np.uint64(FOLDED[text[k]])) * FNV_PRIME
    return find(keys, values, wanted)
