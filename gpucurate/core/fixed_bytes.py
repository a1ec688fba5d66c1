"""Fixed-size binary columns (record ids, digests, signatures) as NumPy arrays, without copying.

Only this module knows how Arrow lays them out.  `.view` gives their numbers, and sorts like the bytes where those are
big-endian.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray


def fixed_bytes(column: pa.Array | pa.ChunkedArray) -> NDArray[np.uint8]:
    """uint8 [rows, width] of a fixed-size binary column without nulls; copies only to join chunks.

    Raises ValueError if the column has nulls.
    """
    if isinstance(column, pa.ChunkedArray):
        column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    if column.null_count:
        raise ValueError(f"column of fixed size has {column.null_count} nulls")
    width = column.type.byte_width
    if not len(column):
        return np.zeros((0, width), np.uint8)
    rows = np.frombuffer(column.buffers()[1], np.uint8)[column.offset * width :]
    return rows[: len(column) * width].reshape(-1, width)


def fixed_column(rows: NDArray[np.uint8]) -> pa.Array:
    """uint8 [rows, width] as a fixed-size binary column; copies only what is not contiguous."""
    rows = np.ascontiguousarray(rows)
    return pa.FixedSizeBinaryArray.from_buffers(pa.binary(rows.shape[1]), len(rows), [None, pa.py_buffer(rows)])
