"""Common grams: what an item shares with documents that hold little else of it.

Passages, licences, verses and set phrases occur in benchmarks as they do everywhere.  How often a gram occurs does not
tell them from a leak, since a leaked item is copied too; what tells is the company it keeps.  A document is *related*
to a gram if it holds at least WHOLE of some text with that gram.  A gram is common if more than `common` documents hold
it that are not related to it.

So the passage that an item quotes is common if many documents have the passage and not the question, and the item is
then searched for by its question; an item that is nothing but a passage cannot be told from it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpucurate.steps.comparison import Nodes
from gpucurate.steps.decontaminate.items import Protected
from gpucurate.steps.decontaminate.matching import held, pairs_of, spread
from gpucurate.steps.near_duplicates.numbering import column

WHOLE = 0.8  # share of a text's grams: what remains of a copy that lost its ends, or had words changed

COUNTS = pa.schema(
    [
        pa.field("gram", pa.int64(), nullable=False),  # place in the table; sorted
        pa.field("documents", pa.int64(), nullable=False),  # that hold it
        pa.field("unrelated", pa.int64(), nullable=False),  # of those, that hold little else of its texts
    ]
)
COMMON = pa.schema([*COUNTS, pa.field("common", pa.bool_(), nullable=False)])


def counts(table: pa.Table, protected: Protected) -> pa.Table:
    """Documents by gram in one part's matches; schema COUNTS."""
    documents, grams = pairs_of(table)
    found = held(documents, grams, protected)
    whole = found.matched >= np.ceil(WHOLE * protected.sizes[found.texts])
    related = _related(found.documents[whole], found.texts[whole], documents, grams, protected)
    named, number = np.unique(grams, return_inverse=True)
    every = np.bincount(number, minlength=len(named))
    strange = np.bincount(number[~related], minlength=len(named))
    return pa.table([pa.array(each.astype(np.int64)) for each in (named, every, strange)], schema=COUNTS)


def _related(
    whole_documents: Nodes, whole_texts: Nodes, documents: Nodes, grams: Nodes, protected: Protected
) -> NDArray[np.bool_]:
    """Which (document, gram) pairs belong to a text that the document holds as a whole."""
    at, places = spread(protected.starts[whole_texts], protected.sizes[whole_texts])
    span = max(1, len(protected.table.hashes))
    explained = np.unique(whole_documents[at] * span + protected.grams[places])
    return np.isin(documents * span + grams, explained)


def common_grams(tables: Sequence[pa.Table], most: int) -> pa.Table:
    """Counts of all parts together, and which grams are common; schema COMMON."""
    grams = np.concatenate([np.zeros(0, np.int64), *(column(table, "gram") for table in tables)])
    named, number = np.unique(grams, return_inverse=True)
    sums = []
    for name in ("documents", "unrelated"):
        total = np.zeros(len(named), np.int64)
        np.add.at(total, number, np.concatenate([np.zeros(0, np.int64), *(column(table, name) for table in tables)]))
        sums.append(total)
    columns = [named, *sums, sums[1] > most]
    return pa.table([pa.array(each) for each in columns], schema=COMMON)


def mask_of(table: pa.Table, protected: Protected) -> NDArray[np.bool_]:
    """[grams of the table] which are common."""
    mask = np.zeros(len(protected.table.hashes), np.bool_)
    mask[column(table.filter(table["common"]), "gram")] = True
    return mask


def sizes_without(common: NDArray[np.bool_], protected: Protected) -> Nodes:
    """[texts] how many grams each has that are not common."""
    left = np.concatenate([[0], np.cumsum(~common[protected.grams])])
    sizes: Nodes = (left[protected.starts[1:]] - left[protected.starts[:-1]]).astype(np.int64)
    return sizes
