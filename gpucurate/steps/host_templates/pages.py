"""Pages and their hosts: which page a document is, and how many pages each host has.

A page counts once for its URL and once for its text: a page captured twice, and one text under many URLs, are each one
page.  A count is therefore the smaller of two, of different URLs and of different texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpucurate.core.digests import digest16
from gpucurate.steps.comparison import Nodes, PartDocuments, Range
from gpucurate.steps.near_duplicates.numbering import column
from gpucurate.steps.near_duplicates.order import numbers_of
from gpucurate.steps.urls import place_of

Hashes = NDArray[np.uint64]
NO_HOST = 0  # of documents whose URI names no host; they are compared with none
# Hosts, URLs and texts are told apart by 64 bits of BLAKE3.  Two of 100 million hosts meet with probability 0.0003;
# then they count as one when it comes to a share.  Lines are told apart by 128 bits over host and line.
PAGES = pa.schema(
    [
        pa.field("row", pa.int32(), nullable=False),  # in the part; sorted
        pa.field("host", pa.uint64(), nullable=False),
        pa.field("url", pa.uint64(), nullable=False),
        pa.field("text", pa.uint64(), nullable=False),
        pa.field("number", pa.uint64(), nullable=False),  # sorts like the record ids
    ]
)
HOSTS = pa.schema([pa.field(name, pa.uint64(), nullable=False) for name in ("host", "url", "text")])  # sorted by host
COUNTS = pa.schema(
    [pa.field("host", pa.uint64(), nullable=False), pa.field("pages", pa.int64(), nullable=False)]  # sorted by host
)


def page_table(part: PartDocuments) -> pa.Table:
    """The page that each document of a part is; schema PAGES.  Hosts and URLs are taken without `www.`."""
    places = [place_of(uri) for uri in part.meta["uri"].to_pylist()]
    hosts = [place.host.removeprefix("www.") for place in places]
    columns = [
        _hashes(hosts),
        _hashes([place.url.removeprefix("www.") for place in places]),
        np.array([_hash(text.as_buffer()) for text in part.texts()], np.uint64),
        numbers_of(part.meta["record_id"]),
    ]
    columns[0][[not host for host in hosts]] = NO_HOST
    return pa.table([pa.array(part.rows), *map(pa.array, columns)], schema=PAGES)


def host_table(pages: pa.Table) -> pa.Table:
    """The same by host, without those that have none; schema HOSTS."""
    host = column(pages, "host")
    order = np.argsort(host, kind="stable")
    order = order[host[order] != NO_HOST]
    return pa.table([pa.array(column(pages, name)[order]) for name in HOSTS.names], schema=HOSTS)


def host_counts(hosts: Range, tables: Sequence[pa.Table], least: int) -> pa.Table:
    """Pages of each host of a range that has at least `least`; schema COUNTS."""
    rows = pa.concat_tables([HOSTS.empty_table(), *(hosts.of(table, "host") for table in tables)])
    host, group = np.unique(column(rows, "host"), return_inverse=True)
    pages = different_pages(group, column(rows, "url"), column(rows, "text"))
    many = pages >= least
    return pa.table([pa.array(host[many]), pa.array(pages[many])], schema=COUNTS)


def different_pages(group: NDArray[np.int64], url: Hashes, text: Hashes) -> NDArray[np.int64]:
    """Pages of each group; `group` numbers the groups of the rows from 0 on, without gaps."""
    return np.minimum(_different(group, url), _different(group, text))


def pages_of_hosts(hosts: Hashes, counts: Sequence[pa.Table]) -> NDArray[np.int64]:
    """How many pages each host has, 0 for those that COUNTS leaves out; in any order."""
    found = np.zeros(len(hosts), np.int64)
    for table in counts:
        known = column(table, "host")
        if len(known):
            at = np.minimum(np.searchsorted(known, hosts), len(known) - 1)
            found = np.where(known[at] == hosts, column(table, "pages")[at], found)
    return found


def look_up_pages(nodes: Nodes, starts: Nodes, pages: Sequence[pa.Table]) -> dict[str, NDArray[Any]]:
    """The columns of PAGES, but `row`, for documents in any order."""
    distinct, at = np.unique(nodes, return_inverse=True)
    cuts = np.searchsorted(distinct, starts)
    found = []
    for piece in np.flatnonzero(cuts[1:] > cuts[:-1]).tolist():
        rows = distinct[cuts[piece] : cuts[piece + 1]] - starts[piece]
        found.append(pages[piece].take(pa.array(np.searchsorted(column(pages[piece], "row"), rows))))
    rows_found = pa.concat_tables([PAGES.empty_table(), *found])
    return {name: column(rows_found, name)[at] for name in PAGES.names[1:]}


def _different(group: NDArray[np.int64], value: Hashes) -> NDArray[np.int64]:
    order = np.lexsort((value, group))
    group, value = group[order], value[order]
    new = np.ones(len(group), np.bool_)
    new[1:] = (group[1:] != group[:-1]) | (value[1:] != value[:-1])
    return np.bincount(group[new], minlength=0).astype(np.int64)


def _hashes(values: Sequence[str]) -> Hashes:
    return np.array([_hash(value.encode()) for value in values], np.uint64)


def _hash(value: bytes) -> int:
    return int.from_bytes(digest16(value)[:8], "big")
