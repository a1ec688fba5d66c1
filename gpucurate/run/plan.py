"""What a run would do, without doing it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gpucurate.recipe.recipe import Recipe
from gpucurate.run.live import LiveStep, RunContext
from gpucurate.run.reading import Part, parts_of, record_of, snapshot_units
from gpucurate.sources.contract import Unit
from gpucurate.store.directory import OutputDirectory


def describe(recipe: Recipe, out: str | Path, device: str) -> Iterator[str]:
    """Lines about sources, steps and what of them is finished in `out`; reads the inputs to know them."""
    context = RunContext.of(OutputDirectory(Path(out)), recipe, device)
    live = context.live
    for step in live.steps:
        step.step.resources()  # names a model or word list that is missing
    units = snapshot_units(live)
    records = {unit: record_of(context, unit) for unit in units}
    read = [unit for unit, record in records.items() if record is not None]
    parts = parts_of([record for record in records.values() if record is not None])
    yield f"recipe {recipe.name}, device {live.backend.name}"
    for entry in recipe.sources:
        yield _source_line(entry.name, entry.kind, [u for u in units if u.source == entry.name], read)
    for number, step in enumerate(live.steps):
        done = f"{_done(context, parts, step)} of {len(parts)} parts measured"
        yield f"step {number}: {step.label} ({_scope(step)}), {done}"
        yield from (f"  note: {remark}" for remark in step.step.remarks())
    unread = len(units) - len(read)
    if unread:
        yield f"{unread} units are still to be read; the number of parts is known after that"
    if live.tokens is None:
        yield "no tokens: the recipe ends with curated documents"
    elif live.shards is None:
        yield "tokens, no shards"
    else:
        there = (context.directory.shards / "shards.json").exists()
        yield f"tokens and shards: {'there, as the last run left them' if there else 'to be made'}"


def _source_line(name: str, kind: str, units: list[Unit], read: list[Unit]) -> str:
    files = {unit.file.url for unit in units}
    size = sum(unit.stop - unit.start for unit in units)
    done = sum(unit in read for unit in units)
    return f"source {name} ({kind}): {len(files)} files, {size:,} bytes, {len(units)} units, {done} read"


def _scope(step: LiveStep) -> str:
    return "corpus scope" if step.corpus else f"record scope, on {step.entry.config.on}"


def _done(context: RunContext, parts: list[Part], step: LiveStep) -> int:
    """Parts with some result of this step; whether it fits the present recipe shows only when they are walked."""
    return sum(any((context.directory.parts / part.name).glob(f"{step.label}@*")) for part in parts)
