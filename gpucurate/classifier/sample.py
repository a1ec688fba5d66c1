"""Sampling: a stratified draw, without replacement, from the documents a finished run kept.

Three passes over the parts: count the strata, choose, fetch the texts.  Within a stratum those documents are drawn
whose keyed hash of the record id is least, so that the draw depends on seed and documents and on nothing else: not on
parts, files or their order.  A document's weight is how many of its stratum it stands for (Horvitz and Thompson 1952):
sums of weight times value over the sample are unbiased estimates of sums over the corpus.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpucurate.classifier.examples import SampledDocument
from gpucurate.classifier.sample_design import allocate
from gpucurate.classifier.sample_strata import LANGUAGE, Strata, classes, largest_domains, signal, stratum_names
from gpucurate.core.errors import UserError
from gpucurate.core.fixed_bytes import fixed_bytes
from gpucurate.run.live import RunContext
from gpucurate.run.progress import Progress
from gpucurate.run.state import RunState, SettledPart
from gpucurate.run.walk import Walk, walk
from gpucurate.tokens.siphash import derive_key, siphash

PURPOSE = "classifier sample"  # goes into the key, so that no other choice by seed is correlated with this one
Frame = tuple[NDArray[np.uint8], pa.Table]  # record ids [documents, 16] of a part, and `classes` of the same
Chosen = tuple[int, bytes, int, int]  # hash, record id, number of the part, row among its kept documents


@dataclass(frozen=True, slots=True)
class Draw:
    """A sample, in the order of record ids, and what it was drawn from: documents by stratum, there and drawn."""

    documents: list[SampledDocument]
    there: dict[str, int]
    drawn: dict[str, int]


def draw_sample(
    context: RunContext, state: RunState, size: int, strata: Strata, allocation: str, seed: int, progress: Progress
) -> Draw:
    """Draw `size` documents, or all if there are no more; raises UserError if the run kept none, and as `allocate`
    and `classes` do."""

    def frame(pass_over: str) -> Iterator[Frame]:
        with progress.stage(pass_over, len(state.parts)) as stage:
            for settled in state.parts:
                kept = _kept(context, state, settled)
                yield fixed_bytes(kept.described(kept.alive)["record_id"]), classes(context, kept, strata)
                stage.advance(int(kept.alive.sum()))

    there, chosen = choose(frame, size, strata, allocation, seed)
    if not there:
        raise UserError(f"the run in {context.directory.root} kept no documents. Remedy: sample a run that did")
    drawn = {name: len(places) for name, places in chosen.items()}
    return Draw(_fetch(context, state, chosen, there, progress), dict(sorted(there.items())), drawn)


def choose(
    frame: Callable[[str], Iterable[Frame]], size: int, strata: Strata, allocation: str, seed: int
) -> tuple[Counter[str], dict[str, list[Chosen]]]:
    """Documents by stratum, there and chosen.  `frame` goes over the ids and classes of all parts, told what for."""
    counts: Counter[tuple[str, ...]] = Counter()
    for _, table in frame("count strata"):
        counts.update(_rows(table))
    largest = largest_domains(counts, strata)
    there: Counter[str] = Counter()
    for name, documents in zip(stratum_names(counts, strata, largest), counts.values(), strict=True):
        there[name] += documents
    drawn = allocate(there, size, allocation)
    key = derive_key(PURPOSE, seed)
    chosen: dict[str, list[Chosen]] = {name: [] for name in there}
    for number, (ids, table) in enumerate(frame("choose")):
        hashes = siphash(key, np.ascontiguousarray(ids).view("<u8")).tolist()
        here: dict[str, list[Chosen]] = {}
        for row, name in enumerate(stratum_names(_rows(table), strata, largest)):
            here.setdefault(name, []).append((hashes[row], ids[row].tobytes(), number, row))
        for name, candidates in here.items():
            chosen[name] = heapq.nsmallest(drawn[name], [*chosen[name], *candidates])
    return there, chosen


def _kept(context: RunContext, state: RunState, settled: SettledPart) -> Walk:
    return walk(context, settled.part, context.live.steps, state.corpus_keys, measure=False)


def _rows(table: pa.Table) -> Iterator[tuple[str, ...]]:
    return zip(*(column.to_pylist() for column in table.columns), strict=True)


def _fetch(
    context: RunContext,
    state: RunState,
    chosen: dict[str, list[Chosen]],
    there: dict[str, int],
    progress: Progress,
) -> list[SampledDocument]:
    """Texts as the last step left them."""
    by_part: dict[int, list[tuple[int, str]]] = {}
    for name, places in chosen.items():
        for _, _, number, row in places:
            by_part.setdefault(number, []).append((row, name))
    documents: list[SampledDocument] = []
    with progress.stage("fetch texts", len(by_part)) as stage:
        for number, rows in sorted(by_part.items()):
            kept = _kept(context, state, state.parts[number])
            language = signal(context, kept, LANGUAGE)
            table = kept.survivors()
            for row, name in rows:
                document = table.slice(row, 1).to_pylist()[0]
                documents.append(
                    SampledDocument(
                        record_id=document["record_id"].hex(),
                        source=document["source"],
                        uri=document["uri"],
                        title=document["title"],
                        language=None if language is None else language[row].as_py(),
                        text=document["text"],
                        weight=there[name] / len(chosen[name]),
                        stratum=name,
                    )
                )
            stage.advance(len(rows))
    return sorted(documents, key=lambda document: document.record_id)
