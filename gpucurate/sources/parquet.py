"""Parquet files: one row a document, one column of which is the text.

Large files are cut at row groups: a unit owns the row groups whose first byte lies in its range.  Damage in one row
group costs its rows, not the file.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import pyarrow as pa

from gpucurate.core.errors import InputError
from gpucurate.sources.contract import CHUNK_BYTES, Chunk, InputFile, Source, Unit
from gpucurate.sources.fields import FieldsConfig
from gpucurate.sources.files import open_input
from gpucurate.sources.tables import RowReader, check_text_column, column_type, row_reasons

BATCH_BYTES = 16 << 20  # of uncompressed pages: what is held beside the chunk
BATCH_ROWS = 4096


class ParquetConfig(FieldsConfig):
    """Parquet files."""


class ParquetFiles(Source[ParquetConfig]):
    """`position` is the number of the row in the file, from 0; the URI of a row without a URL is
    `file#position`, and the raw payload of a row is its text."""

    kind = "parquet"
    version = 1
    config_type = ParquetConfig
    suffixes = (".parquet", ".pq")
    reasons = row_reasons("parquet")
    unit_bytes: ClassVar[int] = CHUNK_BYTES

    def units(self, files: Sequence[InputFile]) -> list[Unit]:
        """Row groups gathered until they make `unit_bytes`.  Raises InputError if the footer of a file that must be
        cut is damaged."""
        return [unit for file in files for unit in self._cut(file)]

    def read(self, unit: Unit) -> Iterator[Chunk]:
        """Documents of the unit's row groups.  Raises InputError if the footer is damaged, RecipeError if there is no
        such text column."""
        reader = RowReader(self.kind, self.name, unit.file.name, self.config)
        with open_input(unit.file) as stream:
            parquet = _open(stream, unit.file)
            check_text_column(parquet.schema_arrow, self.config, unit.file.name)
            columns = [c for c in self.config.field_names() if column_type(parquet.schema_arrow, c) is not None]
            first = 0
            for group in range(parquet.num_row_groups):
                metadata = parquet.metadata.row_group(group)
                if unit.whole or unit.start <= _first_byte(metadata) < unit.stop:
                    yield from _read_group(parquet, group, columns, reader, first)
                first += metadata.num_rows
        yield from reader.close()

    def _cut(self, file: InputFile) -> list[Unit]:
        if file.size <= self.unit_bytes:
            return [Unit(self.name, file, 0, file.size)]
        with open_input(file) as stream:
            metadata = _open(stream, file).metadata
        begins = sorted(_first_byte(metadata.row_group(group)) for group in range(metadata.num_row_groups))
        borders = [0]
        for begin in begins[1:]:
            if borders[-1] + self.unit_bytes <= begin < file.size:
                borders.append(begin)
        return [
            Unit(self.name, file, start, stop) for start, stop in zip(borders, [*borders[1:], file.size], strict=True)
        ]


def _open(stream: io.BufferedReader, file: InputFile) -> Any:
    import pyarrow.parquet as pq

    try:
        return pq.ParquetFile(stream)
    except (pa.ArrowException, ValueError, OSError) as error:
        raise InputError(f"{file.url} cannot be read as Parquet: {error}") from error


def _first_byte(row_group: Any) -> int:
    """Where the first page of a row group stands in the file."""
    chunks = (row_group.column(number) for number in range(row_group.num_columns))
    return min((chunk.dictionary_page_offset or chunk.data_page_offset for chunk in chunks), default=0)


def _read_group(parquet: Any, group: int, columns: list[str], reader: RowReader, first: int) -> Iterator[Chunk]:
    """Chunks that fill up within a row group."""
    metadata = parquet.metadata.row_group(group)
    rows = BATCH_BYTES * metadata.num_rows // max(metadata.total_byte_size, 1)
    batches = parquet.iter_batches(min(max(rows, 1), BATCH_ROWS), row_groups=[group], columns=columns)
    done = 0
    while True:
        try:
            batch = next(batches, None)
        except (pa.ArrowException, ValueError, OSError) as error:
            reader.damage(first + done, f"{metadata.num_rows - done} rows of row group {group}: {error}")
            return
        if batch is None:
            return
        yield from reader.add(batch, first + done)
        done += batch.num_rows
