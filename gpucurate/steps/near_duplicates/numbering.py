"""Documents of the corpus and of older ones under one numbering, and columns looked up by node.

Nodes of this corpus come first (row `r` of part `p` is `starts[p] + r`), those of indexes follow, chunk by chunk.  A
pair of nodes travels as one uint64, the first in the upper half, so that pairs sort and compare as numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpucurate.core.errors import UserError
from gpucurate.steps.comparison import Nodes, Range

Packed = NDArray[np.uint64]
Value = TypeVar("Value", bound=np.generic)
HALF = np.uint64(32)
LOW = np.uint64(0xFFFFFFFF)
PAIRS = pa.schema([pa.field("pair", pa.uint64(), nullable=False)])
NODE_LIMIT = 1 << 32


def extend(starts: Nodes, more: Sequence[int]) -> Nodes:
    """Starts of the corpus and of `more` documents chunk by chunk; raises UserError beyond 2^32 documents."""
    extended = np.concatenate([starts, starts[-1] + np.cumsum(more, dtype=np.int64)]).astype(np.int64)
    if extended[-1] >= NODE_LIMIT:
        raise UserError(
            f"near_duplicates compares at most {NODE_LIMIT:,} documents, these are {int(extended[-1]):,}. "
            "Remedy: run parts of the corpus by themselves, or drop more documents before"
        )
    return extended


def pack(first: NDArray[np.int64], second: NDArray[np.int64]) -> Packed:
    """Pairs as numbers."""
    return first.astype(np.uint64) << HALF | second.astype(np.uint64)


def unpack(pairs: Packed) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First and second nodes."""
    return (pairs >> HALF).astype(np.int64), (pairs & LOW).astype(np.int64)


def pairs_from(tables: Sequence[pa.Table], nodes: Range) -> Packed:
    """Distinct pairs of all tables (sorted by `pair`) whose first node lies in a range, sorted."""
    of_pairs = Range(nodes.low << 32, nodes.high << 32)
    return np.unique(
        np.concatenate([np.zeros(0, np.uint64), *(column(of_pairs.of(t, "pair"), "pair") for t in tables)])
    )


def column(table: pa.Table, name: str) -> NDArray[Any]:
    """A column without nulls as NumPy; a view where the table has one chunk."""
    values = table[name]
    found: NDArray[Any] = values.chunk(0).to_numpy() if values.num_chunks == 1 else values.to_numpy()
    return found


def by_piece(nodes: Nodes, starts: Nodes) -> Iterator[tuple[int, slice, Nodes]]:
    """For every piece that has some of the sorted nodes: its number, where they are in `nodes`, and their rows."""
    cuts = np.searchsorted(nodes, starts)
    for piece in np.flatnonzero(cuts[1:] > cuts[:-1]).tolist():
        where = slice(int(cuts[piece]), int(cuts[piece + 1]))
        yield piece, where, nodes[where] - starts[piece]


def look_up(
    nodes: Nodes, starts: Nodes, tables: Sequence[pa.Table], read: Callable[[pa.Table], NDArray[Value]]
) -> NDArray[Value]:
    """Values of sorted nodes.  Every table has a sorted `row`; `read` gives one value a row of it."""
    found = [
        read(tables[piece])[np.searchsorted(column(tables[piece], "row"), rows)]
        for piece, _, rows in by_piece(nodes, starts)
    ]
    return np.concatenate(found) if found else read(tables[0])[:0]
