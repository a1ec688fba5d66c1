"""The retention curve: what each cut through a score would keep, in documents, bytes and tokens, by slice.

It is read from the signals of a finished run: nothing is scored again, and the run's own cut does not matter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from gpucurate.run.live import LiveStep, RunContext
from gpucurate.run.ratings import rating_step, rating_steps, signal_of
from gpucurate.run.state import RunState, SettledPart
from gpucurate.run.walk import walk
from gpucurate.store.artifacts import Artifact, read_table

LANGUAGE = "language"  # signal of the step of that name
STEPS_OF_SCALE = 10  # cuts shown by default: every half point of FineWeb-Edu's scale, every rank
SHOWN = 8  # slices of a kind in the table; --json has all
ALL = "all documents"
UNKNOWN = "unknown"

Sums = NDArray[np.int64]  # [cuts + 1, 4]: documents, bytes, tokens, documents whose tokens were not counted


@dataclass(slots=True)
class Retention:
    """Sums by slice; those of cut `n` are of documents that score at least `cuts[n]`, the last row of all that were
    scored or could not be."""

    label: str
    cuts: list[float]
    cut: float | None  # the recipe's own
    slices: dict[tuple[str, str], Sums] = field(default_factory=dict)

    def data(self) -> dict[str, Any]:
        """The stable contract of `--json`; `tokens` is null where some were not counted."""
        return {
            "step": self.label,
            "cut": self.cut,
            "slices": [
                {"by": by, "value": value, "all": _sums(sums[-1]), "at": [_at(c, s) for c, s in self._rows(sums)]}
                for (by, value), sums in self.slices.items()
            ],
        }

    def _rows(self, sums: Sums) -> list[tuple[float, Sums]]:
        return list(zip(self.cuts, sums[:-1], strict=True))


def retention(context: RunContext, state: RunState, step: str | None, cuts: Sequence[float] | None) -> Retention:
    """Of the last step that rates documents, or the one labelled `step`; without `cuts` the scale's and the recipe's.

    Raises UserError where there is no such step.
    """
    live = rating_step(context, step)
    config: Any = live.entry.config
    own = set() if config.cut is None else {config.cut}
    found = Retention(live.label, sorted(cuts or own.union(default_cuts(config.top))), config.cut)
    found.slices[ALL, ALL] = np.zeros((len(found.cuts) + 1, 4), np.int64)
    for part in state.parts:
        _add(found, context, state, part, live)
    order = sorted(found.slices, key=lambda name: (*_place(name), -int(found.slices[name][-1, 0]), name))
    found.slices = {name: found.slices[name] for name in order}
    return found


def retentions(context: RunContext, state: RunState) -> list[dict[str, Any]]:
    """Data of every step that rates documents, in order; empty where there is none."""
    return [retention(context, state, live.label, None).data() for live in rating_steps(context)]


def default_cuts(top: float) -> list[float]:
    """Every half point, or every rank: a tenth of a scale to 5, each step of a longer one."""
    step = 1.0 if top > STEPS_OF_SCALE else top / STEPS_OF_SCALE
    return np.arange(0, top + step / 2, step).tolist()


def print_retention(data: Mapping[str, Any], console: Console) -> None:
    """For people: a table a slice kind, in shares of all; counts for the whole."""
    print_whole(data, console)
    for by in dict.fromkeys(each["by"] for each in data["slices"][1:]):
        _print_slices(console, by, [each for each in data["slices"] if each["by"] == by])


def print_whole(data: Mapping[str, Any], console: Console) -> None:
    """The table of all documents."""
    whole = data["slices"][0]
    table = _table(f"{data['step']}: kept at each cut", ["cut", "documents", "", "bytes", "", "tokens", "", ""])
    for row in whole["at"]:
        cells: list[str] = []
        for unit in ("documents", "bytes", "tokens"):
            cells += [_number(row[unit]), _share(row[unit], whole["all"][unit])]
        own = data["cut"] is not None and row["cut"] == data["cut"]
        table.add_row(f"{row['cut']:g}", *cells, "the recipe's cut" if own else "", style="bold" if own else None)
    console.print(table)
    if whole["all"]["tokens"] is None:
        console.print("tokens of dropped documents were not counted; `tokens: {count: all}` in the recipe counts them")


def _print_slices(console: Console, by: str, slices: Sequence[Mapping[str, Any]]) -> None:
    cuts = [f"{row['cut']:g}" for row in slices[0]["at"]]
    console.print()
    table = _table(f"documents kept, by {by}", [by, "documents", *cuts])
    for each in slices[:SHOWN]:
        total = each["all"]["documents"]
        table.add_row(each["value"], f"{total:,}", *(_share(row["documents"], total) for row in each["at"]))
    console.print(table)
    if len(slices) > SHOWN:
        console.print(f"and {len(slices) - SHOWN} more; --json has all")


def _add(found: Retention, context: RunContext, state: RunState, settled: SettledPart, live: LiveStep) -> None:
    """Add a part's documents that reached the step."""
    done = walk(context, settled.part, context.live.steps, state.corpus_keys, measure=False)
    number = [judged.label for judged in done.judged].index(live.label)
    judged = done.judged[number]
    rows = np.flatnonzero(judged.entered)
    score = pc.fill_null(signal_of(done, live, judged, str(live.step.rating)), -np.inf).to_numpy()[rows]  # type: ignore[union-attr]
    tokens = read_table(Artifact.at(context.directory.root / settled.decisions), ["tokens"])["tokens"]
    unknown = tokens.is_null().to_numpy()[rows]
    counted = pc.fill_null(tokens, 0).to_numpy()[rows]
    values = np.stack([np.ones(len(rows), np.int64), judged.bytes_in[rows], counted, unknown], axis=1).astype(np.int64)
    places = np.searchsorted(np.array(found.cuts), score, side="right")  # how many cuts it passes
    named = {ALL: np.full(len(rows), ALL, object), "source": np.array(done.meta["source"].to_pylist(), object)[rows]}
    for earlier, each in zip(context.live.steps[:number], done.judged[:number], strict=True):
        if LANGUAGE in read_table(each.signals).column_names:
            codes = pc.fill_null(signal_of(done, earlier, each, LANGUAGE), UNKNOWN)
            named[LANGUAGE] = np.array(codes.to_pylist(), object)[rows]
    for by, names in named.items():
        for name in dict.fromkeys(names.tolist()):
            sums = found.slices.setdefault((by, name), np.zeros((len(found.cuts) + 1, 4), np.int64))
            _sum_up(sums, places[names == name], values[names == name])


def _sum_up(sums: Sums, places: NDArray[np.int64], values: NDArray[np.int64]) -> None:
    exact = np.zeros_like(sums)
    np.add.at(exact, places, values)  # documents that pass so many cuts and no more
    passed = np.cumsum(exact[::-1], axis=0)[::-1]  # so many or more
    sums[:-1] += passed[1:]
    sums[-1] += passed[0]


def _place(name: tuple[str, str]) -> tuple[int]:
    return ([ALL, "source", LANGUAGE].index(name[0]),)


def _sums(row: Sums) -> dict[str, int | None]:
    return {"documents": int(row[0]), "bytes": int(row[1]), "tokens": None if row[3] else int(row[2])}


def _at(cut: float, row: Sums) -> dict[str, Any]:
    return {"cut": cut, **_sums(row)}


def _number(value: int | None) -> str:
    return "–" if value is None else f"{value:,}"


def _share(value: int | None, whole: int | None) -> str:
    return "–" if value is None or not whole else f"{100 * value / whole:.1f} %"


def _table(title: str, columns: Sequence[str]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", title=title, title_justify="left")
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    return table
