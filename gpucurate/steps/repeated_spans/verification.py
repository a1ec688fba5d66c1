"""From windows to passages: consecutive windows are joined, and compared with the first occurrence byte by byte."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpucurate.core.compiled import kernel
from gpucurate.core.documents import RECORD_ID
from gpucurate.core.fixed_bytes import fixed_bytes, fixed_column
from gpucurate.core.text_buffers import text_buffers
from gpucurate.steps.comparison import Nodes, PartDocuments, Range
from gpucurate.steps.near_duplicates.numbering import by_piece, column, look_up
from gpucurate.steps.repeated_spans.config import Mode
from gpucurate.steps.repeated_spans.places import Places, batches, document_of, of_documents, unit_of
from gpucurate.steps.repeated_spans.units import units_of

PASSAGE = pa.struct(
    [
        pa.field("from", pa.int64()),  # its first unit in the document
        pa.field("to", pa.int64()),  # behind its last
        pa.field("occurrences", pa.int64()),  # of the window in it that occurs most often
        pa.field("first", RECORD_ID),  # the document that has it first
    ]
)
SIGNALS = pa.schema(
    [
        pa.field("units", pa.int64()),  # words, sentences, lines or paragraphs
        pa.field("repeated_units", pa.int64()),  # of which are cut
        pa.field("passages", pa.list_(PASSAGE)),  # sorted by `from`; they may overlap
    ]
)
ANSWERS = pa.schema([pa.field("node", pa.int64(), nullable=False), *SIGNALS])


def spelled_documents(part: PartDocuments, met: Sequence[pa.Table], mode: Mode) -> pa.Table:
    """`row`, `spelling` (large_binary) and `places` (large_list of int64 into it, one more than units) of the
    documents of a part that some window met."""
    nodes = Range(int(part.starts[part.number]), int(part.starts[part.number + 1]))
    wanted = np.unique(np.concatenate([np.zeros(0, np.int64), *(column(nodes.of(t, "node"), "node") for t in met)]))
    texts = part.texts()
    at = np.searchsorted(part.rows, wanted - nodes.low)
    lengths = np.diff(text_buffers(texts).offsets)[at]
    pieces = [_spelled(part.rows[at[b]], texts.take(pa.array(at[b])), mode) for b in batches(_running(lengths))]
    empty = pa.schema(
        [("row", pa.int32()), ("spelling", pa.large_binary()), ("places", pa.large_list(pa.int64()))]
    ).empty_table()
    return pa.concat_tables([empty, *pieces]).combine_chunks()


def _spelled(rows: NDArray[np.int32], texts: pa.Array, mode: Mode) -> pa.Table:
    units = units_of(text_buffers(texts), mode)
    count = np.diff(units.offsets)
    borders = units.places[units.offsets]
    lists = units.offsets + np.arange(len(rows) + 1)  # every document has one place more than units
    document = np.repeat(np.arange(len(rows)), count + 1)
    places = units.places[np.arange(len(document)) - document] - borders[document]
    buffers = [None, pa.py_buffer(borders), pa.py_buffer(units.spelling)]
    spelling = pa.Array.from_buffers(pa.large_binary(), len(rows), buffers)
    return pa.table(
        {
            "row": pa.array(rows),
            "spelling": spelling,
            "places": pa.LargeListArray.from_arrays(pa.array(lists), pa.array(places)),
        }
    )


def _running(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])


def passages(
    nodes: Range,
    starts: Nodes,
    gone: Sequence[pa.Table],
    spelled: Sequence[pa.Table],
    orders: Sequence[pa.Table],
    units: int,
) -> pa.Table:
    """What goes of the documents of a range; schema ANSWERS."""
    rows = pa.concat_tables([of_documents(nodes).of(table, "place") for table in gone])
    order = np.argsort(column(rows, "place"))
    where, first, count = (column(rows, name)[order] for name in ("place", "first", "occurrences"))
    run, length, occurrences = join(where, first, count)
    where, first = where[run], first[run]
    same = _same(where, first, length + (units - 1), starts, spelled)
    where, first, length, occurrences = where[same], first[same], length[same] + (units - 1), occurrences[same]
    documents, begins = np.unique(document_of(where), return_index=True)
    bounds = np.append(begins, len(where)).astype(np.int64)
    low = unit_of(where)
    total = look_up(documents, starts, spelled, _unit_counts) if len(documents) else np.zeros(0, np.int64)
    lists = pa.ListArray.from_arrays(
        pa.array(bounds, pa.int32()),
        pa.StructArray.from_arrays(
            [pa.array(low), pa.array(low + length), pa.array(occurrences), _ids(first, starts, orders)],
            fields=list(PASSAGE),
        ),
    )
    columns = [pa.array(documents), pa.array(total), pa.array(covered(bounds, low, low + length)), lists]
    return pa.table(columns, schema=ANSWERS)


@kernel
def join(
    where: Places, first: Places, count: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Runs of windows that follow one another here and where they occur first: index of the first, how many windows
    it has, the largest of their counts."""
    run, length, most = np.empty_like(count), np.empty_like(count), np.empty_like(count)
    n = 0
    for i in range(len(where)):
        step = np.uint64(1)
        if n and where[i] == where[i - 1] + step and first[i] == first[i - 1] + step:
            length[n - 1] += 1
            most[n - 1] = max(most[n - 1], count[i])
        else:
            run[n], length[n], most[n] = i, 1, count[i]
            n += 1
    return run[:n].copy(), length[:n].copy(), most[:n].copy()


