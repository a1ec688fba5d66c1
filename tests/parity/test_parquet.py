"""Parquet straight to the device: cuDF's columns as buffers, and the batches made of them."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gpucurate.core.errors import MissingExtra
from gpucurate.core.text_buffers import pack_texts, text_buffers
from gpucurate.device.cpu import CpuBackend
from gpucurate.device.cuda import CudaBackend, backend, parquet
from gpucurate.device.cuda.engine import Limits
from gpucurate.device.hash_family import affine32
from tests.parity import documents
from tests.parity.host_engine import AMPLE, HostEngine, Shims

FAMILY = affine32(112, 1)


class Column:
    """The part of pylibcudf's Column that is read, over a pyarrow string column in host memory."""

    def __init__(self, array: pa.Array, width: type[np.signedinteger[Any]]) -> None:
        self.array, self.width = array, width
        self.children = array.buffers()

    def null_count(self) -> int:
        return int(self.array.null_count)

    def size(self) -> int:
        return len(self.array)

    def offset(self) -> int:
        return int(self.array.offset)

    def data(self) -> np.ndarray[Any, Any]:
        return np.frombuffer(self.children[2] or b"", np.uint8)

    def child(self, number: int) -> Any:
        assert number == 0
        rows = self.array.offset + len(self.array) + 1
        offsets = np.frombuffer(self.children[1], np.int64)[:rows].astype(self.width)
        return type("Offsets", (), {"data": lambda _: offsets.view(np.uint8), "size": lambda _: rows})()


TEXTS = documents.mixed(1, 400)


@pytest.mark.parametrize("width", [np.int32, np.int64])
@pytest.mark.parametrize("part", [slice(None), slice(3, 99), slice(5, 5), slice(-1, None)], ids=str)
def test_columns_are_read(shims: Shims, part: slice, width: type[np.signedinteger[Any]]) -> None:
    array = pa.array(TEXTS, pa.large_string())[part]
    made = parquet.buffers(HostEngine(shims), Column(array, width))
    expected = pack_texts(TEXTS[part])
    np.testing.assert_array_equal(made.offsets, expected.offsets)
    np.testing.assert_array_equal(made.data, expected.data)
    assert made.size == expected.data.size


def test_nulls_are_refused(shims: Shims) -> None:
    with pytest.raises(ValueError, match="1 nulls"):
        parquet.buffers(HostEngine(shims), Column(pa.array(["a", None], pa.large_string()), np.int32))


@pytest.mark.parametrize("limits", [AMPLE, Limits(2 << 20, 1 << 13), Limits(1 << 20, 10)], ids=str)
@pytest.mark.parametrize("groups", [0, 1, 7])
def test_signatures_of_parquet(shims: Shims, monkeypatch: pytest.MonkeyPatch, limits: Limits, groups: int) -> None:
    parts = [pa.array(documents.mixed(seed, 300), pa.large_string()) for seed in range(groups)]
    monkeypatch.setattr(
        backend,
        "text_columns",
        lambda engine, path, column: (parquet.buffers(engine, Column(p, np.int64)) for p in parts),
    )
    made = CudaBackend(HostEngine(shims, limits)).signatures_of_parquet("a file", "text", 5, FAMILY)
    whole = text_buffers(pa.chunked_array(parts, pa.large_string()))
    expected = CpuBackend().signatures(whole, 5, FAMILY)
    np.testing.assert_array_equal(made.rows, expected.rows)
    np.testing.assert_array_equal(made.shingles, expected.shingles)


@pytest.mark.skipif(find_spec("pylibcudf") is not None, reason="pylibcudf is installed")
def test_without_cudf(shims: Shims, tmp_path: Path) -> None:
    pq.write_table(pa.table({"text": TEXTS}), tmp_path / "file")
    with pytest.raises(
        MissingExtra, match=r"'pylibcudf', which is not installed\. Remedy: pip install 'gpucurate\[cudf\]'"
    ):
        CudaBackend(HostEngine(shims)).signatures_of_parquet(str(tmp_path / "file"), "text", 5, FAMILY)


@pytest.mark.skipif(find_spec("pylibcudf") is None, reason="pylibcudf is not installed")
def test_pylibcudf_has_every_call(shims: Shims, tmp_path: Path) -> None:
    """Up to the device: without a driver the reader itself must be what fails."""
    import pylibcudf

    pq.write_table(pa.table({"text": TEXTS, "other": TEXTS}), tmp_path / "file")
    for name in ("child", "data", "null_count", "offset", "size"):
        assert callable(getattr(pylibcudf.Column, name))
    assert "tbl" in dir(pylibcudf.io.types.TableWithMetadata)
    assert callable(pylibcudf.Table.columns)
    assert {"nbytes", "__cuda_array_interface__"} <= set(dir(pylibcudf.gpumemoryview))
    try:
        columns = list(parquet.text_columns(HostEngine(shims), str(tmp_path / "file"), "text"))
    except RuntimeError as error:
        assert "driver" in str(error) or "device" in str(error)  # noqa: PT017 with a device there is no error
    else:
        assert len(columns) == 1


@pytest.mark.skipif(find_spec("rmm") is None, reason="rmm is not installed")
def test_rmm_has_every_call() -> None:
    import rmm
    from rmm.allocators.cupy import rmm_cupy_allocator

    assert callable(rmm_cupy_allocator)
    for name in ("get_current_device_resource", "set_current_device_resource", "CudaMemoryResource"):
        assert callable(getattr(rmm.mr, name))
    assert callable(rmm.mr.PoolMemoryResource.pool_size)
