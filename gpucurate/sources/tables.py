"""Rows of Arrow tables as documents: the shared half of the sources whose records are rows.

Texts stay in Arrow from the file to the chunk; Python only sees the short columns beside them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count, pairwise, repeat

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from gpucurate.core.digests import digest16
from gpucurate.core.documents import DocumentRow, QuarantineRow
from gpucurate.core.errors import RecipeError
from gpucurate.core.reasons import Reason, Verdict
from gpucurate.core.text_buffers import text_buffers
from gpucurate.sources.chunk import ChunkBuilder
from gpucurate.sources.contract import Chunk
from gpucurate.sources.fields import FieldsConfig, describe_row, missing_text


def row_reasons(kind: str) -> tuple[Reason, ...]:
    """The reasons a source of this kind gives for rows."""
    meanings = {
        "no_text": "the row's text is null",
        "encoding": "the row's text is not UTF-8",
        "damaged": "rows from here on cannot be read",
    }
    return tuple(Reason(f"{kind}.{word}", said, verdict=Verdict.QUARANTINE) for word, said in meanings.items())


def check_text_column(schema: pa.Schema, config: FieldsConfig, file: str) -> None:
    """Raise RecipeError, naming the columns there are, unless the text field is a column that can hold text."""
    kind = column_type(schema, config.text_field)
    if kind is None:
        raise missing_text(config, file, _paths(schema))
    if not (_is_text(kind) or pa.types.is_null(kind)):
        raise RecipeError(f"text_field: column {config.text_field!r} of {file} is {kind}, not text")


def column_type(schema: pa.Schema, path: str) -> pa.DataType | None:
    """Type of the column at a dotted path, None if there is none; a column whose name has dots itself comes first."""
    if path in schema.names:
        return _plain_type(schema.field(path).type)
    head, *keys = path.split(".")
    kind = schema.field(head).type if head in schema.names else None
    for key in keys:
        if kind is None or not pa.types.is_struct(kind):
            return None
        kind = {field.name: field.type for field in kind}.get(key)
    return None if kind is None else _plain_type(kind)


class RowReader:
    """Rows of one file on their way into chunks; `add` every batch, then `close`."""

    def __init__(self, kind: str, source: str, file: str, config: FieldsConfig) -> None:
        self._kind = kind
        self._file = file
        self._config = config
        self._builder = ChunkBuilder(source)
        self._texts: list[pa.Array] = []  # of the documents that the builder has

    def add(self, batch: pa.Table | pa.RecordBatch, first: int) -> Iterator[Chunk]:
        """Chunks that fill up while the batch is read; `first` is the number of its first row in the file."""
        texts, refused = _texts_of(_column(batch, self._config.text_field))
        good = texts.filter(pa.array(refused == "")) if (refused != "").any() else texts
        payloads = iter(_payloads(good))
        paths = self._config.field_names()[1:]
        details = zip(*(_values(batch, path) for path in paths), strict=True) if paths else repeat(())
        done = begun = 0
        for position, reason, values in zip(count(first), refused.tolist(), details, strict=False):
            if reason:
                self._put_aside(position, reason)
            else:
                done += 1
                self._builder.document(self._document(next(payloads), position, dict(zip(paths, values, strict=True))))
            if self._builder.full:
                self._texts.append(good.slice(begun, done - begun))
                begun = done
                yield self._close()
        self._texts.append(good.slice(begun))

    def damage(self, position: int, detail: str) -> None:
        """Rows from this one on cannot be read."""
        self._builder.quarantine(QuarantineRow(self._file, position, f"{self._kind}.damaged", detail))

    def close(self) -> Iterator[Chunk]:
        """The last chunk, if there is anything in it."""
        if not self._builder.empty:
            yield self._close()

    def _document(self, payload: bytes, position: int, values: Mapping[str, object]) -> DocumentRow:
        row = DocumentRow(
            f"{self._file}#{position}", "", digest16(payload), len(payload), self._file, position
        )  # its text is in the Arrow array
        describe_row(row, values, self._config)
        return row

    def _put_aside(self, position: int, word: str) -> None:
        detail = f"{self._config.text_field!r} is {'null' if word == 'no_text' else 'not UTF-8'}"
        self._builder.quarantine(QuarantineRow(self._file, position, f"{self._kind}.{word}", detail))

    def _close(self) -> Chunk:
        texts, self._texts = self._texts, []
        return self._builder.close(pa.concat_arrays([pa.array([], pa.large_string()), *texts]))


def _texts_of(column: pa.Array) -> tuple[pa.Array, NDArray[np.str_]]:
    """The texts as large_string, and per row why it has none ("" if it has)."""
    raw = column.cast(pa.large_binary())
    refused = np.where(raw.is_null().to_numpy(zero_copy_only=False), "no_text", "").astype("U8")
    try:
        return raw.cast(pa.large_string()), refused
    except pa.ArrowInvalid:  # some row is not UTF-8
        for row, value in enumerate(raw):
            if value.is_valid and not _is_utf8(value.as_py()):
                refused[row] = "encoding"
        return pc.if_else(pa.array(refused == ""), raw, None).cast(pa.large_string()), refused


def _payloads(texts: pa.Array) -> Iterator[bytes]:
    """The bytes of each text."""
    data, offsets = text_buffers(texts)
    return (data[start:stop].tobytes() for start, stop in pairwise(offsets.tolist()))


def _is_utf8(value: bytes) -> bool:
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True


def _column(batch: pa.Table | pa.RecordBatch, path: str) -> pa.Array:
    """The column at a dotted path as one array without dictionary or extension; null where a parent is null."""
    if path in batch.schema.names:
        column = batch.column(path)
    else:
        head, *keys = path.split(".")
        column = pc.struct_field(batch.column(head), keys)
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    if isinstance(column, pa.ExtensionArray):
        column = column.storage
    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column


def _values(batch: pa.Table | pa.RecordBatch, path: str) -> list[object]:
    """A short column as Python values; None throughout if it is missing or holds what no field can use."""
    kind = column_type(batch.schema, path)
    if kind is None:
        return [None] * batch.num_rows
    column = _column(batch, path)
    if _is_text(kind):
        return [None if v is None else v.decode(errors="replace") for v in column.cast(pa.large_binary()).to_pylist()]
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        column = column.cast(pa.timestamp("s", getattr(kind, "tz", None)), safe=False)
    elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        return [None] * batch.num_rows
    values: list[object] = column.to_pylist()
    return values


def _plain_type(kind: pa.DataType) -> pa.DataType:
    if isinstance(kind, pa.BaseExtensionType):
        kind = kind.storage_type
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _is_text(kind: pa.DataType) -> bool:
    tests = (
        pa.types.is_string,
        pa.types.is_large_string,
        pa.types.is_string_view,
        pa.types.is_binary,
        pa.types.is_large_binary,
        pa.types.is_binary_view,
        pa.types.is_fixed_size_binary,
    )
    return any(test(kind) for test in tests)


def _paths(schema: pa.Schema) -> list[str]:
    """Dotted paths of all columns that hold text."""
    found: list[str] = []

    def visit(path: str, kind: pa.DataType) -> None:
        if pa.types.is_struct(kind):
            for field in kind:
                visit(f"{path}.{field.name}", field.type)
        elif _is_text(_plain_type(kind)):
            found.append(path)

    for field in schema:
        visit(field.name, field.type)
    return found or list(schema.names)
