"""From clusters to answers: gathering a range of clusters from all parts, ordering by policy, saying what goes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpucurate.core.documents import RECORD_ID
from gpucurate.core.fixed_bytes import fixed_bytes, fixed_column
from gpucurate.steps.comparison import Range
from gpucurate.steps.semantic_duplicates.choice import decide
from gpucurate.steps.semantic_duplicates.config import KeepSemantic
from gpucurate.steps.semantic_duplicates.fixed_point import FixedPoint, Products, from_column

SIGNALS = pa.schema(
    [
        pa.field("cluster", pa.int64()),  # of k-means; null for a text without a visible character
        pa.field("cluster_size", pa.int64()),
        pa.field("centre_cosine", pa.float64()),  # with the cluster's centre
        pa.field("duplicate_of", RECORD_ID),  # the document that stays instead; null where this one stays
        pa.field("similarity", pa.float64()),  # cosine with that document
        pa.field("stands_for", pa.int64()),  # documents this one stays for, itself included; 0 where it goes
    ]
)
ANSWERS = pa.schema([pa.field("node", pa.int64(), nullable=False), *SIGNALS])
ASSIGNED = pa.schema(
    [
        pa.field("cluster", pa.int64(), nullable=False),  # sorted
        pa.field("place", pa.int64(), nullable=False),  # among the part's vectors
        pa.field("node", pa.int64(), nullable=False),
        pa.field("centre_cosine", pa.float64(), nullable=False),
    ]
)


def answer(
    clusters: Range,
    embedded: Sequence[pa.Table],
    assigned: Sequence[pa.Table],
    orders: Sequence[pa.Table],
    keep: KeepSemantic,
    threshold: float,
    products: Products,
) -> pa.Table:
    """Answers for some clusters, schema ANSWERS, sorted by node.  `orders` is empty for policies by the centre."""
    members, ids, vectors, ranks = _gather(clusters, embedded, assigned, orders, keep)
    if not members.num_rows:
        return ANSWERS.empty_table()
    of_cluster = members["cluster"].to_numpy()
    halves = ids.view(">u8")
    order = np.lexsort((halves[:, 1], halves[:, 0], ranks, of_cluster))
    of_cluster, ids, vectors = of_cluster[order], ids[order], vectors[order]
    edges = np.flatnonzero(np.diff(of_cluster, prepend=-1, append=-1))
    chosen, cosine = np.full(len(order), -1, np.int64), np.zeros(len(order))
    for low, high in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        mine, value = decide(vectors[low:high], threshold, products)
        chosen[low:high] = np.where(mine < 0, -1, mine + low)
        cosine[low:high] = value
    stays = chosen < 0
    stands_for = stays + np.bincount(chosen[~stays], minlength=len(order))
    sizes = np.repeat(np.diff(edges), np.diff(edges))
    taken = pa.array(chosen, mask=stays)
    columns = [
        members["node"].take(pa.array(order)).combine_chunks(),
        pa.array(of_cluster),
        pa.array(sizes),
        members["centre_cosine"].take(pa.array(order)).combine_chunks(),
        fixed_column(ids).take(taken),
        pa.array(cosine, mask=stays),
        pa.array(stands_for),
    ]
    return pa.table(columns, schema=ANSWERS).sort_by("node")


def _gather(
    clusters: Range,
    embedded: Sequence[pa.Table],
    assigned: Sequence[pa.Table],
    orders: Sequence[pa.Table],
    keep: KeepSemantic,
) -> tuple[pa.Table, NDArray[np.uint8], FixedPoint, NDArray[np.float64] | NDArray[np.uint64]]:
    """Documents of these clusters: ASSIGNED, record ids, vectors, ranks (the least is preferred)."""
    tables, ids, vectors, ranks = [ASSIGNED.empty_table()], [], [], []
    for number in range(len(assigned)):
        mine = clusters.of(assigned[number], "cluster")
        if not mine.num_rows:
            continue
        places = mine["place"].to_numpy()
        vectors.append(from_column(embedded[number]["vector"])[places])
        ids.append(fixed_bytes(embedded[number]["record_id"])[places])
        if orders:
            rows = embedded[number]["row"].to_numpy()[places]
            order = orders[number]
            ranks.append(order["rank"].to_numpy()[np.searchsorted(order["row"].to_numpy(), rows)])
        else:
            cosine = mine["centre_cosine"].to_numpy()
            ranks.append(cosine if keep is KeepSemantic.FARTHEST else -cosine)
        tables.append(mine)
    if not ids:
        return tables[0], np.zeros((0, 16), np.uint8), np.zeros((0, 1), np.int16), np.zeros(0)
    return pa.concat_tables(tables), np.concatenate(ids), np.concatenate(vectors), np.concatenate(ranks)
