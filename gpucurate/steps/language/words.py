"""The vector of one word, as fastText makes it: the word's own row and those of its n-grams of characters, summed.

Compiled, on bytes.  The sum depends on nothing but the word: rows are added in the order of the text, the word's own
first, as float64.  Source: Bojanowski et al., "Enriching Word Vectors with Subword Information", 2016, section 3.2.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import inlined, kernel
from gpucurate.core.text_buffers import Bytes, Offsets, pack_texts, read_only

BEGIN, END = np.uint8(ord("<")), np.uint8(ord(">"))  # stand around a word before it is cut into n-grams
FNV_BASIS, FNV_PRIME = np.uint64(2_166_136_261), np.uint64(16_777_619)  # FNV-1a, 32 bits
LOW = np.uint64(0xFFFFFFFF)
WAITING = 4096  # n-grams looked up before their rows are added


class WordTable(NamedTuple):
    """Everything a word's vector is made of; arrays read-only.  `slots` is an open-addressing table by hash."""

    minn: int
    maxn: int
    slots: NDArray[np.int32]  # a power of two, numbers of words or -1
    text: Bytes  # the words, one after another
    offsets: Offsets
    bucket_rows: NDArray[np.int32]  # row of each bucket, -1 where it was pruned
    kept: Bytes  # a bit a bucket, the lowest of a byte first: whether it has a row; small enough to stay in the cache
    rows: NDArray[np.float32]  # [words + buckets, dimensions]; first those of the words


def word_table(
    minn: int, maxn: int, words: list[bytes], bucket_rows: NDArray[np.int32], rows: NDArray[np.float32]
) -> WordTable:
    """The table of a model's words and n-grams."""
    text, offsets = pack_texts(words)
    slots = np.full(1 << (2 * len(words)).bit_length(), -1, np.int32)
    fill_slots(text, offsets, slots)
    kept = np.packbits(bucket_rows >= 0, bitorder="little")
    return WordTable(
        minn, maxn, read_only(slots), text, offsets, read_only(bucket_rows), read_only(kept), read_only(rows)
    )


@inlined
def spell(value: np.uint64, byte: np.uint8) -> np.uint64:
    """One step of FNV-1a with fastText's slip, which is part of the format: bytes count as signed.  Only the low 32
    bits of `value` have a meaning; those above do not reach them."""
    return (value ^ np.uint64(np.int8(byte))) * FNV_PRIME


@kernel
def fill_slots(text: Bytes, offsets: Offsets, slots: NDArray[np.int32]) -> None:
    """Put the number of every word into `slots`, which are all -1 and more than there are words."""
    mask = slots.shape[0] - 1
    for word in range(offsets.shape[0] - 1):
        value = FNV_BASIS
        for at in range(offsets[word], offsets[word + 1]):
            value = spell(value, text[at])
        slot = np.int64(value & LOW) & mask
        while slots[slot] >= 0:
            slot = (slot + 1) & mask
        slots[slot] = word


@inlined
def same_bytes(left: Bytes, left_at: int, right: Bytes, right_at: int, length: int) -> bool:
    """Whether two stretches are equal."""
    k = 0
    while k < length and left[left_at + k] == right[right_at + k]:
        k += 1
    return k == length


@inlined
def add_row(rows: NDArray[np.float32], row: np.integer[Any] | int, total: NDArray[np.float64]) -> None:
    """total += rows[row]."""
    for k in range(total.shape[0]):
        total[k] += rows[row, k]


@inlined
def known_word(text: Bytes, start: int, stop: int, value: np.uint64, table: WordTable) -> np.int32:
    """The number of the word text[start:stop], whose hash is `value`, or -1."""
    slots, words, offsets = table.slots, table.text, table.offsets
    mask = slots.shape[0] - 1
    slot = np.int64(value & LOW) & mask
    while slots[slot] >= 0:
        word = np.int32(slots[slot])
        first = offsets[word]
        if offsets[word + 1] - first == stop - start and same_bytes(text, start, words, first, stop - start):
            return word
        slot = (slot + 1) & mask
    return np.int32(-1)


@inlined
def sum_word(
    text: Bytes, start: int, stop: int, value: np.uint64, table: WordTable, spelled: Bytes,
    waiting: NDArray[np.int64], total: NDArray[np.float64],
) -> int:  # fmt: skip
    """Sum the rows of the word text[start:stop], whose hash is `value`, into `total` [dimensions]; how many they are.

    A character is a byte and the continuation bytes behind it, whatever they are, so that any bytes have a sum.
    Scratch: `spelled` [length + 3] for the word in brackets; `waiting` [WAITING + maxn] because most n-grams were
    pruned, so those that were not are collected without a branch, and their rows added afterwards.
    """
    minn, maxn, kept, bucket_rows, rows = table.minn, table.maxn, table.kept, table.bucket_rows, table.rows
    total[:] = 0
    found = count = 0
    word = known_word(text, start, stop, value, table)
    if word >= 0:
        add_row(rows, word, total)
        found += 1
    if maxn <= 0:
        return found
    size = stop - start + 2
    spelled[0] = BEGIN
    for k in range(stop - start):
        spelled[k + 1] = text[start + k]
    spelled[size - 1] = END
    spelled[size] = 0  # ends the last character
    buckets = np.uint64(bucket_rows.shape[0])
    first = 0
    while first < size:
        ngram = FNV_BASIS
        at = first
        for characters in range(1, maxn + 1):
            if at == size:
                break
            ngram = spell(ngram, spelled[at])
            at += 1
            while spelled[at] & 0xC0 == 0x80:
                ngram = spell(ngram, spelled[at])
                at += 1
            lone_bracket = characters == 1 and (first == 0 or at == size)
            if characters >= minn and not lone_bracket:
                bucket = np.int64((ngram & LOW) % buckets)
                waiting[count] = bucket
                count += kept[bucket >> 3] >> (bucket & 7) & 1
        first += 1
        while spelled[first] & 0xC0 == 0x80:
            first += 1
        if count >= WAITING or first == size:
            for k in range(count):
                row = bucket_rows[waiting[k]]
                add_row(rows, row, total)
            found += count
            count = 0
    return found
