from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpucurate.core.fixed_bytes import fixed_bytes, fixed_column

values = st.lists(st.binary(min_size=16, max_size=16), max_size=20)


@given(values, st.integers(0, 5), st.integers(0, 20))
def test_slices_and_chunks_are_the_bytes(rows: list[bytes], low: int, cut: int) -> None:
    array = pa.array(rows, pa.binary(16))
    assert fixed_bytes(array).tobytes() == b"".join(rows)
    assert fixed_bytes(array.slice(low)).tobytes() == b"".join(rows[low:])
    chunked = pa.chunked_array([array[:cut], array[cut:]])
    assert fixed_bytes(chunked).tobytes() == b"".join(rows)
    assert fixed_bytes(chunked.slice(low)).shape == (len(rows[low:]), 16)
    assert fixed_column(fixed_bytes(array)).equals(array)


def test_one_chunk_is_viewed_and_not_copied() -> None:
    array = pa.array([b"abcd", b"efgh", b"ijkl"], pa.binary(4))
    view = fixed_bytes(pa.chunked_array([array]).slice(1))
    assert view.ctypes.data == array.buffers()[1].address + 4
    assert view.view(">u4").ravel().tolist() == [int.from_bytes(each, "big") for each in (b"efgh", b"ijkl")]


def test_columns_of_every_other_row() -> None:
    rows = np.arange(24, dtype=np.uint8).reshape(6, 4)
    assert fixed_column(rows[::2]).to_pylist() == [row.tobytes() for row in rows[::2]]


def test_nulls_are_refused() -> None:
    with pytest.raises(ValueError, match="has 1 nulls"):
        fixed_bytes(pa.array([b"abcd", None], pa.binary(4)))
