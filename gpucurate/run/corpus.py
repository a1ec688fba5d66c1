"""Corpus-scope steps: scatter from every part, gather by key range, and bring the answers home.

Rows travel through files, sorted by (key, record id), so that a gatherer reads its range of every part by binary
search in a mapped file.  The number of ranges follows from the number of rows; nothing depends on workers or arrival.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpucurate.core.errors import InvariantError
from gpucurate.run.entries import entry_of
from gpucurate.run.live import LiveStep, RunContext
from gpucurate.run.reading import Part
from gpucurate.run.walk import walk
from gpucurate.steps.contract import CorpusStep
from gpucurate.store.artifacts import Artifact, find, read_table, task_key, write_table
from gpucurate.store.manifest import Entry

ROWS_PER_RANGE = 4_000_000  # about 400 MB while a range is gathered
PREFIX_BITS = 16  # ranges are cut on the first two bytes of the key


@dataclass(frozen=True, slots=True)
class Scattered:
    """One part's rows for a corpus-scope step."""

    part: Part
    path: str  # relative to the output directory
    rows: int


@dataclass(frozen=True, slots=True)
class KeyRange:
    """Keys whose first two bytes, read big-endian, lie in [low, high)."""

    number: int
    low: int
    high: int


def scatter(
    context: RunContext, part: Part, position: int, corpus_keys: Mapping[str, str]
) -> tuple[Scattered, list[Entry]]:
    """Walk a part up to the corpus-scope step at `position` and write its survivors' rows."""
    live = context.live.steps[position]
    state = walk(context, part, context.live.steps[:position], corpus_keys)
    key = task_key(
        f"{live.label}.scatter", live.step.version, _settings(live), [*state.text.digests, state.mask_digest()]
    )
    directory = context.directory.parts / part.name
    artifact = find(directory, f"{live.label}.scatter", key)
    seconds = 0.0
    if artifact is None:
        assert isinstance(live.step, CorpusStep)
        started = time.perf_counter()
        table = _sorted_rows(live.step.scatter(state.survivors()), state.meta, np.flatnonzero(state.alive), part)
        seconds = time.perf_counter() - started
        artifact = write_table(directory, f"{live.label}.scatter", key, table, {"part": part.name}, mapped=True)
    rows = read_table(artifact).num_rows
    entry = entry_of(context, artifact, part.name, rows, tuple(state.text.digests), seconds)
    return Scattered(part, context.directory.relative(artifact.path), rows), [*state.entries, entry]


