"""Reading: one task a unit, each leaving parts of documents and a small record that says the unit is done.

Chunks of a unit become parts.  Their names come from the unit's key, so that a new dump beside an old one, or another
order of files, renames nothing that was already read.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import TypeAdapter, ValidationError

from gpucurate.core.documents import DOCUMENTS, SCHEMA_VERSION, TIME
from gpucurate.core.errors import InputError
from gpucurate.core.tally import Tally
from gpucurate.run.entries import entry_of
from gpucurate.run.live import LiveRecipe, RunContext
from gpucurate.sources.contract import Chunk, InputFile, Source, Unit
from gpucurate.sources.fetch.ledger import retrieval_time
from gpucurate.store.artifacts import Artifact, task_key, write_table
from gpucurate.store.atomic import write_bytes
from gpucurate.store.manifest import Entry

DOCUMENTS_STAGE = "documents"
QUARANTINE_STAGE = "quarantine"


@dataclass(frozen=True, slots=True)
class ChunkRecord:
    """What became of one chunk; paths are relative to the output directory."""

    part: str
    documents: str
    quarantine: str
    rows: int
    entered: Tally
    dropped: dict[str, Tally]
    quarantined: dict[str, Tally]
    counts: dict[str, int]


@dataclass(frozen=True, slots=True)
class UnitRecord:
    """A unit that was read to its end."""

    unit: Unit
    chunks: list[ChunkRecord]


@dataclass(frozen=True, slots=True)
class Part:
    """One chunk's documents; `number` is its place in the corpus: recipe order, file, unit, chunk."""

    number: int
    name: str
    unit: Unit
    documents: str
    rows: int

    def artifact(self, root: Path) -> Artifact:
        """The documents."""
        return Artifact.at(root / self.documents)


RECORD = TypeAdapter(UnitRecord)


def unit_key(live: LiveRecipe, unit: Unit) -> str:
    """Key of reading a unit: the source's identity, what is skipped before extraction, and the bytes."""
    source = live.sources[unit.source]
    skips = [(s.name, s.version, s.config.model_dump(mode="json"), dict(s.resources())) for s in live.uri_steps()]
    settings = {
        "name": unit.source,
        "kind": source.kind,
        "identity": source.identity(),
        "skips": skips,
        "retrieved": str(unit.file.retrieved),
        "schema": SCHEMA_VERSION,
    }
    return task_key(
        DOCUMENTS_STAGE, source.version, settings, [unit.file.name, unit.file.digest, f"{unit.start}-{unit.stop}"]
    )


def record_path(context: RunContext, unit: Unit) -> Path:
    """Where the record of a unit lies; it is written once the unit was read to its end."""
    return context.directory.units / f"{unit.source}-{unit_key(context.live, unit)}.json"


def read_unit(context: RunContext, unit: Unit) -> list[Entry]:
    """Read one unit into parts and record it; returns the manifest entries."""
    entries: list[Entry] = []
    chunks: list[ChunkRecord] = []
    started = time.perf_counter()
    for number, chunk in enumerate(context.live.sources[unit.source].read(unit)):
        record, made = _write_chunk(context, unit, number, chunk, started)
        chunks.append(record)
        entries += made
        started = time.perf_counter()
    write_bytes(record_path(context, unit), RECORD.dump_json(UnitRecord(unit, chunks), indent=1))
    return entries


def _write_chunk(
    context: RunContext, unit: Unit, number: int, chunk: Chunk, started: float
) -> tuple[ChunkRecord, list[Entry]]:
    directory, key = context.directory, unit_key(context.live, unit)
    part = f"{unit.source}-{key}-{number:04d}"
    origin = {"file": unit.file.name, "digest": unit.file.digest, "start": unit.start, "stop": unit.stop}
    documents = write_table(
        directory.parts / part, DOCUMENTS_STAGE, key, _with_time(chunk.documents, unit.file), origin
    )
    quarantine = write_table(directory.parts / part, QUARANTINE_STAGE, key, chunk.quarantine, origin)
    inputs = (unit.file.digest,)
    entries = [
        entry_of(context, documents, part, chunk.documents.num_rows, inputs, time.perf_counter() - started),
        entry_of(context, quarantine, part, chunk.quarantine.num_rows, inputs, 0.0),
    ]
    record = ChunkRecord(
        part,
        directory.relative(documents.path),
        directory.relative(quarantine.path),
        chunk.documents.num_rows,
        chunk.entered,
        dict(chunk.dropped),
        _by_reason(chunk.quarantine),
        dict(chunk.counts),
    )
    return record, entries


def record_of(context: RunContext, unit: Unit) -> UnitRecord | None:
    """The record of a unit; None where the unit, or a table the record names, is still to be read (again)."""
    try:
        record = RECORD.validate_json(record_path(context, unit).read_bytes())
    except (FileNotFoundError, ValidationError):  # not read yet, or damaged since
        return None
    root = context.directory.root
    whole = all((root / path).exists() for chunk in record.chunks for path in (chunk.documents, chunk.quarantine))
    return record if whole else None


def entries_of(context: RunContext, record: UnitRecord) -> list[Entry]:
    """Manifest lines of what a unit left."""
    root, inputs = context.directory.root, (record.unit.file.digest,)
    made = [
        (chunk.part, Artifact.at(root / path), rows)
        for chunk in record.chunks
        for path, rows in (
            (chunk.documents, chunk.rows),
            (chunk.quarantine, sum(tally.documents for tally in chunk.quarantined.values())),
        )
    ]
    return [entry_of(context, artifact, part, rows, inputs, 0.0) for part, artifact, rows in made]


def _with_time(documents: pa.Table, file: InputFile) -> pa.Table:
    """Documents of a fetched file, with its retrieval time where neither record nor recipe gave one."""
    if file.retrieved is None:
        return documents
    filled = pc.fill_null(documents["retrieved"], pa.scalar(file.retrieved, TIME))
    return documents.set_column(documents.schema.get_field_index("retrieved"), DOCUMENTS.field("retrieved"), filled)


def parts_of(unit_records: list[UnitRecord]) -> list[Part]:
    """Parts that hold documents, in the order of the corpus."""
    chunks: Iterator[tuple[Unit, ChunkRecord]] = ((r.unit, c) for r in unit_records for c in r.chunks if c.rows)
    return [Part(n, c.part, unit, c.documents, c.rows) for n, (unit, c) in enumerate(chunks)]


def snapshot_units(live: LiveRecipe) -> list[Unit]:
    """List the files of every source and cut them into units, in the order of the corpus.

    Local paths become absolute, since a worker may have another working directory, and files that were fetched carry
    the time of that.
    """
    return [unit for source in live.sources.values() for unit in source.units([_placed(f) for f in _files(source)])]


def _files(source: Source[Any]) -> list[InputFile]:
    try:
        return source.files()
    except InputError as error:
        raise InputError(f"source {source.name!r} ({source.kind}): {error}") from error


def _placed(file: InputFile) -> InputFile:
    if "://" in file.url:
        return file
    path = Path(file.url).absolute()
    return replace(file, url=str(path), retrieved=retrieval_time(path))


def _by_reason(quarantine: pa.Table) -> dict[str, Tally]:
    tallies: dict[str, Tally] = {}
    for reason, size in zip(quarantine["reason"].to_pylist(), quarantine["raw_bytes"].to_pylist(), strict=True):
        tallies[reason] = tallies.get(reason, Tally()) + Tally(1, size)
    return dict(sorted(tallies.items()))
