"""The run, as a story: list, read, walk and compare, settle, shard, account.

Every stage does the keys that are missing, so that a first run, a resumed run and a run with a changed threshold are
the same calls.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

import gpucurate
from gpucurate.core.errors import StorageError
from gpucurate.core.tally import Edited, StepAccount, Tally
from gpucurate.device.choice import resolve
from gpucurate.recipe.recipe import Recipe
from gpucurate.run.accounts import READ, reading_account
from gpucurate.run.comparison import Comparison, Made
from gpucurate.run.corpus import StageTask, answers_key, collect, view
from gpucurate.run.executors import Executor, executor
from gpucurate.run.live import RunContext
from gpucurate.run.models import score, speed
from gpucurate.run.progress import Progress
from gpucurate.run.reading import (
    DOCUMENTS_STAGE,
    Part,
    UnitRecord,
    entries_of,
    parts_of,
    read_unit,
    record_of,
    snapshot_units,
)
from gpucurate.run.settle import Settled, settle
from gpucurate.run.sharding import make_shards, remove_shards
from gpucurate.run.state import RunState, SettledPart, forget_state, write_state
from gpucurate.run.training import survey, train
from gpucurate.run.warming import warm
from gpucurate.sources.contract import Unit
from gpucurate.steps.contract import CorpusStep, RecordStep
from gpucurate.store.atomic import remove_temporaries, remove_tree
from gpucurate.store.directory import OutputDirectory, checked_root, locked, prepare_directory, recipe_changes
from gpucurate.store.manifest import Entry, Manifest

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Cluster:
    """How the command line wants tasks executed."""

    inline: bool = False
    workers: int | None = None  # None: one a core
    scheduler: str | None = None


def run(recipe: Recipe, out: str | Path, cluster: Cluster, device: str, progress: Progress) -> RunState:
    """Run a recipe into a directory; returns what the funnel needs.

    Raises UserError, InputError, StorageError, DeviceError, ClusterError or InvariantError; whatever was finished
    before stays and is used again.
    """
    if cluster.scheduler is None:
        resolve(device)  # a GPU that is not here is said before anything begins
    with locked(checked_root(out)):
        root = Path(out)
        recipe_changes(root, recipe.as_data())  # another recipe's directory is refused before inputs are digested,
        context = RunContext.of(OutputDirectory(root), recipe, "cpu")
        units = snapshot_units(context.live)
        warm(context, progress)
        with executor(
            inline=cluster.inline, workers=cluster.workers, scheduler=cluster.scheduler, device=device, root=root
        ) as execute:
            # so far a mistake (a path; a model, word list, index or scheduler that is not there) changed nothing
            directory, changes = prepare_directory(out, recipe.as_data(), gpucurate.__version__)
            for change in changes:
                progress.say(f"recipe changed since the last run: {change}")
            forget_state(directory)
            remove_temporaries(directory.root)
            for path in Manifest(directory.root).discard_damaged():
                progress.say(f"gone or cut short since it was written, made again where needed: {path}")
            return _Run(context, execute, progress).go(units)


class _Run:
    """One run under way: where, with which executor, and the manifest its results go to."""

    def __init__(self, context: RunContext, execute: Executor, progress: Progress) -> None:
        self.context = context  # of the driver and of tasks for cores, which may run where no GPU is
        self.on_device = replace(context, device=execute.device)
        self.execute = execute
        self.progress = progress
        self.manifest = Manifest(context.directory.root)
        self.used: set[str] = set()  # paths of the artifacts this run's result rests on
        self.compared: dict[str, dict[str, list[str]]] = {}  # of corpus-scope steps: paths by label and stage

    def go(self, units: Sequence[Unit]) -> RunState:
        """All stages."""
        read = self._read(units)
        parts = parts_of(read)
        if not parts:
            self.progress.say("no documents: no record became one while reading")
        corpus_keys: dict[str, str] = {}
        for position, live in enumerate(self.context.live.steps):
            if live.corpus and parts:
                corpus_keys[live.label] = self._compare(parts, position, corpus_keys)
            elif isinstance(live.step, RecordStep) and live.step.on_device:
                self._score(parts, position, corpus_keys)
        tokenizer_file = self._tokenizer(parts, corpus_keys)
        settle_one = partial(settle, self.context, corpus_keys=corpus_keys, tokenizer_file=tokenizer_file)
        settled = self._each("walk and tokenise", settle_one, parts, lambda s: s.entries, lambda p: p.rows)
        if self.context.live.shards is not None and self.context.live.tokens is not None:
            make_shards(self.context, settled, tokenizer_file, self.execute, self.progress)
        else:
            remove_shards(self.context.directory.shards)
        state = self._state(read, parts, settled, corpus_keys, tokenizer_file)
        remove_temporaries(self.context.directory.root)  # of workers that were killed on the way
        remove_tree(self.context.directory.scratch)  # of killed runs, whatever their recipe was
        write_state(self.context.directory, state)
        return state

    def _read(self, units: Sequence[Unit]) -> list[UnitRecord]:
        found = {unit: record_of(self.context, unit) for unit in units}
        missing = [unit for unit, record in found.items() if record is None]
        if missing:
            read_one = partial(read_unit, self.context)
            self._each("read", read_one, missing, lambda entries: entries, lambda _: 0)  # documents are not known yet
        read = [record for unit in units if (record := found[unit] or record_of(self.context, unit)) is not None]
        if len(read) != len(units):
            raise StorageError("what was just read is gone again. Remedy: let nothing else write to the directory")
        for record in read:
            self.manifest.add(entries_of(self.context, record))  # lines that a killed run did not come to write
        return read

    def _tokenizer(self, parts: list[Part], corpus_keys: dict[str, str]) -> str | None:
        """The tokenizer trained on the survivors, if the recipe asks for one."""
        tokens = self.context.live.tokens
        if tokens is None or tokens.train is None:
            return None
        survey_one = partial(survey, self.context, corpus_keys=corpus_keys)
        surveyed = self._each("walk", survey_one, parts, lambda s: s.entries, lambda p: p.rows)
        self.progress.say("training the tokenizer on the surviving documents")
        path, entry = train(self.context, tokens.train, parts, corpus_keys, [s.digest for s in surveyed])
        self.manifest.add([entry])
        self.used.add(entry.path)
        return path

    def _compare(self, parts: list[Part], position: int, corpus_keys: dict[str, str]) -> str:
        """A corpus-scope step: its stages, then its answers to every part.  Returns the key under which they lie."""
        live = self.context.live.steps[position]
        assert isinstance(live.step, CorpusStep)
        view_one = partial(view, self.context, position=position, corpus_keys=dict(corpus_keys))
        viewed = self._each(f"{live.label}: walk", view_one, parts, lambda r: r[1], lambda p: p.rows)
        views = [found for found, _ in viewed]
        stages = Comparison(self.context, self.on_device, position, views, corpus_keys, self)
        answers = live.step.compare(stages)
        key = answers_key(self.context, position, answers)
        collect_one = partial(
            collect,
            self.context,
            position=position,
            key=key,
            answers=answers,
            starts=stages.starts,
            corpus_keys=dict(corpus_keys),
        )
        self._each(f"{live.label}: collect", collect_one, views, lambda entries: entries, lambda v: v.part.rows)
        stages.remove_scratch()
        self.compared[live.label] = stages.pieces
        return key

    def _score(self, parts: list[Part], position: int, corpus_keys: dict[str, str]) -> None:
        """A step that measures by a model: on the cores what it needs, then on the device what it says."""
        label = self.context.live.steps[position].label
        keys = dict(corpus_keys)
        if self.execute.device == "cuda":
            view_one = partial(view, self.context, position=position, corpus_keys=keys)
            self._each(f"{label}: walk", view_one, parts, lambda r: r[1], lambda p: p.rows)
        score_one = partial(score, self.on_device, position=position, corpus_keys=keys)
        scored = self._each(label, score_one, parts, lambda s: s.entries, lambda p: p.rows, device=True)
        for line in [speed(label, scored), *sorted({line for each in scored for line in each.said})]:
            if line is not None:
                self.progress.say(line)

    def make_all(
        self, stage: str, function: Callable[[StageTask], Made], tasks: Sequence[StageTask], device: bool, record: bool
    ) -> list[Made]:
        """See `run.comparison.Tasks`."""
        title = stage.replace(".", ": ")
        return self._each(title, function, tasks, lambda made: made[1] if record else [], lambda t: t.documents, device)

    def record(self, entries: list[Entry]) -> None:
        """Put entries into the manifest; their artifacts are part of what this run's result rests on."""
        self.manifest.add(entries)
        self.used.update(entry.path for entry in entries)

    def _each(
        self,
        stage: str,
        function: Callable[[Item], Result],
        items: Sequence[Item],
        entries: Callable[[Result], list[Entry]],
        documents: Callable[[Item], int],
        device: bool = False,
    ) -> list[Result]:
        """Run a function over items; results in the order of the items, manifest and progress as they come."""
        results: dict[int, Result] = {}
        with self.progress.stage(stage, len(items)) as bar:
            for number, result in self.execute.unordered(function, items, device):
                self.record(entries(result))
                results[number] = result
                bar.advance(documents(items[number]))
        return [results[number] for number in range(len(items))]

    def _state(
        self,
        read: list[UnitRecord],
        parts: list[Part],
        settled: list[Settled],
        corpus_keys: dict[str, str],
        tokenizer_file: str | None,
    ) -> RunState:
        kept, extraction = Tally(), Edited()
        for part in settled:
            kept, extraction = kept + part.kept, extraction + part.extraction
        accounts = [reading_account(read, kept, extraction)]
        for number, live in enumerate(self.context.live.steps):
            account = StepAccount(live.label)
            for part in settled:
                account = account + part.accounts[number]
            accounts.append(account)
        accounts = [replace(account, seconds=self._seconds(account.name)) for account in accounts]
        for account in accounts:
            account.check()
        counts: Counter[str] = Counter()
        for record in read:
            for chunk in record.chunks:
                counts.update(chunk.counts)
        states = [SettledPart(p, s.decisions, s.tokens) for p, s in zip(parts, settled, strict=True)]
        quarantine = [c.quarantine for r in read for c in r.chunks if c.quarantined]
        found = dict(sorted(counts.items()))
        return RunState(
            self.on_device.device,
            states,
            quarantine,
            corpus_keys,
            self.compared,
            tokenizer_file,
            accounts,
            found,
            {live.label: live.resources() for live in self.context.live.steps},
        )

    def _seconds(self, name: str) -> float:
        """Seconds on one core that making a step's artifacts took, in this run or an earlier one."""
        stage = DOCUMENTS_STAGE if name == READ else name
        used = (self.manifest.at(path) for path in sorted(self.used))
        made = (entry for entry in used if entry.stage == stage or entry.stage.startswith(f"{stage}."))
        return round(sum(entry.seconds for entry in made), 3)
