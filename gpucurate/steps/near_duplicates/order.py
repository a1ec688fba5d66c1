"""The order in which documents of a cluster are considered: the policy's rank, then the record id.

It depends on the documents only, so that the same one stays for any partition and any order of arrival.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from gpucurate.core.documents import RECORD_ID
from gpucurate.core.fixed_bytes import fixed_bytes
from gpucurate.steps.comparison import RATING
from gpucurate.steps.near_duplicates.config import Keep

INDEXED = 0  # rank of documents of an older corpus: they come before all others
MIDDLE = 1 << 62  # ranks of this corpus lie around it
RATING_STEPS = 10_000  # ratings have four decimals
LAST = (1 << 63) - 1  # documents that do not say what the policy asks for

ORDER = pa.schema(
    [
        pa.field("row", pa.int32(), nullable=False),  # in the part
        pa.field("record_id", RECORD_ID, nullable=False),
        pa.field("rank", pa.uint64(), nullable=False),  # least first
        pa.field("number", pa.uint64(), nullable=False),  # the record id's first 8 bytes: breaks ties of rank
    ]
)


def order_table(rows: NDArray[np.int32], documents: pa.Table, keep: Keep) -> pa.Table:
    """One row a document, in the order of the part; schema ORDER."""
    ids = documents["record_id"].combine_chunks()
    columns = [pa.array(rows), ids, pa.array(_ranks(documents, keep)), pa.array(numbers_of(ids))]
    return pa.table(columns, schema=ORDER)


def numbers_of(ids: pa.Array | pa.ChunkedArray) -> NDArray[np.uint64]:
    """First 8 bytes of each record id as a number that sorts like the bytes."""
    numbers: NDArray[np.uint64] = fixed_bytes(ids).view(">u8")[:, 0].astype(np.uint64)
    return numbers


def _ranks(documents: pa.Table, keep: Keep) -> NDArray[np.uint64]:
    if keep is Keep.FIRST_ID:
        return np.full(documents.num_rows, MIDDLE, np.uint64)
    if keep is Keep.LONGEST:
        return np.asarray(MIDDLE - documents["text_bytes"].to_numpy(), np.uint64)
    if keep is Keep.QUALITY:
        rating = documents[RATING].to_numpy()
        known = np.isfinite(rating)
        steps = np.rint(np.where(known, rating, 0) * RATING_STEPS).astype(np.int64)
        return np.where(known, MIDDLE - steps, LAST).astype(np.uint64)
    modified = documents["modified"].cast(pa.int64())
    known = modified.is_valid().to_numpy()
    value = pc.fill_null(modified, 0).to_numpy()
    value = value if keep is Keep.EARLIEST else -value
    return np.where(known, value + MIDDLE, LAST).astype(np.uint64)
