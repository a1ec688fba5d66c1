"""Grams that are searched for, as every device reads them: sorted hashes by length, and a sieve before them.

A gram is n words in a row; its hash is that of a shingle (docs/near-duplicates.md defines words), so that
`Backend.shingle_sets` gives the grams of the texts to be found.  Few grams of a corpus are in a table: the sieve, in
which a gram sets two bits, by its hash before and after it is mixed, turns nearly all others away with one look.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.text_buffers import Scalar, read_only

SIEVE_BITS = 64  # bits a gram, at least: one in 32 that is not searched for passes one look, one in 1,000 both
LEAST_SIEVE = 64  # bits of the smallest sieve: one word
LONGEST = 32  # words of a gram

# Inverses of MurmurHash3's finaliser, modulo 2^64: the sieve is asked for hashes before they are mixed.
INVERSE_1 = np.uint64(pow(0xFF51AFD7ED558CCD, -1, 1 << 64))
INVERSE_2 = np.uint64(pow(0xC4CEB9FE1A85EC53, -1, 1 << 64))
SHIFT = np.uint64(33)


class GramTable(NamedTuple):
    """Grams of several lengths.  Table t has those of `lengths[t]` words: `hashes[bounds[t]:bounds[t + 1]]`.

    A gram is known by its place in `hashes`.  `sieve` has a power of two of bits.
    """

    lengths: NDArray[np.int64]  # [tables], ascending
    bounds: NDArray[np.int64]  # [tables + 1]
    hashes: NDArray[np.uint64]  # sorted and distinct within a table
    sieve: NDArray[np.uint64]

    @property
    def longest(self) -> int:
        """Words of the longest gram; 0 without tables."""
        return int(self.lengths[-1]) if len(self.lengths) else 0


class GramHits(NamedTuple):
    """Where texts hold grams of a table, int64 [hits] each, sorted by document, word and gram."""

    documents: NDArray[np.int64]
    words: NDArray[np.int64]  # number of the gram's first word in its document
    grams: NDArray[np.int64]  # place in the table's hashes


def gram_table(grams: Mapping[int, NDArray[np.uint64]]) -> GramTable:
    """Shingle hashes by their number of words, in any order and repeated, as a table.

    Raises ValueError for a length that no gram has.
    """
    lengths = sorted(grams)
    if lengths and not 1 <= lengths[0] <= lengths[-1] <= LONGEST:
        raise ValueError(f"grams of {lengths} words; expected 1 to {LONGEST}")
    each = [np.unique(grams[length]) for length in lengths]
    hashes = np.concatenate([np.zeros(0, np.uint64), *each])
    bounds = np.cumsum([0, *(len(one) for one in each)])
    bits = LEAST_SIEVE
    while bits < SIEVE_BITS * len(hashes):
        bits *= 2
    sieve = np.zeros(bits // 64, np.uint64)
    places = np.concatenate([unmixed(hashes), hashes]) & np.uint64(bits - 1)
    np.bitwise_or.at(sieve, (places >> np.uint64(6)).astype(np.int64), np.uint64(1) << (places & np.uint64(63)))
    return GramTable(*map(_fixed, (np.array(lengths, np.int64), bounds.astype(np.int64), hashes, sieve)))


def unmixed(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The polynomials over word hashes that were mixed into shingle hashes."""
    value = hashes ^ (hashes >> SHIFT)  # a shift by more than half the bits is its own inverse
    value = value * INVERSE_2
    value = value ^ (value >> SHIFT)
    value = value * INVERSE_1
    unmixed: NDArray[np.uint64] = value ^ (value >> SHIFT)
    return unmixed


def sorted_hits(documents: NDArray[np.int64], words: NDArray[np.int64], grams: NDArray[np.int64]) -> GramHits:
    """Hits in any order as `GramHits`."""
    order = np.lexsort((grams, words, documents))
    return GramHits(documents[order], words[order], grams[order])


def _fixed(array: NDArray[Scalar]) -> NDArray[Scalar]:
    return read_only(np.ascontiguousarray(array))
