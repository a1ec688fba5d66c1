"""The choice: which documents of a cluster stay, and for which of them each other one goes.

Documents are considered in the policy's order.  One goes if it was verified against a document that stays; all others
stay.  So nothing is removed for a document that is itself removed, and what is connected only through a third document
(A like B, B like C, A unlike C) stays.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpucurate.core.compiled import kernel
from gpucurate.core.documents import RECORD_ID
from gpucurate.core.fixed_bytes import fixed_bytes, fixed_column
from gpucurate.steps.comparison import Nodes, Range
from gpucurate.steps.near_duplicates.clusters import Members, leaders_of, members_of
from gpucurate.steps.near_duplicates.numbering import column, look_up, unpack

SIGNALS = pa.schema(
    [
        pa.field("cluster", RECORD_ID),  # the least record id of the cluster; null outside any
        pa.field("cluster_size", pa.int64()),  # documents, those of older corpora included
        pa.field("representative", RECORD_ID),  # the best document of the cluster by the policy
        pa.field("duplicate_of", RECORD_ID),  # the document that stays instead; null where this one stays
        pa.field("similarity", pa.float64()),  # with that document
        pa.field("stands_for", pa.int64()),  # documents this one stays for, itself included; 0 where it goes
        pa.field("indexed", pa.bool_()),  # `duplicate_of` belongs to an older corpus
    ]
)
ANSWERS = pa.schema([pa.field("node", pa.int64(), nullable=False), *SIGNALS])


def choose(
    roots: Range,
    starts: Nodes,
    own: int,
    clusters: pa.Table,
    similar: Sequence[pa.Table],
    orders: Sequence[pa.Table],
    threshold: float,
) -> pa.Table:
    """Answers for the clusters whose root lies in a range; schema ANSWERS, documents of this corpus only."""
    members = members_of(roots, starts, clusters, orders)
    low, high, similarity = _edges(members, similar, threshold)
    stays = np.zeros(len(members.nodes), np.bool_)
    chosen = np.full(len(stays), -1, np.int64)
    at = np.zeros(len(stays), np.int64)
    _decide(low, high, members.nodes >= own, stays, chosen, at)
    ids = _ids(members.nodes, starts, orders)
    cluster = np.cumsum(members.leaders) - 1
    sizes = np.bincount(cluster) if len(cluster) else np.zeros(0, np.int64)
    gone = ~stays
    stands_for = np.where(stays, 1, 0) + np.bincount(chosen[gone], minlength=len(stays))
    indexed = np.where(gone, members.nodes[np.maximum(chosen, 0)] >= own, False)
    taken = pa.array(chosen, mask=stays)
    answers = pa.table(
        [
            pa.array(members.nodes),
            ids.take(pa.array(_least_ids(ids, members)[cluster])),
            pa.array(sizes[cluster]),
            _ids(leaders_of(members), starts, orders),
            ids.take(taken),
            pa.array(similarity[at] if len(similarity) else np.zeros(len(stays)), mask=stays),
            pa.array(stands_for),
            pa.array(indexed, mask=stays),
        ],
        schema=ANSWERS,
    )
    return answers.filter(pa.array(members.nodes < own)).sort_by("node")


def _edges(
    members: Members, similar: Sequence[pa.Table], threshold: float
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Verified pairs as places among the members, the better document in `low`; sorted by (high, low)."""
    order = np.argsort(members.nodes)
    sorted_nodes = members.nodes[order]
    lows, highs, values = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0)]
    for table in similar if len(order) else ():
        value = column(table, "similarity")
        enough = np.flatnonzero(value >= threshold)
        first, second = unpack(column(table, "pair")[enough])
        place = np.minimum(np.searchsorted(sorted_nodes, first), len(order) - 1)
        mine = sorted_nodes[place] == first  # then the second is in the same cluster, and so among the members too
        a, b = order[place[mine]], order[np.searchsorted(sorted_nodes, second[mine])]
        lows.append(np.minimum(a, b))
        highs.append(np.maximum(a, b))
        values.append(value[enough][mine])
    low, high, similarity = np.concatenate(lows), np.concatenate(highs), np.concatenate(values)
    by_high = np.lexsort((low, high))
    return low[by_high], high[by_high], similarity[by_high]


@kernel
def _decide(
    low: NDArray[np.int64],
    high: NDArray[np.int64],
    always: NDArray[np.bool_],
    stays: NDArray[np.bool_],
    chosen: NDArray[np.int64],
    at: NDArray[np.int64],
) -> None:
    """One pass in the policy's order: `chosen` becomes the best document that stays and verified, `at` that edge."""
    edge = 0
    for member in range(stays.shape[0]):
        found = -1
        while edge < high.shape[0] and high[edge] == member:
            if found < 0 and stays[low[edge]]:
                found = edge
            edge += 1
        if found < 0 or always[member]:
            stays[member] = True
        else:
            chosen[member] = low[found]
            at[member] = found


def _ids(nodes: Nodes, starts: Nodes, orders: Sequence[pa.Table]) -> pa.Array:
    """Record ids of nodes in any order."""
    order = np.argsort(nodes, kind="stable")
    raw = look_up(nodes[order], starts, orders, lambda t: fixed_bytes(t["record_id"]))
    back = np.empty_like(raw)
    back[order] = raw
    return fixed_column(back)


def _least_ids(ids: pa.Array, members: Members) -> NDArray[np.int64]:
    """[clusters] the member with the least record id."""
    halves = fixed_bytes(ids).view(">u8")
    cluster = np.cumsum(members.leaders)
    order = np.lexsort((halves[:, 1], halves[:, 0], cluster))
    return order[np.flatnonzero(members.leaders)]
