"""The driver's side of a corpus-scope step: what is there, what must be made, and what was only needed on the way.

Keys chain from stage to stage: a stage's key covers its method's settings, the texts it reads, and the keys of what it
is given, so that a resumed run, a changed threshold and a new part make just what is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Protocol

import numpy as np

from gpucurate.run.corpus import StageTask, View, entry_of_stage, make, piece_of
from gpucurate.run.live import RunContext
from gpucurate.steps.comparison import (
    Group,
    Nodes,
    PartMethod,
    Piece,
    PieceMethod,
    Range,
    RangeMethod,
    Scratch,
    Settings,
)
from gpucurate.store.artifacts import Artifact, find, task_key
from gpucurate.store.atomic import storage_errors
from gpucurate.store.manifest import Entry

Made = tuple[Piece, list[Entry]]


class Tasks(Protocol):
    """How the driver runs tasks and keeps the manifest."""

    def make_all(
        self, stage: str, function: Callable[[StageTask], Made], tasks: Sequence[StageTask], device: bool, record: bool
    ) -> list[Made]:
        """Run tasks with progress; results in their order, entries in the manifest if they are to be recorded."""
        ...

    def record(self, entries: list[Entry]) -> None:
        """Put entries of artifacts that were there already into the manifest."""
        ...


@dataclass(slots=True)
class _Deferred:
    """A stage that is made when another one needs it."""

    stage: str
    tasks: list[StageTask]
    groups: tuple[Group, ...]
    device: bool
    pieces: list[Piece] | None = None


class Comparison:
    """`steps.comparison.Stages` for one step of one run."""

    def __init__(
        self,
        context: RunContext,
        on_device: RunContext,
        position: int,
        views: Sequence[View],
        corpus_keys: Mapping[str, str],
        tasks: Tasks,
    ) -> None:
        self.starts: Nodes = np.cumsum([0, *(view.part.rows for view in views)], dtype=np.int64)
        self.pieces: dict[str, list[str]] = {}  # paths of every stage that stays, by its name
        self._context = context
        self._live = context.live.steps[position]
        self._views = views
        self._tasks = tasks
        self._on_device = on_device
        self._make = partial(make, position=position, starts=self.starts, corpus_keys=dict(corpus_keys))
        self._scratch: list[_Deferred] = []

    def over_parts(
        self,
        name: str,
        method: PartMethod,
        settings: Settings,
        *groups: Group,
        device: bool = False,
        rated: bool = False,
    ) -> list[Piece]:
        """See `steps.comparison.Stages`."""
        return self._keep(name, self._of_parts(name, method, settings, groups, rated), groups, device)

    def over_pieces(
        self, name: str, method: PieceMethod, settings: Settings, pieces: Sequence[Piece], *, device: bool = False
    ) -> list[Piece]:
        """See `steps.comparison.Stages`."""
        return self._keep(name, self._of_pieces(name, method, settings, pieces), (), device)

    def over_ranges(
        self,
        name: str,
        method: RangeMethod,
        settings: Settings,
        ranges: Sequence[Range],
        *groups: Group,
        device: bool = False,
    ) -> list[Piece]:
        """See `steps.comparison.Stages`."""
        keys = [*map(str, self.starts.tolist()), *_keys(groups)]
        folder = self._context.directory.relative(self._context.directory.corpus)
        tasks = [
            self._task(name, method, {**settings, "range": [r.low, r.high]}, keys, r, folder, part="") for r in ranges
        ]
        return self._keep(name, tasks, groups, device)

    def scratch_over_parts(
        self, name: str, method: PartMethod, settings: Settings, *groups: Group, device: bool = False
    ) -> Scratch:
        """See `steps.comparison.Stages`."""
        return self._defer(_Deferred(name, self._of_parts(name, method, settings, groups), groups, device))

    def scratch_over_pieces(
        self, name: str, method: PieceMethod, settings: Settings, pieces: Sequence[Piece], *, device: bool = False
    ) -> Scratch:
        """See `steps.comparison.Stages`."""
        return self._defer(_Deferred(name, self._of_pieces(name, method, settings, pieces), (), device))

    def remove_scratch(self) -> None:
        """Remove what was only needed on the way."""
        root = self._context.directory.root
        for deferred in self._scratch:
            for folder in {task.folder for task in deferred.tasks}:
                for path in (root / folder).glob(f"{self._live.label}.{deferred.stage}@*"):
                    with storage_errors(path):
                        path.unlink(missing_ok=True)

    def _of_parts(
        self, name: str, method: PartMethod, settings: Settings, groups: Sequence[Group], rated: bool = False
    ) -> list[StageTask]:
        directory = self._context.directory
        starts = self.starts.tolist() if groups else []  # nodes are numbered through the corpus
        return [
            self._task(
                name,
                method,
                settings,
                [view.digest, *([view.rating] if rated else []), *map(str, starts), *_keys(groups)],
                view,
                directory.relative(directory.parts / view.part.name),
                part=view.part.name,
            )
            for view in self._views
        ]

    def _of_pieces(
        self, name: str, method: PieceMethod, settings: Settings, pieces: Sequence[Piece]
    ) -> list[StageTask]:
        tasks = []
        for number, piece in enumerate(pieces):
            folder = Path(piece.path).parent.as_posix()
            task = self._task(name, method, settings, _keys([[piece]]), number, folder, part=Path(folder).name)
            tasks.append(replace(task, groups=((piece.path,),)))
        return tasks

    def _task(
        self,
        name: str,
        method: Callable[..., object],
        settings: Settings,
        inputs: list[str],
        what: View | Range | int,
        folder: str,
        *,
        part: str,
    ) -> StageTask:
        stage = f"{self._live.label}.{name}"
        key = task_key(stage, self._live.step.version, dict(settings), inputs)
        return StageTask(stage, key, method.__name__, what, (), folder, part, 0.0)

    def _keep(self, name: str, tasks: list[StageTask], groups: Sequence[Group], device: bool) -> list[Piece]:
        pieces, _ = self._run(tasks, groups, device, record=True)
        self.pieces[name] = [piece.path for piece in pieces]
        return pieces

    def _defer(self, deferred: _Deferred) -> Scratch:
        scratch = self._context.directory.relative(self._context.directory.scratch)
        deferred.tasks = [replace(task, folder=f"{scratch}/{task.part}") for task in deferred.tasks]
        self._scratch.append(deferred)
        return deferred

    def _run(
        self, tasks: list[StageTask], groups: Sequence[Group], device: bool, *, record: bool
    ) -> tuple[list[Piece], float]:
        """Pieces of the tasks, and the seconds that making the missing ones took."""
        root = self._context.directory.root
        there = [find(root / task.folder, task.stage, task.key) for task in tasks]
        missing = [number for number, artifact in enumerate(there) if artifact is None]
        found = {n: artifact for n, artifact in enumerate(there) if artifact is not None}
        if record:
            self._tasks.record([entry_of_stage(self._context, found[n], tasks[n]) for n in found])
        pieces = {n: piece_of(self._context, artifact) for n, artifact in found.items()}
        seconds = 0.0
        if missing:
            opened, spent = self._opened(groups)
            todo = [
                replace(tasks[n], groups=tasks[n].groups or opened, more_seconds=spent / len(missing)) for n in missing
            ]
            make_one = partial(self._make, self._on_device if device else self._context)
            made = self._tasks.make_all(todo[0].stage, make_one, todo, device, record)
            pieces.update((n, piece) for n, (piece, _) in zip(missing, made, strict=True))
            seconds = sum(entry.seconds for _, entries in made for entry in entries)
        return [pieces[n] for n in range(len(tasks))], seconds

    def _opened(self, groups: Sequence[Group]) -> tuple[tuple[tuple[str, ...], ...], float]:
        """Paths of the groups' pieces, scratch made where it is missing, and the seconds that took."""
        seconds = 0.0
        opened = []
        for group in groups:
            if isinstance(group, _Deferred):
                if group.pieces is None:
                    group.pieces, spent = self._run(group.tasks, group.groups, group.device, record=False)
                    seconds += spent
                opened.append(tuple(piece.path for piece in group.pieces))
            else:
                assert isinstance(group, Sequence)
                opened.append(tuple(piece.path for piece in group))
        return tuple(opened), seconds


def _keys(groups: Sequence[Group]) -> list[str]:
    """Digests of pieces that are there, keys of those that are made when needed; both name the same content."""
    keys: list[str] = []
    for group in groups:
        if isinstance(group, _Deferred):
            keys += [task.key for task in group.tasks]
        else:
            assert isinstance(group, Sequence)
            keys += [Artifact.at(Path(piece.path)).digest for piece in group]
        keys.append("")  # where one group ends and the next begins
    return keys
