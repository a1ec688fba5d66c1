"""Candidate pairs: documents that share a bucket."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from gpucurate.device.backend import Backend
from gpucurate.steps.comparison import Nodes, Range
from gpucurate.steps.near_duplicates.numbering import PAIRS, Packed, column, pack


def candidates(
    keys: Range,
    starts: Nodes,
    own: int,
    bands: Sequence[pa.Table],
    orders: Sequence[pa.Table],
    backend: Backend,
    all_pairs: int,
) -> pa.Table:
    """Pairs from the buckets of one range of keys, in both directions, each once; schema PAIRS, sorted.

    Nodes from `own` on belong to older corpora and are not compared with each other.
    """
    key, rank, number, node = [], [], [], []
    for table, order, start in zip(bands, orders, starts[:-1].tolist(), strict=True):
        rows = keys.of(table, "key")
        at = column(rows, "at")
        key.append(column(rows, "key"))
        rank.append(column(order, "rank")[at])
        number.append(column(order, "number")[at])
        node.append(column(order, "row")[at].astype(np.int64) + start)
    nodes = np.concatenate(node)
    pairs = nodes[backend.group(np.concatenate(key), np.concatenate(rank), np.concatenate(number), all_pairs)]
    pairs = pairs[(pairs < own).any(axis=1)]
    return pair_table(both_ways(pairs[:, 0], pairs[:, 1]))


def both_ways(first: Nodes, second: Nodes) -> Packed:
    """Pairs and their reverses, sorted, each once."""
    return np.unique(np.concatenate([pack(first, second), pack(second, first)]))


def pair_table(pairs: Packed) -> pa.Table:
    """Packed pairs as a table of schema PAIRS."""
    return pa.table([pa.array(pairs)], schema=PAIRS)
