"""Tasks of corpus-scope steps: look at a part, make one item of a stage, bring the answers home.

Everything a task needs travels as plain data; everything it leaves is one artifact, found again by its key.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import overload

import numpy as np
import pyarrow as pa

from gpucurate.core.digests import digest_settings
from gpucurate.core.errors import InvariantError
from gpucurate.run.edit_tables import edit_entries, write_edit_tables
from gpucurate.run.entries import entry_of
from gpucurate.run.live import LiveStep, RunContext
from gpucurate.run.ratings import rating, rating_digest, with_rating
from gpucurate.run.reading import Part
from gpucurate.run.text_layers import edited_text
from gpucurate.run.walk import Walk, walk
from gpucurate.steps.comparison import Nodes, PartDocuments, Piece, Range
from gpucurate.steps.contract import CorpusStep
from gpucurate.store.artifacts import Artifact, find, read_rows, read_table, task_key, write_table
from gpucurate.store.manifest import Entry


@dataclass(frozen=True, slots=True)
class View:
    """One part as a corpus-scope step meets it."""

    part: Part
    digest: str  # of the survivors' texts and of which documents survive
    survivors: int
    rating: str = ""  # digest of how good they are, where the step asks for it


@dataclass(frozen=True, slots=True)
class StageTask:
    """One item of one stage: `method(what, *tables)` into the artifact `stage@key`."""

    stage: str
    key: str
    method: str
    what: View | Range | int  # a part, a range, or the number of the one piece that is the input
    groups: tuple[tuple[str, ...], ...]  # paths of the input tables
    folder: str  # where the artifact goes, below the output directory
    part: str  # for its manifest line
    more_seconds: float  # this item's share of scratch that was made for its stage

    @property
    def documents(self) -> int:
        """How many documents it looks at, where it is about documents."""
        return self.what.survivors if isinstance(self.what, View) else 0


def view(context: RunContext, part: Part, position: int, corpus_keys: Mapping[str, str]) -> tuple[View, list[Entry]]:
    """Walk a part up to the corpus-scope step at `position`, measuring what is missing."""
    state = walk(context, part, context.live.steps[:position], corpus_keys)
    digest = digest_settings([*state.text.digests, state.mask_digest()])
    rated = _wants_rating(context, position)
    ratings = rating_digest(rating(state, context.live.steps[:position])) if rated else ""
    return View(part, digest, int(state.alive.sum()), ratings), state.entries


def make(
    context: RunContext, task: StageTask, position: int, starts: Nodes, corpus_keys: Mapping[str, str]
) -> tuple[Piece, list[Entry]]:
    """Make the artifact of a task, unless it is there."""
    folder = context.directory.root / task.folder
    artifact = find(folder, task.stage, task.key)
    seconds = 0.0
    if artifact is None:
        live = context.live.steps[position]
        what = _documents(context, task.what, live, position, starts, corpus_keys)
        started = time.perf_counter()
        table = _call(context, task, live, what, starts)
        seconds = time.perf_counter() - started + task.more_seconds
        artifact = write_table(folder, task.stage, task.key, table, {"part": task.part}, mapped=True)
    return piece_of(context, artifact), [entry_of_stage(context, artifact, task, seconds)]


def piece_of(context: RunContext, artifact: Artifact) -> Piece:
    """An artifact as later stages know it."""
    return Piece(context.directory.relative(artifact.path), read_rows(artifact))


def entry_of_stage(context: RunContext, artifact: Artifact, task: StageTask, seconds: float = 0.0) -> Entry:
    """The manifest line of a stage's artifact."""
    inputs = tuple(Artifact.at(Path(path)).digest for group in task.groups for path in group)
    return entry_of(context, artifact, task.part, read_rows(artifact), inputs, seconds)


def _documents(
    context: RunContext,
    what: View | Range | int,
    live: LiveStep,
    position: int,
    starts: Nodes,
    corpus_keys: Mapping[str, str],
) -> PartDocuments | Range | int:
    if not isinstance(what, View):
        return what
    state = walk(context, what.part, context.live.steps[:position], corpus_keys, measure=False)
    return _part_documents(context, state, position, starts)


