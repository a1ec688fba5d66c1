"""Records of a benchmark's files, whatever their format, and the texts that their fields make."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gpucurate.core.errors import InputError, UserError
from gpucurate.recipe.mistakes import did_you_mean
from gpucurate.steps.decontaminate.registry import Benchmark, Registered, matched_files

FORMATS = {".jsonl": "jsonl", ".json": "json", ".csv": "csv", ".tsv": "tsv", ".parquet": "parquet"}
TEMPLATE = re.compile(r"\{([^{}]+)\}")  # a field within words of the layout, such as `A. {choice0}`
ROOM = 1 << 24  # characters of a CSV field


def item_texts(registered: Registered) -> Iterator[tuple[str, ...]]:
    """The texts of every record, one for each entry of `items`; a text may be empty.

    Raises UserError for a field that a record does not have, InputError for a file that cannot be read.
    """
    benchmark = registered.benchmark
    without = re.compile(benchmark.without) if benchmark.without else None
    for file in benchmark.files:
        for path in matched_files(registered, file):
            for number, record in enumerate(_records(benchmark, path), 1):
                place = f"{path}, record {number}"
                texts = ("\n".join(_values(record, fields, benchmark.name, place)) for fields in benchmark.items)
                yield tuple(without.sub(" ", text) if without else text for text in texts)


def check_items(registered: Registered) -> None:
    """Reads all records.  Raises as `item_texts`, and UserError if there is no text in them to search for."""
    found = [any(text.strip() for text in texts) for texts in item_texts(registered)]
    if not any(found):
        raise UserError(
            f"benchmark {registered.benchmark.name!r} has nothing to search for: {len(found)} records, none with text "
            f"in its fields. Remedy: bring the files that hold it, or correct `items` in {registered.source}"
        )


def _values(record: Any, fields: tuple[str, ...], name: str, place: str) -> list[str]:
    def of_field(path: str) -> list[str]:
        return list(_strings(_at(record, path.split("."), path, name, place)))

    return [
        text
        for field in fields
        for text in (
            [TEMPLATE.sub(lambda found: " ".join(of_field(found[1])), field)] if "{" in field else of_field(field)
        )
    ]


def _at(value: Any, keys: list[str], field: str, name: str, place: str) -> Any:
    """What a dotted path leads to; through a list, of every element."""
    if not keys:
        return value
    if isinstance(value, list):
        return [_at(each, keys, field, name, place) for each in value]
    if not isinstance(value, dict) or keys[0] not in value:
        known = [str(key) for key in value] if isinstance(value, dict) else []
        raise UserError(
            f"benchmark {name!r} has no field {field!r} ({place}){did_you_mean(keys[0], known) if known else ''}. "
            "Remedy: name the fields under `items` in its registry file as its files do"
        )
    return _at(value[keys[0]], keys[1:], field, name, place)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for each in value:
            yield from _strings(each)
    elif value is not None:
        yield str(value)


def _records(benchmark: Benchmark, path: Path) -> Iterator[Any]:
    kind = _format(benchmark, path)
    try:
        if kind == "parquet":
            yield from _parquet(path)
            return
        raw = path.read_bytes()
        text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8-sig")
        if kind == "jsonl":
            yield from _lines(text)
        elif kind == "json":
            yield from _json(json.loads(text), benchmark, path)
        else:
            yield from _rows(text, benchmark, "\t" if kind == "tsv" else ",")
    except (OSError, EOFError, ValueError, csv.Error, zlib.error) as error:  # of JSON and UTF-8 too
        raise InputError(f"benchmark {benchmark.name!r}: cannot read {path}: {error}") from error


def _format(benchmark: Benchmark, path: Path) -> str:
    suffix = Path(path.stem).suffix if path.suffix == ".gz" else path.suffix
    kind = benchmark.format if benchmark.format != "auto" else FORMATS.get(suffix.lower())
    if kind is None:
        raise UserError(
            f"benchmark {benchmark.name!r}: {path} ends in no known format ({', '.join(FORMATS)}); "
            "say which it is with `format`"
        )
    return kind


def _parquet(path: Path) -> Iterator[Any]:
    import pyarrow.parquet as pq

    if path.suffix == ".gz":
        raise ValueError("Parquet is compressed inside; unpack the .gz")
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches():
            yield from batch.to_pylist()


def _lines(text: str) -> Iterator[Any]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield json.loads(line)
            except ValueError as error:
                raise ValueError(f"line {number} is no JSON: {error}") from error


def _json(data: Any, benchmark: Benchmark, path: Path) -> list[Any]:
    if benchmark.records is not None:
        if not isinstance(data, dict) or benchmark.records not in data:
            raise UserError(f"benchmark {benchmark.name!r}: {path} has no key {benchmark.records!r} with its records")
        data = data[benchmark.records]
    if not isinstance(data, list):
        raise UserError(f"benchmark {benchmark.name!r}: {path} is no list; say with `records` which key holds it")
    return data


def _rows(text: str, benchmark: Benchmark, separator: str) -> Iterator[dict[str, Any]]:
    csv.field_size_limit(ROOM)
    names = list(benchmark.columns) if benchmark.columns else None
    yield from csv.DictReader(io.StringIO(text, newline=""), fieldnames=names, delimiter=separator)
