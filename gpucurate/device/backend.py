"""The verbs a device must offer: text in, NumPy out, the same numbers on every device."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.text_buffers import Offsets, TextBuffers
from gpucurate.device.grams import GramHits, GramTable
from gpucurate.device.hash_family import HashFamily

Pairs = NDArray[np.int64]  # [pairs, 2]


class Signatures(NamedTuple):
    """MinHash of a batch.  A document without words has 0 shingles, and all ones for a signature."""

    rows: NDArray[np.uint32]  # [documents, hashes]
    shingles: NDArray[np.int64]  # [documents], as they occur: repeated ones count


class ShingleSets(NamedTuple):
    """Sorted distinct shingle hashes of a batch: document d's are `hashes[offsets[d]:offsets[d + 1]]`."""

    offsets: Offsets  # int64 [documents + 1]
    hashes: NDArray[np.uint64]


class Windows(NamedTuple):
    """Sampled windows of a batch, in the order of the text: document d's are at `offsets[d]:offsets[d + 1]`."""

    offsets: Offsets  # int64 [documents + 1]
    positions: NDArray[np.int64]  # number of the window's first word in its document
    hashes: NDArray[np.uint64]


class Backend(Protocol):
    """A device.  All arrays live in host memory at this border; a device moves them as it likes."""

    name: str

    def prepare(self) -> None:
        """Compile what the verbs below `text_features` need, where other processes find it in a cache; else nothing."""
        ...

    def text_features(self, texts: TextBuffers, stop_words: tuple[str, ...], grams: bool = True) -> NDArray[np.void]:
        """Counts of words, lines, paragraphs and n-grams that the quality rules are made of.

        One structured row a document, dtype `gpucurate.device.features.TEXT_FEATURES`; of `stop_words` (as written,
        one word each by docs/rules.md) it is counted how many different ones occur.  Without `grams` the fields
        of n-grams are 0, for a caller that does not read them.
        """
        ...

    def signatures(self, texts: TextBuffers, shingle: int, hashes: HashFamily) -> Signatures:
        """MinHash signatures over word shingles of `shingle` words (docs/near-duplicates.md defines words).

        `rows[d, j]` is the least `a[j] * x + b[j] mod 2^32` over the document's shingle hashes x (their low 32 bits).
        A document of fewer words than a shingle is one shingle.  Defined for any bytes, damaged UTF-8 included.
        """
        ...

    def shingle_sets(self, texts: TextBuffers, shingle: int) -> ShingleSets:
        """The 64-bit shingle hashes of every document, sorted and each once: what exact Jaccard compares."""
        ...

    def sampled_windows(self, texts: TextBuffers, window: int, span: int) -> Windows:
        """Of every `span` consecutive windows of `window` words in a document the one with the least hash.

        The first of equal ones; each window once, however many spans chose it.  Windows are shingles of so many words
        and hashed like them, but a document of fewer than `window + span - 1` words has none; a span of 1 gives all.
        """
        ...

    def band_keys(self, signatures: NDArray[np.uint32], bands: int, rows: int) -> NDArray[np.uint64]:
        """[bands, documents]: the bucket of each band's `rows` consecutive hashes; bands never share a bucket.

        `signatures` has at least `bands * rows` columns.
        """
        ...

    def group(
        self, keys: NDArray[np.uint64], first: NDArray[np.uint64], second: NDArray[np.uint64], all_pairs: int
    ) -> Pairs:
        """Pairs of rows with equal keys, as indices into the three arrays [rows].

        Rows of one key are ordered by (`first`, `second`, index).  A bucket of at most `all_pairs` rows gives all its
        pairs, a larger one a star: its least row with every other.  In a pair the lesser row by that order comes
        first; pairs are sorted by (key, place of the first in its bucket, place of the second).
        """
        ...

    def shared(self, pairs: Pairs, sets: ShingleSets) -> NDArray[np.int64]:
        """[pairs]: how many shingle hashes both documents of a pair have; the pair holds places in `sets`."""
        ...

    def components(self, nodes: int, batches: Iterable[Pairs]) -> NDArray[np.int64]:
        """[nodes]: the least node that each node is connected with, itself included, over the pairs of all batches."""
        ...

    def gram_hits(self, texts: TextBuffers, table: GramTable) -> GramHits:
        """Every place where a text holds a gram of the table; grams are hashed as `shingle_sets` does.

        A document of fewer words than a gram holds none of that length.  Defined for any bytes.
        """
        ...