def _part_documents(context: RunContext, state: Walk, position: int, starts: Nodes) -> PartDocuments:
    """The survivors of a part before the step at `position`."""
    rows = np.flatnonzero(state.alive).astype(np.int32)
    meta = state.described(state.alive)
    if _wants_rating(context, position):
        meta = with_rating(meta, state, context.live.steps[:position])
    return PartDocuments(state.part.number, starts, rows, meta, lambda: state.texts(state.alive))


def _wants_rating(context: RunContext, position: int) -> bool:
    step = context.live.steps[position].step
    return isinstance(step, CorpusStep) and step.wants_rating


def _call(
    context: RunContext, task: StageTask, live: LiveStep, what: PartDocuments | Range | int, starts: Nodes
) -> pa.Table:
    method = getattr(live.step, task.method)
    groups = [_Opened(context.directory.root, paths) for paths in task.groups]
    if isinstance(what, PartDocuments):
        table = method(what, *groups)
    elif isinstance(what, Range):
        table = method(what, starts, *groups)
    else:
        table = method(what, groups[0][0])
    assert isinstance(table, pa.Table)
    return table


class _Opened(Sequence[pa.Table]):
    """Tables of a group, mapped when they are first asked for."""

    def __init__(self, root: Path, paths: Sequence[str]) -> None:
        self._root, self._paths = root, paths
        self._tables: dict[int, pa.Table] = {}

    def __len__(self) -> int:
        return len(self._paths)

    @overload
    def __getitem__(self, number: int) -> pa.Table: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[pa.Table]: ...
    def __getitem__(self, number: int | slice) -> pa.Table | Sequence[pa.Table]:
        if isinstance(number, slice):
            return _Opened(self._root, self._paths[number])
        if number not in self._tables:
            self._tables[number] = read_table(Artifact.at(self._root / self._paths[number])).combine_chunks()
        return self._tables[number]


def answers_key(context: RunContext, position: int, answers: Sequence[Piece]) -> str:
    """Task key of what a corpus-scope step says of every part."""
    live = context.live.steps[position]
    settings = {"config": live.entry.config.measuring(), "resources": live.resources()}
    return task_key(live.label, live.step.version, settings, [Artifact.at(Path(a.path)).digest for a in answers])


def collect(
    context: RunContext,
    view: View,
    position: int,
    key: str,
    answers: Sequence[Piece],
    starts: Nodes,
    corpus_keys: Mapping[str, str],
) -> list[Entry]:
    """Write what the step said of one part, one row a survivor, null where nothing was said; and what it edits."""
    live = context.live.steps[position]
    part = view.part
    assert isinstance(live.step, CorpusStep)
    directory = context.directory.parts / part.name
    if find(directory, live.label, key) is not None:
        return []
    started = time.perf_counter()
    nodes = Range(int(starts[part.number]), int(starts[part.number + 1]))
    tables = _Opened(context.directory.root, [a.path for a in answers])
    said = pa.concat_tables(nodes.of(table, "node") for table in tables)
    rows = said["node"].to_numpy() - nodes.low
    place = np.full(part.rows, -1, np.int64)
    place[rows] = np.arange(said.num_rows)
    if len(np.unique(rows)) != said.num_rows:
        raise InvariantError(f"step {live.label!r} spoke twice of one document of part {part.name}")
    state = walk(context, part, context.live.steps[:position], corpus_keys, measure=False)
    at = place[np.flatnonzero(state.alive)]
    table = said.select(live.step.signals.names).take(pa.array(at, mask=at < 0))
    if live.step.edits:
        edit = live.step.edit(_part_documents(context, state, position, starts), table)
        table = edited_text(table, edit)
        write_edit_tables(directory, live.label, key, edit, part.name)
    artifact = write_table(directory, live.label, key, table, {"part": part.name})
    seconds = time.perf_counter() - started
    entries = [entry_of(context, artifact, part.name, len(at), (), seconds)]
    return [*entries, *edit_entries(context, directory, live.label, key, part.name, ())]
