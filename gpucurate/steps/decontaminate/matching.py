"""Which texts a document holds: its distinct grams, counted by text.

Evaluation-side containment: C_n(e, d) = |G(e) & G(d)| / |G(e)|, where G(e) are the n-grams of the protected text e and
G(d) those of the document d.  It asks how much of the item is in the document, however long the document is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpucurate.core.text_buffers import TextBuffers, text_buffers
from gpucurate.device.backend import Backend
from gpucurate.steps.comparison import PartDocuments
from gpucurate.steps.decontaminate.items import Numbers, Protected

MATCHES = pa.schema(
    [
        pa.field("row", pa.int32(), nullable=False),  # in the part; a document without a gram has no row
        pa.field("grams", pa.list_(pa.int64()), nullable=False),  # places in the table, sorted, each once
    ]
)


@dataclass(frozen=True, slots=True)
class Held:
    """How much of a text a document holds, one row a pair that shares a gram; sorted by (document, text)."""

    documents: Numbers
    texts: Numbers
    matched: Numbers


def matches(part: PartDocuments, protected: Protected, backend: Backend) -> pa.Table:
    """The grams of every document of a part; schema MATCHES."""
    documents, grams = distinct_grams(text_buffers(part.texts()), protected, backend)
    rows, firsts = np.unique(documents, return_index=True)
    offsets = pa.array(np.r_[firsts, len(grams)].astype(np.int32))
    lists = pa.ListArray.from_arrays(offsets, pa.array(grams))
    return pa.table([pa.array(part.rows[rows], pa.int32()), lists], schema=MATCHES)


def distinct_grams(texts: TextBuffers, protected: Protected, backend: Backend) -> tuple[Numbers, Numbers]:
    """(document, gram) of every gram that a text holds, sorted, each once."""
    hits = backend.gram_hits(texts, protected.table)
    order = np.lexsort((hits.grams, hits.documents))
    documents, grams = hits.documents[order], hits.grams[order]
    new = np.ones(len(grams), np.bool_)
    new[1:] = (grams[1:] != grams[:-1]) | (documents[1:] != documents[:-1])
    return documents[new], grams[new]


def pairs_of(table: pa.Table) -> tuple[Numbers, Numbers]:
    """A table of schema MATCHES as (place in the table, gram) pairs."""
    lists = table["grams"].combine_chunks()
    if isinstance(lists, pa.ChunkedArray):
        lists = lists.chunk(0) if lists.num_chunks else pa.array([], pa.list_(pa.int64()))
    sizes = np.diff(lists.offsets.to_numpy())
    return np.repeat(np.arange(len(lists)), sizes), lists.flatten().to_numpy()


def held(documents: Numbers, grams: Numbers, protected: Protected, common: NDArray[np.bool_] | None = None) -> Held:
    """How many grams of each text each document holds; `common` ones ([grams of the table]) do not count."""
    if common is not None:
        documents, grams = documents[~common[grams]], grams[~common[grams]]
    at, owners = owners_of(grams, protected)
    texts = max(1, len(protected.items))
    found, matched = np.unique(documents[at] * texts + owners, return_counts=True)
    document, text = np.divmod(found, texts)
    return Held(document, text, matched.astype(np.int64))


def owners_of(grams: Numbers, protected: Protected) -> tuple[Numbers, Numbers]:
    """Every text that has each of the grams: (place among the grams, text), by place."""
    starts = protected.owner_starts[grams]
    at, places = spread(starts, protected.owner_starts[grams + 1] - starts)
    return at, protected.owners[places]


def spread(starts: Numbers, sizes: Numbers) -> tuple[Numbers, Numbers]:
    """Ranges written out: (number of the range, place) of `sizes[r]` places from `starts[r]` on."""
    ends = np.cumsum(sizes)
    numbers = np.repeat(np.arange(len(sizes)), sizes)
    return numbers, np.arange(len(numbers)) + (starts - (ends - sizes))[numbers]


def needed(shares: NDArray[np.float64], sizes: Numbers) -> Numbers:
    """The least number of grams that is at least the share of so many; at least one."""
    return np.maximum(1, np.ceil(np.round(shares * sizes, 9))).astype(np.int64)
