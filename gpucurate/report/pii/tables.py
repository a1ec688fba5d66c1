"""What a finished run left about personal data, part by part: findings, their documents, the restricted text."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from gpucurate.core.errors import StorageError, UserError
from gpucurate.run.edit_tables import FINDINGS_TABLE, RESTRICTED_TABLE, find_edit_table
from gpucurate.run.live import LiveStep, RunContext
from gpucurate.run.state import RunState
from gpucurate.run.walk import signals_key, walk
from gpucurate.steps.pii import Pii
from gpucurate.store.artifacts import Artifact, find, read_table


@dataclass(frozen=True, slots=True)
class PartFindings:
    """The findings of one part, with the column `record_id` of their documents; `restricted` stands beside them."""

    documents: int  # looked at
    words: int  # in them: runs of anything but white space
    findings: pa.Table
    restricted: pa.Table | None


def pii_step(context: RunContext, label: str | None) -> LiveStep:
    """The step `pii` of a recipe, or the one of this label.  Raises UserError if there is none, or a choice."""
    there = [live for live in context.live.steps if isinstance(live.step, Pii)]
    chosen = [live for live in there if label in (None, live.label)]
    if not chosen:
        names = ", ".join(live.label for live in there) or "none"
        raise UserError(f"the recipe of {context.directory.root} has no step {label or 'pii'!r}; it has {names}")
    if len(chosen) > 1:
        raise UserError(f"the recipe has {', '.join(live.label for live in chosen)}. Remedy: choose one with --step")
    return chosen[0]


def part_findings(context: RunContext, state: RunState, live: LiveStep, text: bool) -> Iterator[PartFindings]:
    """Every part in order; with `text` the restricted tables too.

    Raises UserError where the caller may not read those, StorageError for signals that are lost.
    """
    position = context.live.steps.index(live)
    for settled in state.parts:
        before = walk(context, settled.part, context.live.steps[:position], state.corpus_keys, measure=False)
        on_all = live.entry.config.on == "all"
        looked_at = np.ones_like(before.alive) if on_all else before.alive
        folder = context.directory.parts / settled.part.name
        key = signals_key(context, live, before, looked_at)
        if find(folder, live.label, key) is None:
            raise StorageError(
                f"part {settled.part.name} has lost what {live.label} said of it. Remedy: run the same recipe again"
            )
        words = int(pc.sum(pc.count_substring_regex(before.texts(looked_at), r"\S+")).as_py() or 0)
        found = find_edit_table(folder, live.label, key, FINDINGS_TABLE)
        if found is None:
            yield PartFindings(int(looked_at.sum()), words, _none(), None)
            continue
        findings = read_table(found)
        rows = pa.array(np.flatnonzero(looked_at)[findings["row"].to_numpy()])
        findings = findings.append_column("record_id", before.meta["record_id"].take(rows))
        restricted = find_edit_table(folder, live.label, key, RESTRICTED_TABLE)
        if text and restricted is None:
            raise StorageError(f"part {settled.part.name} has lost the text of its findings. Remedy: run it again")
        yield PartFindings(
            int(looked_at.sum()), words, findings, _read_restricted(restricted) if text and restricted else None
        )


def _read_restricted(artifact: Artifact) -> pa.Table:
    if not os.access(artifact.path, os.R_OK):
        raise UserError(
            f"{artifact.path} holds the personal data that was found, and only its owner may read it. "
            "Remedy: run this as that user, or add --counts to see numbers alone"
        )
    return read_table(artifact)


def _none() -> pa.Table:
    empty: dict[str, pa.Array] = {"class": pa.array([], pa.string()), "detector": pa.array([], pa.string())}
    return pa.table(empty)
