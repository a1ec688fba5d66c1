"""Strata: classes of the documents a run kept, by where they come from, language, length, domain or a score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from gpucurate.classifier.examples import host_of
from gpucurate.core.errors import UserError
from gpucurate.recipe.mistakes import did_you_mean
from gpucurate.run.live import RunContext
from gpucurate.run.text_layers import EDIT_COLUMNS
from gpucurate.run.walk import Judged, Walk
from gpucurate.steps.language.lengths import LENGTHS
from gpucurate.store.artifacts import read_table

PROPERTIES = ("source", "language", "length", "domain", "score")
LANGUAGE = "language"  # column of the step of that name
OTHER_DOMAINS = "other"


@dataclass(frozen=True, slots=True)
class Strata:
    """What strata are made of."""

    by: tuple[str, ...] = ("source", "length")
    domains: int = 20  # so many of the largest are strata of their own, the others one together
    score: str | None = None  # a signal of the run
    cuts: tuple[float, ...] = (1.0, 2.0, 3.0, 4.0)  # least score of each class but the first

    def __post_init__(self) -> None:
        for name in self.by:
            if name not in PROPERTIES:
                raise UserError(f"--by: no such property {name!r}{did_you_mean(name, PROPERTIES)}")
        if len(set(self.by)) < len(self.by):
            raise UserError(f"--by: a property is named twice in {','.join(self.by)}")
        if ("score" in self.by) != (self.score is not None):
            raise UserError("strata by score need both `score` in --by and --score COLUMN, which names the signal")
        if any(not a < b for a, b in zip(self.cuts, self.cuts[1:], strict=False)):
            raise UserError(f"--cuts must grow from left to right: {','.join(map(str, self.cuts))}")


def signal(context: RunContext, state: Walk, name: str) -> pa.ChunkedArray | None:
    """A signal of the documents still alive, as the last step that has it measured it; None if none does."""
    for live, judged in zip(reversed(context.live.steps[: len(state.judged)]), reversed(state.judged), strict=True):
        if name in _names(judged):
            everywhere = not live.corpus and live.entry.config.on != "survivors"
            looked_at = np.ones_like(state.alive) if everywhere else judged.entered
            return read_table(judged.signals, [name])[name].take(pa.array((np.cumsum(looked_at) - 1)[state.alive]))
    return None


def known_signals(state: Walk) -> list[str]:
    """Names of all signals, for a message."""
    return sorted({name for judged in state.judged for name in _names(judged)} - set(EDIT_COLUMNS))


def _names(judged: Judged) -> list[str]:
    return list(pq.read_schema(judged.signals.path).names)


def classes(context: RunContext, state: Walk, strata: Strata) -> pa.Table:
    """One row a document alive, one string column a property; domains are hosts here.

    Raises UserError if the run has no language or no such signal.
    """
    columns = {name: _classes(context, state, strata, name) for name in strata.by}
    return pa.table(columns or {"all": pa.array([""] * int(state.alive.sum()))})


def _classes(context: RunContext, state: Walk, strata: Strata, name: str) -> pa.Array | pa.ChunkedArray:
    described = state.described(state.alive)
    if name == "source":
        return described["source"]
    if name == "domain":
        return pa.array([host_of(uri) for uri in described["uri"].to_pylist()], pa.string())
    if name == "length":
        least = np.searchsorted(LENGTHS, described["text_bytes"].to_numpy(), side="right") - 1
        return pa.array([str(length) for length in LENGTHS]).take(pa.array(least))
    column = LANGUAGE if name == "language" else str(strata.score)
    values = signal(context, state, column)
    if values is None:
        raise UserError(
            f"no step of this run has a signal {column!r}{did_you_mean(column, known_signals(state))}. Remedy: "
            "run a recipe with the step that measures it, or take it out of --by"
        )
    if name == "language":
        return pc.fill_null(values, "none")
    return _score_classes(column, values, strata.cuts)


def _score_classes(name: str, values: pa.ChunkedArray, cuts: Sequence[float]) -> pa.Array:
    if not (pa.types.is_floating(values.type) or pa.types.is_integer(values.type)):
        raise UserError(f"the signal {name!r} is no number ({values.type}). Remedy: name another with --score")
    numbers = values.cast(pa.float64()).to_numpy()
    number = np.searchsorted(cuts, numbers, side="right")  # NaN, and null with it, sorts behind everything
    number[np.isnan(numbers)] = len(cuts) + 1
    names = [f"<{cuts[0]:g}", *(f"{cut:g}" for cut in cuts), "none"] if cuts else ["any", "none"]
    return pa.array(names).take(pa.array(number))


def largest_domains(counts: Counter[tuple[str, ...]], strata: Strata) -> frozenset[str]:
    """The hosts that are strata of their own: those with most documents, ties by name."""
    if "domain" not in strata.by:
        return frozenset()
    position, hosts = strata.by.index("domain"), Counter[str]()
    for key, documents in counts.items():
        hosts[key[position]] += documents
    return frozenset(sorted(hosts, key=lambda host: (-hosts[host], host))[: strata.domains])


def stratum_names(rows: Iterable[tuple[str, ...]], strata: Strata, largest: frozenset[str]) -> list[str]:
    """Names of strata, such as `source=wiki;length=300`; `all` where there is one only."""
    return [_stratum_name(row, strata, largest) for row in rows]


def _stratum_name(row: tuple[str, ...], strata: Strata, largest: frozenset[str]) -> str:
    if not strata.by:
        return "all"
    shown = (
        OTHER_DOMAINS if name == "domain" and value not in largest else value
        for name, value in zip(strata.by, row, strict=True)
    )
    return ";".join(f"{name}={value}" for name, value in zip(strata.by, shown, strict=True))
