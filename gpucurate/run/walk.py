"""Walking one part through the recipe: measure what is missing, judge everything, keep the books.

A walk starts from the documents every time and finds by key what was measured before, so that a resumed run, a changed
threshold and a second pass after a corpus-wide step are the same code.  Text is loaded only if something must be
measured or handed on.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpucurate.core.digests import digest_settings
from gpucurate.core.documents import DOCUMENTS
from gpucurate.core.errors import InvariantError
from gpucurate.run.edit_tables import edit_entries, write_edit_tables
from gpucurate.run.entries import entry_of
from gpucurate.run.live import LiveStep, RunContext
from gpucurate.run.reading import Part
from gpucurate.run.text_layers import TEXT, TextLayers, edited_text
from gpucurate.steps.contract import Measurement, RecordStep, ReextractingStep
from gpucurate.store.artifacts import Artifact, find, read_table, task_key, write_table
from gpucurate.store.manifest import Entry

Mask = NDArray[np.bool_]
META = [name for name in DOCUMENTS.names if name != TEXT]


@dataclass(slots=True)
class Judged:
    """What one step did to the documents of a part.  Arrays have one value a document of the part."""

    label: str
    signals: Artifact  # what it measured or was told, a row a document it looked at
    verdicts: NDArray[np.int16]  # 0 kept or gone before; i > 0 for reasons[i - 1]
    entered: Mask
    bytes_in: NDArray[np.int64]  # of text
    bytes_removed: NDArray[np.int64]  # by the step's edit
    bytes_added: NDArray[np.int64]


@dataclass(slots=True)
class Walk:
    """The state of a part after some steps."""

    part: Part
    meta: pa.Table  # DOCUMENTS without text
    text: TextLayers
    alive: Mask
    judged: list[Judged] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)

    def survivors(self) -> pa.Table:
        """Surviving documents with the text as it is now."""
        return self.documents(self.alive)

    def documents(self, mask: Mask) -> pa.Table:
        """Some documents with the text as it is now; schema DOCUMENTS."""
        return self.described(mask).append_column(TEXT, self.texts(mask)).select(DOCUMENTS.names)

    def described(self, mask: Mask) -> pa.Table:
        """The same without their text; `text_bytes` says how long it is now."""
        sizes = pa.array(self.text.bytes[mask])
        return self.meta.take(pa.array(np.flatnonzero(mask))).set_column(META.index("text_bytes"), "text_bytes", sizes)

    def texts(self, mask: Mask) -> pa.Array:
        """Their texts as they are now (large_string)."""
        return self.text.current().take(pa.array(np.flatnonzero(mask)))

    def mask_digest(self) -> str:
        """Digest of which documents are alive."""
        return digest_settings(np.packbits(self.alive).tobytes().hex())


def walk(
    context: RunContext,
    part: Part,
    steps: tuple[LiveStep, ...],
    corpus_keys: Mapping[str, str],
    *,
    measure: bool = True,
) -> Walk:
    """Take a part through `steps`.

    `corpus_keys` has the task key of what each corpus-scope step said (by label).  With `measure=False` a missing
    artifact is an InvariantError instead of work to do.
    """
    documents = part.artifact(context.directory.root)
    meta = read_table(documents, META)
    state = Walk(part, meta, TextLayers(documents, meta.num_rows), np.ones(meta.num_rows, np.bool_))
    state.entries.append(entry_of(context, documents, part.name, meta.num_rows, (part.unit.file.digest,), 0.0))
    for live in steps:
        if live.corpus:
            _judge(state, live, state.alive.copy(), _said(context, state, live, corpus_keys[live.label]))
        else:
            measured = state.alive.copy() if live.entry.config.on == "survivors" else np.ones_like(state.alive)
            _judge(state, live, measured, _measured(context, state, live, measured, measure))
    return state


def signals_key(context: RunContext, live: LiveStep, state: Walk, measured: Mask) -> str:
    """Task key of a record-scope step's signals on a part."""
    step = live.step
    inputs = list(state.text.digests)
    if not measured.all():
        inputs.append(state.mask_digest())
    settings = {"config": live.entry.config.measuring(), "resources": live.resources()}
    if isinstance(step, ReextractingStep):
        settings["source"] = context.live.sources[state.part.unit.source].identity()
    return task_key(live.label, step.version, settings, inputs)


def _measured(context: RunContext, state: Walk, live: LiveStep, measured: Mask, measure: bool) -> Artifact:
    assert isinstance(live.step, RecordStep)
    key = signals_key(context, live, state, measured)
    directory = context.directory.parts / state.part.name
    artifact = find(directory, live.label, key)
    seconds = 0.0
    if artifact is None:
        if not measure:
            raise InvariantError(f"part {state.part.name} has no signals of step {live.label!r}; run the recipe again")
        documents = state.documents(measured)
        started = time.perf_counter()
        measurement = _measure(context, state.part, live.step, documents)
        table = measurement.signals
        if measurement.edit is not None:
            table = edited_text(table, measurement.edit)
        seconds = time.perf_counter() - started
        if table.num_rows != documents.num_rows:
            raise InvariantError(f"step {live.label!r} gave {table.num_rows} rows for {documents.num_rows} documents")
        if measurement.edit is not None:
            write_edit_tables(directory, live.label, key, measurement.edit, state.part.name)
        artifact = write_table(directory, live.label, key, table, {"part": state.part.name})
    inputs = tuple(state.text.digests)
    state.entries.append(entry_of(context, artifact, state.part.name, int(measured.sum()), inputs, seconds))
    state.entries += edit_entries(context, directory, live.label, key, state.part.name, inputs)
    return artifact


def _measure(context: RunContext, part: Part, step: RecordStep, documents: pa.Table) -> Measurement:  # type: ignore[type-arg]
    if isinstance(step, ReextractingStep):
        source = context.live.sources[part.unit.source]
        step.reextract = lambda wanted: source.reextract(part.unit, wanted)
    return step.measure(documents)


def _said(context: RunContext, state: Walk, live: LiveStep, key: str) -> Artifact:
    """What a corpus-scope step said of this part's survivors."""
    directory = context.directory.parts / state.part.name
    artifact = find(directory, live.label, key)
    if artifact is None:
        raise InvariantError(f"part {state.part.name} has no answer of step {live.label!r}; run the recipe again")
    rows = int(state.alive.sum())
    state.entries.append(entry_of(context, artifact, state.part.name, rows, (), 0.0))
    state.entries += edit_entries(context, directory, live.label, key, state.part.name, ())
    return artifact


def _judge(state: Walk, live: LiveStep, measured: Mask, artifact: Artifact) -> None:
    signals = read_table(artifact)
    rows = np.flatnonzero(measured)
    bytes_in = state.text.bytes.copy()
    removed, added = np.zeros_like(bytes_in), np.zeros_like(bytes_in)
    meta = state.meta.take(pa.array(rows)).set_column(META.index("text_bytes"), "text_bytes", pa.array(bytes_in[rows]))
    verdicts = np.zeros(len(measured), np.int16)
    verdicts[rows] = live.step.judge(meta, signals)
    verdicts[~state.alive] = 0
    if TEXT in signals.column_names:
        removed, added = state.text.add(artifact, rows, signals)
    state.judged.append(Judged(live.label, artifact, verdicts, state.alive.copy(), bytes_in, removed, added))
    state.alive &= verdicts == 0
