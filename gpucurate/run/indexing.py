"""Writing an index of a finished run's documents, so that a later corpus can be deduplicated against them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.ipc as ipc

from gpucurate.core.errors import InvariantError, UserError
from gpucurate.core.text_buffers import text_buffers
from gpucurate.run.executors import Executor
from gpucurate.run.live import LiveStep, RunContext
from gpucurate.run.progress import Progress
from gpucurate.run.state import RunState, SettledPart
from gpucurate.run.walk import walk
from gpucurate.steps.near_duplicates import NearDuplicates
from gpucurate.steps.near_duplicates.index import CHUNK_NAME, NAME, IndexSettings, chunk_name, write_index_mark
from gpucurate.steps.near_duplicates.signing import band_table
from gpucurate.steps.near_duplicates.verification import set_column
from gpucurate.store.artifacts import Artifact, read_table
from gpucurate.store.atomic import TEMPORARY, atomic_file, storage_errors, write_bytes

LEFT_NAME = re.compile(rf"{CHUNK_NAME}|{re.escape(TEMPORARY)}.*-({CHUNK_NAME}|{re.escape(NAME)})")


@dataclass(frozen=True, slots=True)
class ChunkTask:
    """One part's kept documents, as chunk `number` of the index."""

    number: int
    settled: SettledPart
    signatures: str  # path of their signatures, relative to the output directory


def write_index(
    context: RunContext, state: RunState, folder: Path, exact: bool, execute: Executor, progress: Progress
) -> int:
    """Write the documents that a run kept; `exact` with their shingle sets.  Returns how many there are.

    Raises UserError if the run has no native `near_duplicates` step, or the folder holds anything but what is left of
    an index that was not finished.
    """
    live = _native_step(context)
    _clear(folder)
    signatures = state.compared[live.label]["signatures"] if state.parts else []
    tasks = [ChunkTask(n, *pair) for n, pair in enumerate(zip(state.parts, signatures, strict=True))]
    write_one = partial(
        write_chunk, replace(context, device=execute.device), folder=folder, exact=exact, corpus_keys=state.corpus_keys
    )
    rows = [0] * len(tasks)
    with progress.stage("index", len(tasks)) as bar:
        for number, written in execute.unordered(write_one, tasks, device=True):
            rows[number] = written
            bar.advance(written)
    assert isinstance(live.step, NearDuplicates)
    config = live.step.config
    settings = IndexSettings(config.shingle, config.bands, config.rows, config.scope)
    write_bytes(folder / NAME, write_index_mark(folder, settings, exact, rows))  # last: with it the index is whole
    return sum(rows)


def write_chunk(context: RunContext, task: ChunkTask, folder: Path, exact: bool, corpus_keys: dict[str, str]) -> int:
    """Write the files of one chunk; returns its documents."""
    live = _native_step(context)
    assert isinstance(live.step, NearDuplicates)
    config, backend = live.step.config, context.live.backend
    position = context.live.steps.index(live)
    state = walk(context, task.settled.part, context.live.steps[:position], corpus_keys, measure=False)
    signed = read_table(Artifact.at(context.directory.root / task.signatures))
    decisions = read_table(Artifact.at(context.directory.root / task.settled.decisions), ["step"])
    kept = pc.is_null(decisions["step"]).to_numpy()
    rows = signed["row"].to_numpy()
    if not state.alive[rows].all():
        raise InvariantError(f"part {task.settled.part.name} has signatures of other documents; run the recipe again")
    at = np.flatnonzero(kept[rows])
    signed = signed.take(pa.array(at)).combine_chunks()
    meta = state.meta.take(pa.array(rows[at]))
    numbered = pa.array(np.arange(len(at), dtype=np.int32))
    documents = pa.table(
        {
            "row": numbered,
            "record_id": meta["record_id"],
            "source": meta["source"],
            "uri": meta["uri"],
            "shingles": signed["shingles"],
            "signature": signed["signature"],
        }
    )
    bands = band_table(signed, backend, config.bands, config.rows, config.scope == "source")
    _write(folder / chunk_name("documents", task.number), documents)
    _write(folder / chunk_name("bands", task.number), bands)
    if exact:
        texts = state.text.current().take(pa.array(rows[at]))
        sets = backend.shingle_sets(text_buffers(texts), config.shingle)
        _write(folder / chunk_name("sets", task.number), pa.table({"row": numbered, "hashes": set_column(sets)}))
    return len(at)


def _clear(folder: Path) -> None:
    """Remove what a killed writer left; raises UserError for anything else that is there."""
    if not folder.exists():
        return
    with storage_errors(folder):
        left = list(folder.iterdir()) if folder.is_dir() else [folder]
        if not all(LEFT_NAME.fullmatch(path.name) for path in left):
            raise UserError(f"{folder} is there already and not empty. Remedy: name another folder, or remove this one")
        for path in left:
            path.unlink()


def _native_step(context: RunContext) -> LiveStep:
    for live in context.live.steps:
        if isinstance(live.step, NearDuplicates) and live.step.config.engine == "native":
            return live
    raise UserError(
        f"the recipe of {context.directory.root} has no step near_duplicates with signatures of its own, "
        "which an index is made of. Remedy: add the step and run the recipe again"
    )


def _write(path: Path, table: pa.Table) -> None:
    with atomic_file(path) as temporary, ipc.new_file(temporary, table.schema) as writer:
        writer.write_table(table.combine_chunks())
