"""Arrow string columns as the two arrays that compiled code works on, without copying.

A batch of texts is `data` (uint8, all texts one after another) and `offsets` (int64, one more than there are texts).
Every kernel in the project takes and gives this pair; only this module knows how Arrow lays it out.
"""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Offsets = NDArray[np.int64]
Scalar = TypeVar("Scalar", bound=np.generic)


class TextBuffers(NamedTuple):
    """`data` uint8 [bytes], read-only; `offsets` int64 [documents + 1], read-only, ascending, into `data`."""

    data: Bytes
    offsets: Offsets

    @property
    def documents(self) -> int:
        """How many texts there are."""
        return int(self.offsets.shape[0]) - 1


def text_buffers(column: pa.Array | pa.ChunkedArray) -> TextBuffers:
    """View a string or large_string column without nulls as buffers; copies only to join chunks or widen offsets.

    Raises ValueError if the column has nulls.
    """
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    if column.null_count:
        raise ValueError(f"text column has {column.null_count} nulls")
    if pa.types.is_string(column.type) or pa.types.is_binary(column.type):
        column = column.cast(pa.large_string() if pa.types.is_string(column.type) else pa.large_binary())
    _, offsets, data = column.buffers()
    if offsets is None or len(column) == 0:
        return TextBuffers(read_only(np.zeros(0, np.uint8)), read_only(np.zeros(1, np.int64)))
    view = np.frombuffer(offsets, np.int64)[column.offset : column.offset + len(column) + 1]
    raw = np.frombuffer(data, np.uint8) if data is not None and data.size else np.zeros(0, np.uint8)
    return TextBuffers(read_only(raw), read_only(view))


def text_array(data: Bytes, offsets: Offsets) -> pa.Array:
    """Buffers to a large_string array, sharing memory.  The caller vouches for valid UTF-8."""
    return pa.LargeStringArray.from_buffers(
        len(offsets) - 1,
        pa.py_buffer(np.ascontiguousarray(offsets, np.int64)),
        pa.py_buffer(np.ascontiguousarray(data)),
    )


def pack_texts(texts: list[str] | list[bytes]) -> TextBuffers:
    """Python strings to buffers (one copy)."""
    encoded = [t.encode() if isinstance(t, str) else t for t in texts]
    offsets = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum([len(t) for t in encoded], out=offsets[1:])
    return TextBuffers(read_only(np.frombuffer(b"".join(encoded), np.uint8)), read_only(offsets))


def read_only(array: NDArray[Scalar]) -> NDArray[Scalar]:
    """One mutability for every caller, hence one compiled specialisation (Arrow's own buffers are read-only)."""
    view = array.view()
    view.flags.writeable = False
    return view
