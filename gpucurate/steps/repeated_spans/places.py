"""Where something is, in one number: a document in the upper half, a unit of it in the lower.

The document is a row of a part, or a node of the corpus.  Numbers sort by document, then by unit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpucurate.core.text_buffers import Offsets
from gpucurate.steps.comparison import KEY_SPACE, Range
from gpucurate.steps.near_duplicates.numbering import HALF, LOW

Places = NDArray[np.uint64]
KEYS = pa.schema(
    [
        pa.field("key", pa.uint64(), nullable=False),  # a window's hash; sorted
        pa.field("place", pa.uint64(), nullable=False),  # row in the part, and the window's first unit
    ]
)
BATCH_BYTES = 16 << 20  # of text, whose units are in memory at a time


def place(document: NDArray[np.int64], unit: NDArray[np.int64]) -> Places:
    """Numbers of places; documents and units are below 2^32."""
    return document.astype(np.uint64) << HALF | unit.astype(np.uint64)


def document_of(places: Places) -> NDArray[np.int64]:
    """The documents of places."""
    return (places >> HALF).astype(np.int64)


def unit_of(places: Places) -> NDArray[np.int64]:
    """The units of places."""
    return (places & LOW).astype(np.int64)


def of_documents(nodes: Range) -> Range:
    """Places in the documents of a range."""
    return Range(nodes.low << 32, min(nodes.high << 32, KEY_SPACE))


def key_table(keys: Sequence[NDArray[np.uint64]], places: Sequence[Places]) -> pa.Table:
    """Schema KEYS, sorted by key and place; `places` come in order."""
    key = np.concatenate([np.zeros(0, np.uint64), *keys])
    where = np.concatenate([np.zeros(0, np.uint64), *places])
    order = np.argsort(key, kind="stable")
    return pa.table([pa.array(key[order]), pa.array(where[order])], schema=KEYS)


def batches(offsets: Offsets) -> Iterator[slice]:
    """Cut documents into runs of at most BATCH_BYTES, a longer one alone."""
    documents = len(offsets) - 1
    first = 0
    while first < documents:
        last = int(np.searchsorted(offsets, offsets[first] + BATCH_BYTES, side="right")) - 1
        last = max(last, first + 1)
        yield slice(first, last)
        first = last
