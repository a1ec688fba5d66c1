"""Windows of equal keys: which is the first, how often it occurs, and which of the others go.

The first is the one in the document of the smallest record id, by position within it.  Another one goes unless it
overlaps the first: of `ha ha ha ...` one window stays whole.  With `boilerplate: m` all go where more than m occur,
counted from the left without overlaps.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpucurate.core.compiled import kernel
from gpucurate.steps.comparison import Nodes, Range
from gpucurate.steps.near_duplicates.numbering import HALF, LOW, column, look_up
from gpucurate.steps.repeated_spans.places import Places, document_of, unit_of

GONE = pa.schema(
    [
        pa.field("place", pa.uint64(), nullable=False),  # node, first unit; sorted
        pa.field("first", pa.uint64(), nullable=False),  # where the same window occurs first
        pa.field("occurrences", pa.int64(), nullable=False),
    ]
)
MET = pa.schema([pa.field("node", pa.int64(), nullable=False)])  # sorted


def gone_windows(
    keys: Range, starts: Nodes, windows: Sequence[pa.Table], orders: Sequence[pa.Table], units: int, most: int | None
) -> pa.Table:
    """Windows of one range of keys that go; schema GONE.  Equal keys are not yet equal units."""
    key, where = [np.zeros(0, np.uint64)], [np.zeros(0, np.uint64)]
    for table, start in zip(windows, starts[:-1].tolist(), strict=True):
        rows = keys.of(table, "key")
        key.append(column(rows, "key"))
        where.append(column(rows, "place") + (np.uint64(start) << HALF))
    all_keys, places = _repeated(np.concatenate(key), np.concatenate(where))
    rank = _ranks(places, starts, orders)
    order = np.lexsort((rank << HALF | places & LOW, all_keys))
    all_keys, places = all_keys[order], places[order]
    first, occurrences, gone = decide(
        all_keys, document_of(places), unit_of(places), units, -1 if most is None else most
    )
    columns = places[gone], places[first[gone]], occurrences[gone]
    order = np.argsort(columns[0])
    return pa.table([pa.array(each[order]) for each in columns], schema=GONE)


def _repeated(keys: NDArray[np.uint64], places: Places) -> tuple[NDArray[np.uint64], Places]:
    """Those whose key occurs more than once, sorted by key."""
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    same = keys[1:] == keys[:-1]
    several = np.zeros(len(keys), np.bool_)
    several[1:] |= same
    several[:-1] |= same
    return keys[several], places[order[several]]


def _ranks(places: Places, starts: Nodes, orders: Sequence[pa.Table]) -> NDArray[np.uint64]:
    """The rank of each place's document among those here: by record id, then as they come in the corpus."""
    nodes, at = np.unique(document_of(places), return_inverse=True)
    numbers = look_up(nodes, starts, orders, lambda t: column(t, "number")) if len(nodes) else np.zeros(0, np.uint64)
    rank = np.empty(len(nodes), np.uint64)
    rank[np.lexsort((nodes, numbers))] = np.arange(len(nodes), dtype=np.uint64)
    return rank[at]


@kernel
def decide(
    keys: NDArray[np.uint64], document: NDArray[np.int64], unit: NDArray[np.int64], units: int, most: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """For windows sorted by (key, document's rank, unit): index of the first, occurrences, whether it goes.

    `most` is the number of occurrences above which all go; negative: all but the first go.
    """
    n = len(keys)
    first, occurrences, gone = np.empty(n, np.int64), np.empty(n, np.int64), np.zeros(n, np.bool_)
    low = 0
    while low < n:
        high = low + 1
        counted, count = low, 1  # the last one that does not overlap one counted before
        while high < n and keys[high] == keys[low]:
            if document[high] != document[counted] or unit[high] >= unit[counted] + units:
                counted, count = high, count + 1
            high += 1
        for i in range(low, high):
            first[i], occurrences[i] = low, count
            if most >= 0:
                gone[i] = count > most
            else:
                gone[i] = document[i] != document[low] or unit[i] >= unit[low] + units
        low = high
    return first, occurrences, gone


def met_documents(gone: pa.Table) -> pa.Table:
    """Documents that a piece of schema GONE names; schema MET."""
    both = np.concatenate([document_of(column(gone, "place")), document_of(column(gone, "first"))])
    return pa.table([pa.array(np.unique(both))], schema=MET)
