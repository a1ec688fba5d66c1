"""Edits checked against their spans: text before + spans = text after, so that every edit can be taken back.

The spans say where the two texts differ; the bytes they cover are in the text before, which is kept.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from gpucurate.run.edit_tables import SPANS_TABLE, find_edit_table
from gpucurate.run.live import RunContext
from gpucurate.run.state import RunState
from gpucurate.run.text_layers import TEXT, TextLayers
from gpucurate.run.walk import walk
from gpucurate.steps.contract import SPANS
from gpucurate.store.artifacts import read_table

_RECORD = "record_id"


def irreversible_edits(context: RunContext, state: RunState) -> Iterator[str]:
    """Edited documents whose spans do not lead from the text before to the text after, a line each."""
    for settled in state.parts:
        done = walk(context, settled.part, context.live.steps, state.corpus_keys, measure=False)
        directory = context.directory.parts / settled.part.name
        before = TextLayers(settled.part.artifact(context.directory.root), settled.part.rows)
        for artifact, rows in done.text.layers:
            table = read_table(artifact)
            spans = find_edit_table(directory, artifact.stage, artifact.key, SPANS_TABLE)
            documents = before.current().take(pa.array(rows))
            for row in contradicting(documents, read_table(spans) if spans else SPANS.empty_table(), table[TEXT]):
                identity = done.meta[_RECORD][int(rows[row])].as_py().hex()
                yield (
                    f"{artifact.path.name}: the spans of document {identity} do not lead to its new text. "
                    "Remedy: delete that file and run the same recipe again"
                )
            before.add(artifact, rows, table)


def contradicting(before: pa.Array, spans: pa.Table, after: pa.ChunkedArray) -> list[int]:
    """Rows whose text `after` (null: unchanged) is not what the spans make of the text `before`."""
    at = spans["row"].to_numpy()
    wrong = []
    for row, new in enumerate(after):
        low, high = np.searchsorted(at, [row, row + 1])
        if low == high:
            if new.is_valid:
                wrong.append(row)
            continue
        edited = replaced(before[row].as_py().encode(), spans.slice(low, high - low))
        if not new.is_valid or edited != new.as_py().encode():
            wrong.append(row)
    return wrong


def replaced(text: bytes, spans: pa.Table) -> bytes:
    """One document's text with its spans (schema SPANS, in order) replaced."""
    pieces, here = [], 0
    for start, end, replacement in zip(*(spans[name].to_pylist() for name in SPANS.names[1:4]), strict=True):
        pieces += [text[here:start], replacement.encode()]
        here = end
    return b"".join([*pieces, text[here:]])


def restored(text: bytes, spans: pa.Table, removed: list[bytes]) -> bytes:
    """The text before an edit: one document's text after it, its spans, and the bytes that they took out."""
    pieces, here, shift = [], 0, 0  # shift: how much further a place lies in the text after
    places = zip(*(spans[name].to_pylist() for name in SPANS.names[1:4]), removed, strict=True)
    for start, end, replacement, was in places:
        pieces += [text[here : start + shift], was]
        size = len(replacement.encode())
        here = start + shift + size
        shift += size - (end - start)
    return b"".join([*pieces, text[here:]])
