"""JSON lines: one object a line, plain or compressed, one field of which is the text.

Plain files are cut into byte ranges, and a unit owns the lines that begin in its range.  Every line that is not blank
becomes a document or a quarantine row; one that is almost JSON (NaN, lone surrogates, raw control characters) is read
leniently and counted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import ClassVar

import orjson
from pydantic import Field

from gpucurate.core.digests import digest16
from gpucurate.core.documents import DocumentRow, QuarantineRow
from gpucurate.core.errors import InputError
from gpucurate.core.reasons import Reason, Verdict
from gpucurate.core.surrogates import repair_surrogates
from gpucurate.sources.chunk import ChunkBuilder
from gpucurate.sources.contract import CHUNK_BYTES, Chunk, InputFile, Source, Unit
from gpucurate.sources.decompress import SUFFIXES, compression_of, damage_of, open_compressed
from gpucurate.sources.fields import ABSENT, FieldsConfig, describe_row, look_up, missing_text
from gpucurate.sources.files import open_input
from gpucurate.sources.lines import Line, read_lines

ARRAY_REMEDY = "jq -c '.[]' FILE > FILE.jsonl"
KINDS = (".jsonl", ".ndjson", ".json")


class JsonlConfig(FieldsConfig):
    """JSON lines."""

    max_record_bytes: int = Field(1 << 30, gt=0, description="Longest line that is read; longer ones are put aside.")


class Jsonl(Source[JsonlConfig]):
    """`position` is a line's byte offset in a plain file, its number from 0 in a compressed one; the
    URI of a record without a URL is `file#position`."""

    kind = "jsonl"
    version = 1
    config_type = JsonlConfig
    suffixes = tuple(kind + packed for kind in KINDS for packed in ("", *SUFFIXES))
    reasons = tuple(
        Reason(code, meaning, verdict=Verdict.QUARANTINE)
        for code, meaning in {
            "jsonl.encoding": "the line is not UTF-8",
            "jsonl.not_json": "the line is not JSON",
            "jsonl.cut": "the last line has no end and is not JSON: the file is cut short",
            "jsonl.not_object": "the line is JSON, but not an object",
            "jsonl.no_text": "the object has no text field, or its value is not a string",
            "jsonl.too_long": "the line is longer than max_record_bytes",
            "jsonl.damaged": "the compressed file is cut short or damaged here",
        }.items()
    )
    unit_bytes: ClassVar[int] = CHUNK_BYTES

    def units(self, files: Sequence[InputFile]) -> list[Unit]:
        """Plain files in ranges of `unit_bytes`, compressed ones whole."""
        return [unit for file in files for unit in self._cut(file)]

    def read(self, unit: Unit) -> Iterator[Chunk]:
        """Documents of the unit's lines.  Raises RecipeError if none of the objects in a file's first chunk has the
        text field, InputError if there are none and the file begins as one JSON array."""
        builder = ChunkBuilder(self.name)
        records = _Records(self.config, unit, builder)
        with open_input(unit.file) as stored:
            compression = compression_of(unit.file.name, stored.peek())
            stream, stop = open_compressed(stored, compression), unit.stop if compression == "none" else None
            lines = read_lines(stream, unit.file.url, unit.start, stop, self.config.max_record_bytes)
            for number, line in enumerate(lines):
                records.add(line, number if stop is None else line.position)
                if builder.full:
                    yield records.close_chunk()
            records.add_damage(damage_of(stream))
        if not builder.empty:
            yield records.close_chunk()

    def _cut(self, file: InputFile) -> list[Unit]:
        if file.size <= self.unit_bytes or _is_packed(file):
            return [Unit(self.name, file, 0, file.size)]
        starts = range(0, file.size, self.unit_bytes)
        return [Unit(self.name, file, start, min(start + self.unit_bytes, file.size)) for start in starts]


class _Refused(Exception):
    """A line that is no document, and why."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail


