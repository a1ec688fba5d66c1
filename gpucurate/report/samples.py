"""Samples: documents that one reason removed, or that were kept, to be read by a person.

The choice is by record id, which is a hash: as good as random, and the same every time.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow.compute as pc

from gpucurate.core.errors import UserError
from gpucurate.recipe.mistakes import did_you_mean
from gpucurate.run.state import RunState, SettledPart
from gpucurate.store.artifacts import Artifact, read_table
from gpucurate.store.directory import OutputDirectory

KEPT = "kept"
Place = tuple[SettledPart, int]  # a part and a row in it


@dataclass(frozen=True, slots=True)
class Sample:
    """One document or quarantined record."""

    identity: str  # record id in hex, or file and position of a quarantined record
    reason: str
    uri: str
    title: str
    text: str  # as extracted, before any edit; what was wrong, for a quarantined record


def samples(directory: OutputDirectory, state: RunState, reason: str, count: int) -> list[Sample]:
    """Up to `count` documents whose fate is `reason` (a code, or `kept`).

    Raises UserError naming the nearest reason that occurs, if this one does not, and for records that were dropped
    while reading: of a redirect or a request only its number is kept.
    """
    known = {KEPT, *(code for a in state.accounts for code in (*a.dropped, *a.quarantined))}
    if reason not in known:
        raise UserError(f"no document has the reason {reason!r}{did_you_mean(reason, sorted(known))}")
    dropped_reading = state.accounts[0].dropped.get(reason)
    if dropped_reading is not None:
        raise UserError(
            f"{reason}: {dropped_reading.documents:,} records were dropped while reading, "
            "before they became documents; their text is not kept"
        )
    found = heapq.nsmallest(count, _with_reason(directory, state, reason), key=lambda s: s[0])
    rows = [_sample(directory, reason, place) for _, place in found]
    return rows or _quarantined(directory, state, reason, count)


def _with_reason(
    directory: OutputDirectory, state: RunState, reason: str
) -> Iterator[tuple[bytes, tuple[SettledPart, int]]]:
    for settled in state.parts:
        table = read_table(Artifact.at(directory.root / settled.decisions), ["record_id", "reason"])
        reasons = pc.fill_null(table["reason"], KEPT)
        for row in pc.indices_nonzero(pc.equal(reasons, reason)).to_pylist():
            yield table["record_id"][row].as_py(), (settled, row)


def _sample(directory: OutputDirectory, reason: str, place: Place) -> Sample:
    settled, row = place
    documents = read_table(settled.part.artifact(directory.root), ["record_id", "uri", "title", "text"])
    document = documents.slice(row, 1).to_pylist()[0]
    return Sample(document["record_id"].hex(), reason, document["uri"], document["title"] or "", document["text"])


def _quarantined(directory: OutputDirectory, state: RunState, reason: str, count: int) -> list[Sample]:
    """Records that never became documents; dropped ones (redirects, requests) leave only their count."""
    rows: list[Sample] = []
    for path in state.quarantine:
        table = read_table(Artifact.at(directory.root / path))
        for row in table.filter(pc.equal(table["reason"], reason)).to_pylist():
            place = f"{row['file']} at {row['position']}"
            rows.append(Sample(place, reason, row["uri"] or "", "", row["detail"]))
        if len(rows) >= count:
            break
    return rows[:count]
