"""Clusters: documents connected by verified pairs, and each cluster's representative compared with all its members."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpucurate.device.backend import Backend, Pairs
from gpucurate.steps.comparison import Nodes, Range
from gpucurate.steps.near_duplicates.candidates import pair_table
from gpucurate.steps.near_duplicates.numbering import Packed, column, look_up, pack, unpack

CLUSTERS = pa.schema(
    [
        pa.field("node", pa.int64(), nullable=False),  # sorted
        pa.field("root", pa.int64(), nullable=False),  # the cluster's least node: a label that no decision rests on
    ]
)


class Members(NamedTuple):
    """Documents of some whole clusters, those of one cluster together, the best by policy first."""

    nodes: Nodes
    leaders: NDArray[np.bool_]  # the first of each cluster: its representative


def connect(starts: Nodes, similar: Sequence[pa.Table], backend: Backend, threshold: float) -> pa.Table:
    """Connected components over verified pairs, without documents that stand alone; schema CLUSTERS."""
    labels = backend.components(int(starts[-1]), (_verified_pairs(table, threshold) for table in similar))
    nodes = np.arange(len(labels))
    grouped = labels != nodes
    grouped[labels[grouped]] = True
    return pa.table([pa.array(nodes[grouped]), pa.array(labels[grouped])], schema=CLUSTERS)


def _verified_pairs(table: pa.Table, threshold: float) -> Pairs:
    pairs = column(table, "pair")[column(table, "similarity") >= threshold]
    return np.stack(unpack(pairs), axis=1)


def members_of(roots: Range, starts: Nodes, clusters: pa.Table, orders: Sequence[pa.Table]) -> Members:
    """The clusters whose root lies in a range, in the order in which their documents are considered."""
    all_roots = column(clusters, "root")
    mine = np.flatnonzero((all_roots >= roots.low) & (all_roots < roots.high))
    nodes, of_root = column(clusters, "node")[mine], all_roots[mine]
    rank = look_up(nodes, starts, orders, lambda t: column(t, "rank"))
    number = look_up(nodes, starts, orders, lambda t: column(t, "number"))
    order = np.lexsort((nodes, number, rank, of_root))
    nodes, of_root = nodes[order], of_root[order]
    leaders = np.ones(len(nodes), np.bool_)
    leaders[1:] = of_root[1:] != of_root[:-1]
    return Members(nodes, leaders)


def leaders_of(members: Members) -> Nodes:
    """[members] the representative of each member's cluster."""
    first = np.flatnonzero(members.leaders)
    return members.nodes[first[np.cumsum(members.leaders) - 1]] if len(first) else members.nodes


def unmet(
    roots: Range,
    starts: Nodes,
    own: int,
    clusters: pa.Table,
    similar: Sequence[pa.Table],
    orders: Sequence[pa.Table],
) -> pa.Table:
    """Pairs of a representative and a member of its cluster that were not compared yet; schema PAIRS."""
    members = members_of(roots, starts, clusters, orders)
    leaders = leaders_of(members)
    ask = ~members.leaders & ((members.nodes < own) | (leaders < own))
    first, second = np.minimum(leaders[ask], members.nodes[ask]), np.maximum(leaders[ask], members.nodes[ask])
    wanted = np.sort(pack(first, second))
    for table in similar:
        wanted = wanted[~_contained(wanted, column(table, "pair"))]
    return pair_table(wanted)


def _contained(values: Packed, among: Packed) -> NDArray[np.bool_]:
    """Which of the values are in a sorted array."""
    if not len(among):
        return np.zeros(len(values), np.bool_)
    at = np.minimum(np.searchsorted(among, values), len(among) - 1)
    found: NDArray[np.bool_] = among[at] == values
    return found