def key_ranges(rows: int) -> list[KeyRange]:
    """Cut the key space evenly into as many ranges as `rows` needs."""
    count = max(1, -(-rows // ROWS_PER_RANGE))
    edges = np.linspace(0, 1 << PREFIX_BITS, min(count, 1 << PREFIX_BITS) + 1).astype(int).tolist()
    return [KeyRange(n, low, high) for n, (low, high) in enumerate(itertools.pairwise(edges))]


def gather(
    context: RunContext, position: int, key_range: KeyRange, scattered: Sequence[Scattered]
) -> tuple[str, list[Entry]]:
    """Gather one key range over all parts; returns the artifact's path, relative to the output directory."""
    live = context.live.steps[position]
    assert isinstance(live.step, CorpusStep)
    root = context.directory.root
    inputs = [Artifact.at(root / s.path) for s in scattered]
    settings = {**_settings(live), "range": [key_range.low, key_range.high], "parts": [s.part.name for s in scattered]}
    key = task_key(f"{live.label}.gather", live.step.version, settings, [a.digest for a in inputs])
    artifact = find(context.directory.corpus, f"{live.label}.gather", key)
    seconds = 0.0
    if artifact is None:
        started = time.perf_counter()
        pieces = [
            _numbered(_slice(read_table(a), key_range), s.part.number) for a, s in zip(inputs, scattered, strict=True)
        ]
        rows = pa.concat_tables(pieces).sort_by([("key", "ascending"), ("record_id", "ascending")])
        answer = live.step.gather(rows).sort_by([("part", "ascending"), ("row", "ascending")])
        seconds = time.perf_counter() - started
        artifact = write_table(
            context.directory.corpus, f"{live.label}.gather", key, answer, {"range": key_range.number}, mapped=True
        )
    rows_out = read_table(artifact).num_rows
    digests = tuple(a.digest for a in inputs)
    return context.directory.relative(artifact.path), [entry_of(context, artifact, "", rows_out, digests, seconds)]


def answers_key(context: RunContext, position: int, gathered: Sequence[str]) -> str:
    """Task key of what a corpus-scope step says of every part, given all gathered ranges."""
    live = context.live.steps[position]
    digests = [Artifact.at(context.directory.root / path).digest for path in gathered]
    return task_key(live.label, live.step.version, _settings(live), digests)


def collect(
    context: RunContext, part: Part, position: int, key: str, gathered: Sequence[str], corpus_keys: Mapping[str, str]
) -> list[Entry]:
    """Write what the step said of one part: one row a survivor, null where nothing was said."""
    live = context.live.steps[position]
    assert isinstance(live.step, CorpusStep)
    directory = context.directory.parts / part.name
    if find(directory, live.label, key) is not None:
        return []
    started = time.perf_counter()
    state = walk(context, part, context.live.steps[:position], corpus_keys, measure=False)
    alive = np.flatnonzero(state.alive)
    said = pa.concat_tables(_of_part(read_table(Artifact.at(context.directory.root / p)), part) for p in gathered)
    place = np.full(part.rows, -1, np.int64)
    place[said["row"].to_numpy()] = np.arange(said.num_rows)
    if len(set(said["row"].to_pylist())) != said.num_rows:
        raise InvariantError(f"step {live.label!r} spoke twice of one document of part {part.name}")
    at = place[alive]
    table = said.select(live.step.signals.names).take(pa.array(at, mask=at < 0))
    artifact = write_table(directory, live.label, key, table, {"part": part.name})
    seconds = time.perf_counter() - started
    return [entry_of(context, artifact, part.name, len(alive), (), seconds)]


def _settings(live: LiveStep) -> dict[str, object]:
    return {"config": live.entry.config.measuring(), "resources": dict(live.step.resources())}


def _sorted_rows(rows: pa.Table, meta: pa.Table, alive: NDArray[np.int64], part: Part) -> pa.Table:
    survivors = rows["index"].to_numpy()
    at = alive[survivors].astype(np.int32)
    rows = rows.drop_columns(["index"]).append_column("row", pa.array(at))
    rows = rows.append_column("record_id", meta["record_id"].take(pa.array(at)))
    return rows.sort_by([("key", "ascending"), ("record_id", "ascending")]).combine_chunks()


def _slice(table: pa.Table, key_range: KeyRange) -> pa.Table:
    """Rows of a sorted table whose key lies in the range, by binary search on the first two bytes."""
    if table.num_rows == 0:
        return table
    low, high = (_first_at_or_above(table["key"], edge) for edge in (key_range.low, key_range.high))
    return table.slice(low, high - low)


def _first_at_or_above(keys: pa.ChunkedArray, edge: int) -> int:
    low, high = 0, len(keys)
    while low < high:
        middle = (low + high) // 2
        if int.from_bytes(keys[middle].as_py()[:2], "big") < edge:
            low = middle + 1
        else:
            high = middle
    return low


def _numbered(table: pa.Table, number: int) -> pa.Table:
    return table.append_column("part", pa.array(np.full(table.num_rows, number, np.int32)))


def _of_part(answer: pa.Table, part: Part) -> pa.Table:
    numbers = answer["part"].to_numpy()
    low, high = np.searchsorted(numbers, [part.number, part.number + 1])
    return answer.slice(low, high - low)