class _Records:
    """The lines of one unit on their way into chunks."""

    def __init__(self, config: JsonlConfig, unit: Unit, builder: ChunkBuilder) -> None:
        self._config = config
        self._file = unit.file.name
        self._builder = builder
        self._next_position = 0
        self._at_start = unit.start == 0
        self._begins_as_array = False
        self._objects = self._with_text = 0
        self._other_fields: set[str] = set()  # of objects without the text field

    def add(self, line: Line, position: int) -> None:
        """A line becomes a document, a quarantine row, or one more blank line."""
        self._next_position = position + 1
        if line.data is not None and (not line.data or line.data.isspace()):
            self._builder.counts["jsonl.blank_lines"] += 1
            return
        if position == 0 and line.data is not None:
            self._begins_as_array = line.data.lstrip().startswith(b"[")
        try:
            self._builder.document(self._document(line, position))
        except _Refused as why:
            self._builder.quarantine(QuarantineRow(self._file, position, why.reason, why.detail, line.size))

    def add_damage(self, damage: str | None) -> None:
        """A quarantine row for what a damaged file may have held beyond its last line."""
        if damage is not None:
            self._builder.quarantine(QuarantineRow(self._file, self._next_position, "jsonl.damaged", damage))

    def close_chunk(self) -> Chunk:
        """The chunk so far, unless it shows that the file or the text field is not what the recipe takes it for."""
        if self._at_start and self._begins_as_array and not self._objects:
            raise InputError(f"{self._file} is one JSON array, not JSON lines. Remedy: {ARRAY_REMEDY}")
        if self._at_start and self._other_fields and not self._with_text:
            raise missing_text(self._config, self._file, self._other_fields)
        self._at_start = False
        return self._builder.close()

    def _document(self, line: Line, position: int) -> DocumentRow:
        if line.data is None:
            raise _Refused("jsonl.too_long", f"{line.size} bytes, max_record_bytes is {self._config.max_record_bytes}")
        record = self._parse(line, line.data)
        if not isinstance(record, dict):
            raise _Refused("jsonl.not_object", f"the line holds {_in_words(record)}")
        self._objects += 1
        text = look_up(record, self._config.text_field)
        if text is ABSENT:
            self._other_fields.update(record)
            raise _Refused("jsonl.no_text", f"no field {self._config.text_field!r}")
        self._with_text += 1
        if not isinstance(text, str):
            raise _Refused("jsonl.no_text", f"{self._config.text_field!r} is {_in_words(text)}")
        row = DocumentRow(f"{self._file}#{position}", text, digest16(line.data), line.size, self._file, position)
        describe_row(row, record, self._config)
        return row

    def _parse(self, line: Line, data: bytes) -> object:
        try:
            return orjson.loads(data)
        except orjson.JSONDecodeError as error:
            strict = error
        try:
            value: object = json.loads(data.decode(), strict=False, object_pairs_hook=_repaired)
        except UnicodeDecodeError as error:
            raise _Refused("jsonl.encoding", f"byte {error.start} of the line: {error.reason}") from None
        except (ValueError, RecursionError):
            raise _Refused("jsonl.not_json" if line.ended else "jsonl.cut", str(strict)) from None
        self._builder.counts["jsonl.lenient_lines"] += 1
        return value


def _repaired(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object whose strings can be written as UTF-8."""
    return {repair_surrogates(k): repair_surrogates(v) if isinstance(v, str) else v for k, v in pairs}


def _in_words(value: object) -> str:
    """What a JSON value is, for the detail of a quarantine row."""
    if isinstance(value, list):
        return f"an array. Remedy where the file is one: {ARRAY_REMEDY}"
    words = {type(None): "null", bool: "a truth value", str: "a string", dict: "an object"}
    return words.get(type(value), "a number")


def _is_packed(file: InputFile) -> bool:
    with open_input(file) as stored:
        return compression_of(file.name, stored.peek()) != "none"