@kernel
def covered(bounds: NDArray[np.int64], low: NDArray[np.int64], high: NDArray[np.int64]) -> NDArray[np.int64]:
    """[documents]: units in any of a document's passages, which are sorted by `low`."""
    units = np.zeros(len(bounds) - 1, np.int64)
    for d in range(len(units)):
        reached = 0
        for p in range(bounds[d], bounds[d + 1]):
            units[d] += max(0, high[p] - max(low[p], reached))
            reached = max(reached, high[p])
    return units


def _same(
    where: Places, first: Places, length: NDArray[np.int64], starts: Nodes, spelled: Sequence[pa.Table]
) -> NDArray[np.bool_]:
    """Whether `length` units from two places on are spelled the same.  Two windows that only have one hash are not,
    and stay."""
    buffers = [table["spelling"].chunk(0).buffers()[2] if table.num_rows else None for table in spelled]
    sides = [_spellings(places, length, starts, spelled) for places in (where, first)]
    equal = np.ones(len(where), np.bool_)
    for i, (a, a_at, a_size, b, b_at, b_size) in enumerate(
        zip(*(each.tolist() for side in sides for each in side), strict=True)
    ):
        equal[i] = a_size == b_size and buffers[a].slice(a_at, a_size).equals(buffers[b].slice(b_at, b_size))
    return equal


def _spellings(
    places: Places, length: NDArray[np.int64], starts: Nodes, spelled: Sequence[pa.Table]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Piece, place in its buffer, and bytes of the spelling of `length` units from each place on."""
    piece, at, size = (np.empty(len(places), np.int64) for _ in range(3))
    order = np.argsort(places)
    nodes, unit, units = document_of(places)[order], unit_of(places)[order], length[order]
    for number, some, rows in by_piece(nodes, starts):
        table = spelled[number]
        document = np.searchsorted(column(table, "row"), rows)
        lists = table["places"].chunk(0)
        base = lists.offsets.to_numpy()[document] + unit[some]
        values = lists.values.to_numpy()
        begin = np.frombuffer(table["spelling"].chunk(0).buffers()[1], np.int64)[document]
        piece[order[some]] = number
        at[order[some]] = begin + values[base]
        size[order[some]] = values[base + units[some]] - values[base]
    return piece, at, size


def _unit_counts(table: pa.Table) -> NDArray[np.int64]:
    counts: NDArray[np.int64] = np.diff(table["places"].chunk(0).offsets.to_numpy()) - 1
    return counts


def _ids(first: Places, starts: Nodes, orders: Sequence[pa.Table]) -> pa.Array:
    """Record ids of the documents of places."""
    nodes, at = np.unique(document_of(first), return_inverse=True)
    if not len(nodes):
        return pa.array([], RECORD_ID)
    return fixed_column(look_up(nodes, starts, orders, lambda t: fixed_bytes(t["record_id"]))[at])
