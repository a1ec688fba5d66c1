"""Repeated n-grams of words, n from 2 to 10, without looking at every position for every n.

An n-gram that occurs twice begins with an (n-1)-gram that occurs twice, so each n only looks at the positions the one
before left over.  In prose few positions outlive n = 3; in a text of one repeated word all do, and the work is still
nine passes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import inlined, kernel
from gpucurate.device.cpu.text_features.hashing import SEED, finish, fold, slot_of, table_size
from gpucurate.device.cpu.text_features.words import Hashes, Lengths

Indices = NDArray[np.int32]
Counts = NDArray[np.int64]

TOP_LAST, GRAM_LAST = 4, 10  # the most frequent of 2- to 4-grams, repeated 5- to 10-grams (Gopher, table A1)
SEEN = -1


class GramScratch(NamedTuple):
    """Working memory for documents of up to so many words; pages are touched only as far as a document needs."""

    grams: Hashes  # [words] hash of the n-gram at each open position
    positions: Indices  # [words] open positions, ascending
    slots: Indices  # [words] where each one's n-gram is in the table
    keys: Hashes  # [table_size(words)]
    tallies: Indices  # [table_size(words), 2] occurrences, first position


@inlined
def chars_of(lengths: Lengths, at: int, n: int) -> int:
    """Code points of n words, without spaces between them."""
    total = 0
    for k in range(at, at + n):
        total += lengths[k]
    return total


@kernel
def count_grams(hashes: Hashes, lengths: Lengths, words: int, scratch: GramScratch, found: Counts) -> None:
    """Write the nine counts: characters in the top 2-, 3-, 4-gram, then in duplicate 5- to 10-grams.

    Top: occurrences times length with single spaces, of the n-gram that occurs most often; the earliest of those that
    tie.  Duplicate: walking from the left, an n-gram seen before counts its words' characters and is stepped over.
    """
    grams, positions, slots, keys, tallies = scratch
    found[:] = 0
    still_open = words
    for at in range(words):
        grams[at] = fold(SEED, hashes[at])
        positions[at] = at
    for n in range(2, GRAM_LAST + 1):
        if words < n:
            break
        while still_open and positions[still_open - 1] + n > words:
            still_open -= 1
        size = table_size(still_open)
        keys[:size] = 0
        best = 1
        best_at = 0
        for k in range(still_open):
            at = positions[k]
            gram = finish(fold(grams[k], hashes[at + n - 1]))
            grams[k] = gram
            slot = slot_of(gram, keys, size - 1)
            if keys[slot] == 0:
                keys[slot] = gram
                tallies[slot, 0] = 0
                tallies[slot, 1] = at
            count = tallies[slot, 0] + 1
            tallies[slot, 0] = count
            slots[k] = slot
            if count > best or (count == best and tallies[slot, 1] < best_at):
                best = count
                best_at = tallies[slot, 1]
        if n <= TOP_LAST:
            found[n - 2] = best * (chars_of(lengths, best_at, n) + n - 1)
        repeated = 0
        for k in range(still_open):
            if tallies[slots[k], 0] > 1:
                grams[repeated] = grams[k]
                positions[repeated] = positions[k]
                slots[repeated] = slots[k]
                repeated += 1
        still_open = repeated
        if n > TOP_LAST:
            found[n - 2] = duplicate_chars(lengths, n, still_open, positions, slots, tallies)


@kernel
def duplicate_chars(
    lengths: Lengths, n: int, still_open: int, positions: Indices, slots: Indices, tallies: Indices
) -> int:
    """Characters in n-grams that the walk has seen before; `positions` are those of all n-grams that occur twice."""
    total = 0
    walked = 0
    for k in range(still_open):
        at = positions[k]
        if at < walked:
            continue
        if tallies[slots[k], 0] == SEEN:
            total += chars_of(lengths, at, n)
            walked = at + n
        else:
            tallies[slots[k], 0] = SEEN
    return total
