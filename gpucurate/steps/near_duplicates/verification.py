"""Verification: how similar the two documents of a candidate pair are.

Exact by default: the Jaccard similarity of their sets of shingle hashes (64 bits, so that two different shingles are
taken for one another once in 10^19 comparisons).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpucurate.core.text_buffers import text_buffers
from gpucurate.device.backend import Backend, ShingleSets
from gpucurate.steps.comparison import Nodes, PartDocuments, Range
from gpucurate.steps.near_duplicates.numbering import HALF, LOW, Packed, by_piece, column, look_up, pairs_from, unpack
from gpucurate.steps.near_duplicates.signing import signature_rows

SIMILAR = pa.schema(
    [
        pa.field("pair", pa.uint64(), nullable=False),  # lesser node first; sorted
        pa.field("similarity", pa.float64(), nullable=False),
    ]
)
BATCH_HASHES = 16 << 20  # 128 MB of shingle hashes are compared at a time
BATCH_PAIRS = 1 << 20  # whose sets are looked at together
BATCH_SIGNATURES = 1 << 17  # pairs, of which both signatures are in memory: 117 MB of 112 hashes


def sets_of_candidates(part: PartDocuments, pairs: Sequence[pa.Table], backend: Backend, shingle: int) -> pa.Table:
    """`row` and `hashes` (list of uint64, sorted) of every document of the part that is in a pair."""
    nodes = Range(int(part.starts[part.number]), int(part.starts[part.number + 1]))
    wanted = np.unique(pairs_from(pairs, nodes) >> HALF).astype(np.int64) - nodes.low
    at = np.flatnonzero(np.isin(part.rows, wanted))
    sets = backend.shingle_sets(text_buffers(part.texts().take(pa.array(at))), shingle)
    return pa.table({"row": pa.array(part.rows[at]), "hashes": set_column(sets)})


def set_column(sets: ShingleSets) -> pa.Array:
    """Shingle sets as a large_list of uint64, without copying."""
    return pa.LargeListArray.from_arrays(pa.array(sets.offsets), pa.array(sets.hashes))


def by_sets(
    nodes: Range, starts: Nodes, pairs: Sequence[pa.Table], sets: Sequence[pa.Table], backend: Backend
) -> pa.Table:
    """Exact Jaccard similarity of the pairs whose lesser node lies in a range; schema SIMILAR."""
    todo = _once(pairs_from(pairs, nodes))
    similarity = np.zeros(len(todo))
    for batch in _batches(todo, starts, sets):
        distinct, places = _documents_of(todo[batch])
        loaded = _load(distinct, starts, sets)
        both = np.ascontiguousarray(places.T).astype(np.int64)
        shared = backend.shared(both, loaded)
        either = np.diff(loaded.offsets)[both].sum(axis=1) - shared
        # Integers below 2^53, one division: the same on every machine.  Two documents without words share nothing.
        similarity[batch] = shared / np.maximum(either, 1)
    return _similar(todo, similarity)


def by_signatures(nodes: Range, starts: Nodes, pairs: Sequence[pa.Table], signed: Sequence[pa.Table]) -> pa.Table:
    """The share of equal hashes, an estimate of the Jaccard similarity; schema SIMILAR."""
    todo = _once(pairs_from(pairs, nodes))
    similarity = np.zeros(len(todo))
    for low in range(0, len(todo), BATCH_SIGNATURES):
        batch = slice(low, low + BATCH_SIGNATURES)
        distinct, (left, right) = _documents_of(todo[batch])
        rows = look_up(distinct, starts, signed, signature_rows)
        shingles = look_up(distinct, starts, signed, lambda t: column(t, "shingles"))
        equal = (rows[left] == rows[right]).sum(axis=1)
        similarity[batch] = np.where(shingles[left] > 0, equal / rows.shape[1], 0)  # without words all hashes are ones
    return _similar(todo, similarity)


def trusted(nodes: Range, pairs: Sequence[pa.Table]) -> pa.Table:
    """Every candidate pair as if its documents were equal; schema SIMILAR."""
    todo = _once(pairs_from(pairs, nodes))
    return _similar(todo, np.ones(len(todo)))


def _once(pairs: Packed) -> Packed:
    """Of a pair and its reverse, the one whose lesser node comes first."""
    return pairs[pairs >> HALF < pairs & LOW]


def _documents_of(pairs: Packed) -> tuple[Nodes, NDArray[np.int64]]:
    """The distinct nodes of some pairs, sorted, and [2, pairs]: where among them each pair's two are."""
    distinct, places = np.unique(np.concatenate(unpack(pairs)), return_inverse=True)
    return distinct, places.reshape(2, -1)


def _similar(pairs: Packed, similarity: NDArray[np.float64]) -> pa.Table:
    return pa.table([pa.array(pairs), pa.array(similarity)], schema=SIMILAR)


def _batches(pairs: Packed, starts: Nodes, sets: Sequence[pa.Table]) -> Iterator[slice]:
    """Cut sorted pairs so that the sets of a batch fit; a pair of two giant documents is a batch by itself."""
    for low in range(0, len(pairs), BATCH_PAIRS):
        distinct, places = _documents_of(pairs[low : low + BATCH_PAIRS])
        sizes = look_up(distinct, starts, sets, _sizes)[places]
        first = places[0]
        new = np.r_[True, first[1:] != first[:-1]]
        cost = np.cumsum(sizes[1] + np.where(new, sizes[0], 0))
        cuts = np.flatnonzero(np.diff(cost // BATCH_HASHES)) + 1
        edges = [0, *cuts.tolist(), len(first)]
        yield from (slice(low + a, low + b) for a, b in itertools.pairwise(edges))


def _sizes(table: pa.Table) -> NDArray[np.int64]:
    return np.diff(_offsets(table))


def _offsets(table: pa.Table) -> NDArray[np.int64]:
    lists = table["hashes"]
    return lists.chunk(0).offsets.to_numpy() if lists.num_chunks else np.zeros(1, np.int64)


def _load(nodes: Nodes, starts: Nodes, sets: Sequence[pa.Table]) -> ShingleSets:
    """The sets of sorted nodes, put together."""
    sizes = look_up(nodes, starts, sets, _sizes)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    hashes = np.empty(int(offsets[-1]), np.uint64)
    for piece, where, rows in by_piece(nodes, starts):
        table = sets[piece]
        at = np.searchsorted(column(table, "row"), rows)
        begins = _offsets(table)[at]
        values = table["hashes"].chunk(0).values.to_numpy()
        out = slice(int(offsets[where.start]), int(offsets[where.stop]))
        shift = np.repeat(begins - offsets[where.start : where.stop], sizes[where])
        hashes[out] = values[np.arange(out.start, out.stop) + shift]
    return ShingleSets(offsets, hashes)
