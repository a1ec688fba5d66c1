"""From changed bytes and removed spans to the `Edit` a step hands over.

Shared by the steps that change text; knows Arrow's layout of a column with nulls, and no rule.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpucurate.core.compiled import kernel
from gpucurate.core.text_buffers import Bytes, Offsets
from gpucurate.steps.contract import SPANS

Rows = NDArray[np.int64]


def column_of_changes(data: Bytes, offsets: Offsets, changed: NDArray[np.bool_]) -> pa.Array:
    """large_string with null wherever `changed` is false; such rows are empty in `offsets`."""
    validity = pa.py_buffer(np.packbits(changed, bitorder="little"))
    buffers = [validity, pa.py_buffer(np.ascontiguousarray(offsets)), pa.py_buffer(data)]
    return pa.LargeStringArray.from_buffers(len(changed), buffers[1], buffers[2], buffers[0])


def spans_table(
    row: Rows, start: Rows, end: Rows, kind: Sequence[str] | pa.Array, replacement: pa.Array | None = None
) -> pa.Table:
    """Columns to a table of schema SPANS; without `replacement` every span is removed."""
    removed = pa.repeat(pa.scalar(""), len(row)) if replacement is None else replacement.cast(pa.string())
    columns = [pa.array(row, pa.int32()), pa.array(start), pa.array(end), removed, pa.array(kind, pa.string())]
    return pa.table(columns, schema=SPANS)


@kernel
def without_spans(
    text: Bytes, offsets: Offsets, row: Rows, start: Rows, end: Rows
) -> tuple[Bytes, Offsets, NDArray[np.bool_]]:
    """Data, offsets and changed flags of the documents that lose spans; the others come out empty.

    Spans are sorted by (row, start), do not overlap, are byte offsets into their document, and are not empty.
    """
    documents = offsets.shape[0] - 1
    changed = np.zeros(documents, np.bool_)
    size = 0
    for k in range(row.shape[0]):
        if not changed[row[k]]:
            size += offsets[row[k] + 1] - offsets[row[k]]
        changed[row[k]] = True
        size -= end[k] - start[k]
    data = np.empty(size, np.uint8)
    new_offsets = np.zeros(documents + 1, np.int64)
    k = 0
    at = 0
    for d in range(documents):
        if changed[d]:
            here = offsets[d]
            while k < row.shape[0] and row[k] == d:
                until = offsets[d] + start[k]
                data[at : at + until - here] = text[here:until]
                at += until - here
                here = offsets[d] + end[k]
                k += 1
            rest = offsets[d + 1] - here
            data[at : at + rest] = text[here : offsets[d + 1]]
            at += rest
        new_offsets[d + 1] = at
    return data, new_offsets, changed
