"""The cut: from units to bytes, and the texts that are left.  Also what `host_templates` cuts with.

From the first byte of the first unit to the last byte of the last one; then what stands directly behind it (`."`) if
white space follows, and that space too, unless it ends a line of which something stays.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from gpucurate.core.compiled import kernel
from gpucurate.core.text_buffers import Bytes, Offsets, TextBuffers, text_buffers
from gpucurate.steps.contract import SPANS, Edit
from gpucurate.steps.edits import column_of_changes, spans_table, without_spans
from gpucurate.steps.repeated_spans.config import Mode
from gpucurate.steps.repeated_spans.places import batches
from gpucurate.steps.repeated_spans.units import units_of

SPACE, TAB, NEW_LINE, RETURN = 0x20, 0x09, 0x0A, 0x0D


def cut(texts: pa.Array, passages: pa.Array, mode: Mode, kind: str, findings_schema: pa.Schema) -> Edit:
    """Texts without their passages, spans of `kind`, and a finding a passage.

    `passages` is a list of structs, null where there are none: `from` and `to` in units, and the fields that
    `findings_schema` has after `row`, `start` and `end`.
    """
    buffers = text_buffers(texts)
    rows = np.flatnonzero(passages.is_valid().to_numpy(zero_copy_only=False))
    spans, findings = [SPANS.empty_table()], [findings_schema.empty_table()]
    for batch in batches(np.concatenate([[0], np.cumsum(np.diff(buffers.offsets)[rows])])):
        some = pa.array(rows[batch])
        made = _cut_some(rows[batch], text_buffers(texts.take(some)), passages.take(some), mode, findings_schema)
        spans.append(spans_table(*made[0], pa.repeat(pa.scalar(kind), len(made[0][0]))))
        findings.append(made[1])
    removed = pa.concat_tables(spans)
    return Edit(_left(buffers, removed), removed, pa.concat_tables(findings))


def _cut_some(
    rows: NDArray[np.int64], texts: TextBuffers, passages: pa.Array, mode: Mode, findings_schema: pa.Schema
) -> tuple[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]], pa.Table]:
    """Rows, starts and ends of spans, and findings, of documents that all have passages; `rows` are their numbers
    among those measured."""
    units = units_of(texts, mode)
    flat = passages.flatten()
    low, high = (flat.field(name).to_numpy() for name in ("from", "to"))
    count = pc.list_value_length(passages).to_numpy()
    bounds = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
    document, start, end = cut_bytes(
        texts.data, texts.offsets, units.offsets, units.start, units.end, bounds, low, high
    )
    base = np.repeat(units.offsets[:-1], count)
    columns = [np.repeat(rows, count).astype(np.int32), units.start[base + low], units.end[base + high - 1]]
    found = [*map(pa.array, columns), *(flat.field(name) for name in findings_schema.names[3:])]
    return (rows[document], start, end), pa.table(found, schema=findings_schema)


def _left(texts: TextBuffers, spans: pa.Table) -> pa.Array:
    row, start, end = (spans[name].to_numpy().astype(np.int64) for name in ("row", "start", "end"))
    return column_of_changes(*without_spans(texts.data, texts.offsets, row, start, end))


@kernel
def cut_bytes(
    data: Bytes,
    offsets: Offsets,
    unit_bounds: Offsets,
    unit_start: NDArray[np.int64],
    unit_end: NDArray[np.int64],
    bounds: NDArray[np.int64],
    low: NDArray[np.int64],
    high: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Document, first byte and end of each cut.  Document d's passages are low and high [bounds[d]:bounds[d + 1]],
    sorted by `low`; those that overlap or touch make one cut."""
    document, start, end = np.empty_like(low), np.empty_like(low), np.empty_like(low)
    n = 0
    for d in range(len(bounds) - 1):
        text = data[offsets[d] : offsets[d + 1]]
        units, count = unit_bounds[d], unit_bounds[d + 1] - unit_bounds[d]
        p = bounds[d]
        while p < bounds[d + 1]:
            first, last = low[p], high[p]
            p += 1
            while p < bounds[d + 1] and low[p] <= last:
                last = max(last, high[p])
                p += 1
            document[n], start[n] = d, unit_start[units + first]
            until = unit_start[units + last] if last < count else len(text)
            end[n] = end_of_cut(text, start[n], unit_end[units + last - 1], until, last == count)
            n += 1
    return document[:n].copy(), start[:n].copy(), end[:n].copy()


@kernel
def end_of_cut(text: Bytes, start: int, end: int, until: int, last: bool) -> int:
    """Where the cut of text[start:end] ends; `until`: where the next unit begins, or the text ends (`last`)."""
    at = end
    while at < until and not is_space(text[at]):
        at += 1
    if at == until:
        return until if last else end
    behind = at
    new_line = False
    while at < until and is_space(text[at]):
        new_line = new_line or text[at] == NEW_LINE
        at += 1
    return behind if new_line and not begins_line(text, start) else at


@kernel
def begins_line(text: Bytes, at: int) -> bool:
    """Whether nothing but white space stands before text[at] on its line."""
    while at > 0 and text[at - 1] != NEW_LINE:
        if not is_space(text[at - 1]):
            return False
        at -= 1
    return True


@kernel
def is_space(byte: np.uint8) -> bool:
    """ASCII white space: a border that no character of UTF-8 crosses."""
    return bool(byte == SPACE or byte == TAB or byte == NEW_LINE or byte == RETURN)
