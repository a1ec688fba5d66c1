"""Which lines are templates, and what that says of each document."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpucurate.steps.comparison import Nodes, Range
from gpucurate.steps.host_templates.config import HostTemplatesConfig, KeepOne
from gpucurate.steps.host_templates.lines import LINES
from gpucurate.steps.host_templates.pages import different_pages, look_up_pages, pages_of_hosts
from gpucurate.steps.near_duplicates.numbering import HALF, column, look_up
from gpucurate.steps.repeated_spans.places import document_of, of_documents, unit_of

GONE = pa.schema(
    [
        pa.field("place", pa.uint64(), nullable=False),  # node, number of the line; sorted
        pa.field("pages", pa.int64(), nullable=False),  # of the host that have the line
        pa.field("host_pages", pa.int64(), nullable=False),  # of the host
    ]
)
TEMPLATE = pa.struct(
    [
        pa.field("from", pa.int64()),  # number of the line in the document, blank ones not counted
        pa.field("to", pa.int64()),  # behind it
        pa.field("pages", pa.int64()),
        pa.field("host_pages", pa.int64()),
    ]
)
SIGNALS = pa.schema(
    [
        pa.field("lines", pa.int64()),  # with a word in them
        pa.field("template_lines", pa.int64()),  # of which are cut
        pa.field("templates", pa.list_(TEMPLATE)),  # sorted by `from`
    ]
)
ANSWERS = pa.schema([pa.field("node", pa.int64(), nullable=False), *SIGNALS])


def gone_lines(
    keys: Range,
    starts: Nodes,
    lines: Sequence[pa.Table],
    pages: Sequence[pa.Table],
    counts: Sequence[pa.Table],
    config: HostTemplatesConfig,
) -> pa.Table:
    """Lines of one range of keys that go; schema GONE."""
    pieces = [LINES.empty_table()]
    for table, start in zip(lines, starts[:-1].tolist(), strict=True):
        rows = keys.of(table, "key")
        where = pa.array(column(rows, "place") + (np.uint64(start) << HALF))
        pieces.append(rows.set_column(2, LINES.field("place"), where))
    rows = pa.concat_tables(pieces)
    often = _often(column(rows, "key"), config.pages)  # most lines occur once
    key, check, place = (column(rows, name)[often] for name in LINES.names)
    order = np.lexsort((place, check, key))
    key, check, place = key[order], check[order], place[order]
    first = np.ones(len(key), np.bool_)
    first[1:] = (key[1:] != key[:-1]) | (check[1:] != check[:-1])
    group = np.cumsum(first) - 1
    page = look_up_pages(document_of(place), starts, pages)
    of_line = different_pages(group, page["url"], page["text"])
    of_host = pages_of_hosts(page["host"][first], counts)
    template = (of_line >= config.pages) & (of_line / np.maximum(of_host, 1) >= config.share)
    gone = template[group]
    if config.keep is KeepOne.FIRST_ID:
        by_id = np.lexsort((document_of(place), page["number"], group))
        kept = document_of(place)[by_id[first]] if len(by_id) else np.zeros(0, np.int64)
        gone &= document_of(place) != kept[group]
    columns = place[gone], of_line[group[gone]], of_host[group[gone]]
    order = np.argsort(columns[0])
    return pa.table([pa.array(each[order]) for each in columns], schema=GONE)


def _often(key: NDArray[np.uint64], least: int) -> NDArray[np.int64]:
    """Rows whose key occurs at least so often, in any order."""
    order = np.argsort(key)
    sorted_key = key[order]
    begins = np.flatnonzero(np.append(True, sorted_key[1:] != sorted_key[:-1])[: len(key)])
    count = np.diff(np.append(begins, len(key)))
    rows: NDArray[np.int64] = order[np.repeat(count >= least, count)]
    return rows


def answers(nodes: Range, starts: Nodes, gone: Sequence[pa.Table], sizes: Sequence[pa.Table]) -> pa.Table:
    """What goes of the documents of a range; schema ANSWERS."""
    rows = pa.concat_tables([GONE.empty_table(), *(of_documents(nodes).of(table, "place") for table in gone)])
    order = np.argsort(column(rows, "place"))
    place, pages, host_pages = (column(rows, name)[order] for name in GONE.names)
    documents, begins = np.unique(document_of(place), return_index=True)
    bounds = np.append(begins, len(place))
    lines = look_up(documents, starts, sizes, lambda t: column(t, "lines")) if len(documents) else begins
    line = unit_of(place)
    lists = pa.ListArray.from_arrays(
        pa.array(bounds, pa.int32()),
        pa.StructArray.from_arrays(
            [pa.array(each) for each in (line, line + 1, pages, host_pages)], fields=list(TEMPLATE)
        ),
    )
    return pa.table([pa.array(documents), pa.array(lines), pa.array(np.diff(bounds)), lists], schema=ANSWERS)
