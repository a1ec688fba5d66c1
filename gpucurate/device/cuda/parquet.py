"""String columns of Parquet files straight into device memory, where cuDF's reader is installed.

The text is decompressed and decoded on the device, so that only compressed bytes cross from the host.  Uses pylibcudf,
the layer below cuDF's data frames: two buffers are wanted, and nothing stays with cuDF that it would have to spill.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from gpucurate.core.errors import MissingExtra
from gpucurate.device.cuda.engine import Engine
from gpucurate.device.cuda.plan import Batch
from gpucurate.device.cuda.words import DeviceTexts


def text_columns(engine: Engine, path: str, column: str) -> Iterator[DeviceTexts]:
    """The texts of each row group of a local file, in order; `data` is as cuDF made it, without padding.

    Raises MissingExtra without pylibcudf, ValueError if the column has nulls.
    """
    try:
        import pylibcudf
    except ImportError as missing:
        raise MissingExtra("reading Parquet on the device", "pylibcudf", "cudf") from missing

    with pq.ParquetFile(path) as file:
        groups = file.num_row_groups
    for group in range(groups):
        options = pylibcudf.io.parquet.ParquetReaderOptions.builder(pylibcudf.io.SourceInfo([path])).build()
        options.set_column_names([column])
        options.set_row_groups([[group]])
        read = pylibcudf.io.parquet.read_parquet(options).tbl.columns()[0]
        yield buffers(engine, read)


def buffers(engine: Engine, column: Any) -> DeviceTexts:
    """Data and offsets of a pylibcudf string column; raises ValueError if it has nulls."""
    xp = engine.xp
    if column.null_count():
        raise ValueError(f"text column has {column.null_count()} nulls")
    rows, first = column.size(), column.offset()
    if rows == 0:
        return DeviceTexts(xp.zeros(0, np.uint8), xp.zeros(1, np.int64), 0)
    child = column.child(0)
    width = np.int32 if child.data().nbytes == 4 * child.size() else np.int64  # 64 bits from 2 GiB of text on
    offsets = xp.asarray(child.data()).view(width)[first : first + rows + 1].astype(np.int64)
    begin, end = int(offsets[0]), int(offsets[-1])
    data = xp.asarray(column.data()).view(np.uint8)[begin:end] if end > begin else xp.zeros(0, np.uint8)
    return DeviceTexts(data, offsets - begin, end - begin)


def slice_of(engine: Engine, texts: DeviceTexts, batch: Batch) -> DeviceTexts:
    """A copy of consecutive documents, aligned and padded as the kernels want it."""
    xp = engine.xp
    offsets = texts.offsets[batch.first : batch.last + 1]
    begin, end = int(offsets[0]), int(offsets[-1])
    data = xp.empty(end - begin + -(end - begin) % 8, np.uint8)
    data[: end - begin] = texts.data[begin:end]
    return DeviceTexts(data, offsets - begin, end - begin)
