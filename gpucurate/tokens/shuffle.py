"""The global order of documents: by a keyed hash of the record id, so that it depends on seed and content alone.

The same documents come in the same order however they were cut into parts; a document added or removed moves no two
others past each other.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpucurate.core.digests import RECORD_BYTES
from gpucurate.tokens.siphash import derive_key, siphash

Order = NDArray[np.int64]


def shuffled_order(record_ids: pa.Array, part: NDArray[np.int32], row: NDArray[np.int32], seed: int) -> Order:
    """Permutation (int64 [documents]) that sorts by SipHash-2-4 of the record id under a key made from `seed`.

    Equal hashes are ordered by record id, equal record ids by part and row.  100 million documents take about 20 s
    on one core and 3.2 GB besides the index.
    """
    words = id_words(record_ids)
    hashes = siphash(derive_key("shuffle of documents", seed), words)
    order = np.argsort(hashes).astype(np.int64, copy=False)
    ascending = hashes[order]
    equal = ascending[1:] == ascending[:-1]
    tied = np.flatnonzero(np.concatenate([[False], equal]) | np.concatenate([equal, [False]]))
    members = order[tied]
    big = words[members].byteswap()  # compares as the bytes do
    ranks = np.lexsort((row[members], part[members], big[:, 1], big[:, 0], hashes[members]))
    order[tied] = members[ranks]
    return order


def corpus_order(part: NDArray[np.int32], row: NDArray[np.int32]) -> Order:
    """Permutation (int64 [documents]) that sorts by part, then row: no shuffle."""
    return np.lexsort((row, part))


def id_words(record_ids: pa.Array) -> NDArray[np.uint64]:
    """View 16-byte ids as two little-endian words each (uint64 [documents, 2])."""
    count, width = len(record_ids), RECORD_BYTES // 8
    data = record_ids.buffers()[1]
    if data is None or count == 0:
        return np.zeros((0, width), np.uint64)
    words = np.frombuffer(data, "<u8").reshape(-1, width)
    return words[record_ids.offset : record_ids.offset + count].astype(np.uint64, copy=False)


def id_bytes(record_ids: pa.Array) -> NDArray[np.bytes_]:
    """Ids as NumPy byte strings of length 16 ([documents]), which compare and sort as the ids do."""
    return np.ascontiguousarray(id_words(record_ids), "<u8").view(f"S{RECORD_BYTES}").reshape(-1)
