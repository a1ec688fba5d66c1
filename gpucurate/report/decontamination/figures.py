"""The numbers, from the files of a finished run: what was checked, found and removed, benchmark by benchmark."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from gpucurate.core.errors import UserError
from gpucurate.report.decontamination.grams import SharedGram, shared_grams
from gpucurate.run.live import LiveStep, RunContext
from gpucurate.run.state import RunState, SettledPart
from gpucurate.run.walk import walk
from gpucurate.steps.decontaminate import Decontaminate
from gpucurate.steps.decontaminate.config import Action
from gpucurate.steps.decontaminate.items import STATES
from gpucurate.steps.decontaminate.registry import HELD_OUT
from gpucurate.store.artifacts import Artifact, read_table

EMPTIED = 1 + [reason.code for reason in Decontaminate.reasons].index("decontaminate.emptied")  # as a verdict
LIMITS = (
    "paraphrases, translations and items with other numbers are not found: words must be the same and in order",
    "a half of an item is found if the item is long enough (docs/decontaminate.md has the lengths)",
    "items of fewer than five words are not searched for; items of five to seven only flag",
    "an item that is nothing but a public passage cannot be told from the passage",
)


@dataclass(slots=True)
class BenchmarkFigures:
    """One benchmark; documents count for every benchmark of which they hold an item."""

    benchmark: str
    items: dict[str, int] = field(default_factory=lambda: dict.fromkeys(STATES, 0))  # by what protects them
    found: int = 0  # different items held by some document
    documents: dict[str, int] = field(default_factory=lambda: dict.fromkeys(Action, 0))  # by the benchmark's action
    removed: int = 0  # documents that went for it
    removed_tokens: int | None = 0  # theirs; None where tokens of dropped documents were not counted
    removed_bytes: int = 0  # of text cut out of documents that stay


@dataclass(frozen=True, slots=True)
class FoundItem:
    """One item in one document, both by opaque id."""

    benchmark: str
    item: str
    document: str
    uri: str
    start: int
    end: int
    containment: float
    action: str


@dataclass(slots=True)
class Decontamination:
    """The stable contract of `gpucurate decontamination --json`."""

    step: str
    documents: int = 0  # looked at
    held_out: int = 0
    held_out_tokens: int | None = 0
    benchmarks: list[BenchmarkFigures] = field(default_factory=list)
    common_grams: int = 0
    grams: list[SharedGram] = field(default_factory=list)
    samples: list[FoundItem] = field(default_factory=list)
    limits: tuple[str, ...] = LIMITS


def decontamination(context: RunContext, state: RunState, count: int) -> Decontamination:
    """Look at the first `decontaminate` step of a finished run; up to `count` grams, and samples a benchmark.

    Raises UserError if its recipe has none.
    """
    live = _step(context)
    if not state.parts:  # no document came in, so that nothing was compared
        return Decontamination(live.label)
    stages = {
        name: [read_table(Artifact.at(context.directory.root / path)) for path in paths]
        for name, paths in state.compared.get(live.label, {}).items()
        if name in ("items", "common")
    }
    figures = _checked(stages["items"][0])
    made = Decontamination(live.label)
    found: dict[str, set[str]] = {}
    samples: list[tuple[str, FoundItem]] = []
    for part in state.parts:
        samples += _add(made, figures, found, context, state, part, live)
    for name, items in found.items():
        figures[name].found = len(items)
    made.benchmarks = list(figures.values())
    made.samples = _few_of_each(samples, count)
    common = stages["common"][0]
    made.common_grams = int(pc.sum(common["common"].cast(pa.int64())).as_py() or 0)
    assert isinstance(live.step, Decontaminate)
    made.grams = shared_grams(live.step, common, count)
    return made


def _step(context: RunContext) -> LiveStep:
    for live in context.live.steps:
        if isinstance(live.step, Decontaminate):
            return live
    raise UserError(f"the recipe of {context.directory.root} has no step decontaminate; there is nothing to show")


def _checked(items: pa.Table) -> dict[str, BenchmarkFigures]:
    figures: dict[str, BenchmarkFigures] = {}
    for (name, state), number in Counter(
        zip(items["benchmark"].to_pylist(), items["state"].to_pylist(), strict=True)
    ).items():
        figures.setdefault(name, BenchmarkFigures(name)).items[state] = number
    return figures


def _add(
    made: Decontamination,
    figures: dict[str, BenchmarkFigures],
    found: dict[str, set[str]],
    context: RunContext,
    state: RunState,
    part: SettledPart,
    live: LiveStep,
) -> list[tuple[str, FoundItem]]:
    """Add a part; returns what was found in it, each with a hash to sample by."""
    done = walk(context, part.part, context.live.steps, state.corpus_keys, measure=False)
    judged = next(each for each in done.judged if each.label == live.label)
    rows = np.flatnonzero(judged.entered)
    signals = read_table(judged.signals, ["held_out", "action", "found", "cuts"])
    tokens = read_table(Artifact.at(context.directory.root / part.decisions), ["tokens"])["tokens"].to_pylist()
    made.documents += len(rows)
    samples = []
    interesting = pc.or_(pc.is_valid(signals["action"]), pc.fill_null(signals["held_out"], False))
    for at in pc.indices_nonzero(interesting).to_pylist():
        row = int(rows[at])
        signal = signals.slice(at, 1).to_pylist()[0]
        gone = int(judged.verdicts[row])
        if signal["held_out"]:
            made.held_out += 1
            made.held_out_tokens = _sum(made.held_out_tokens, tokens[row])
            continue
        actions: dict[str, str] = {}
        for run in signal["found"]:
            name = run["benchmark"]
            figures.setdefault(name, BenchmarkFigures(name))
            found.setdefault(name, set()).add(run["item"])
            actions[name] = max(actions.get(name, ""), run["action"], key=["", *map(str, Action)].index)
            meta = done.meta.slice(row, 1).select(["record_id", "uri"]).to_pylist()[0]
            item = FoundItem(
                name,
                run["item"],
                meta["record_id"].hex(),
                meta["uri"],
                run["start"],
                run["end"],
                run["matched"] / run["grams"],
                run["action"],
            )
            samples.append((f"{item.document}{run['item']}", item))
        for name, action in actions.items():
            each = figures[name]
            each.documents[action] += 1
            if action == Action.DROP or (action == Action.REMOVE and gone == EMPTIED):
                each.removed += 1
                each.removed_tokens = _sum(each.removed_tokens, tokens[row])
            elif action == Action.REMOVE and not gone:
                each.removed_bytes += sum(cut["end"] - cut["start"] for cut in signal["cuts"])
    return samples


def _few_of_each(samples: list[tuple[str, FoundItem]], count: int) -> list[FoundItem]:
    """The first by document and item, which are hashes: as good as random, and the same every time."""
    shown: Counter[str] = Counter()
    seen: set[str] = set()
    few = []
    for key, item in sorted(samples, key=lambda each: (each[1].benchmark == HELD_OUT, each[1].benchmark, each[0])):
        if shown[item.benchmark] < count and key not in seen:
            few.append(item)
            shown[item.benchmark] += 1
        seen.add(key)
    return few


def _sum(total: int | None, more: int | None) -> int | None:
    return None if total is None or more is None else total + more
