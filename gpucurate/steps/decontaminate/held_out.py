"""Documents held out of the corpus: which clusters of near-duplicates, and the grams that protect them.

A cluster is held out as a whole or not at all, so that no copy of what is held out stays.  It is chosen by a keyed hash
of the least record id among its documents, which depends on the documents and the seed only.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from blake3 import blake3

from gpucurate.core.documents import RECORD_ID
from gpucurate.core.fixed_bytes import fixed_bytes, fixed_column
from gpucurate.device.backend import Backend
from gpucurate.steps.comparison import KEY_SPACE, Nodes, PartDocuments, Range
from gpucurate.steps.decontaminate.config import DecontaminateConfig, Holdout
from gpucurate.steps.decontaminate.items import Numbers, TextGrams, text_grams
from gpucurate.steps.near_duplicates.numbering import column, look_up

SAMPLED = 64  # grams that stand for a held-out document, at most: 4 KB once searched for; a share is known to .06
KIN = pa.schema([pa.field("node", pa.int64(), nullable=False), pa.field("of", RECORD_ID, nullable=False)])
HELD = pa.schema(
    [
        pa.field("row", pa.int32(), nullable=False),
        pa.field("record_id", RECORD_ID, nullable=False),
        pa.field("words", pa.int64(), nullable=False),
        pa.field("length", pa.int64(), nullable=False),  # words in a gram
        pa.field("share", pa.float64(), nullable=False),
        pa.field("grams", pa.list_(pa.uint64()), nullable=False),  # the least hashes, at most SAMPLED
    ]
)


def kin_table(starts: Nodes, clusters: pa.Table, orders: Sequence[pa.Table]) -> pa.Table:
    """For every document in a cluster the least record id of the cluster; schema KIN."""
    nodes, roots = column(clusters, "node"), column(clusters, "root")
    if not len(nodes):
        return KIN.empty_table()
    ids = look_up(nodes, starts, orders, lambda table: fixed_bytes(table["record_id"]))
    halves = ids.view(">u8")
    order = np.lexsort((halves[:, 1], halves[:, 0], roots))
    first = np.r_[True, roots[order][1:] != roots[order][:-1]]
    least = order[np.flatnonzero(first)][np.cumsum(first) - 1]
    of = np.empty_like(ids)
    of[order] = ids[least]
    return pa.table([pa.array(nodes), fixed_column(of)], schema=KIN)


def held_table(
    part: PartDocuments, kin: pa.Table, config: DecontaminateConfig, holdout: Holdout, backend: Backend
) -> pa.Table:
    """The held-out documents of a part; schema HELD."""
    ids = fixed_bytes(part.meta["record_id"])
    of = ids.copy()
    start = int(part.starts[part.number])
    mine = Range(start, int(part.starts[part.number + 1])).of(kin, "node")
    of[np.searchsorted(part.rows, column(mine, "node") - start)] = fixed_bytes(mine["of"])
    limit = int(holdout.share * KEY_SPACE)
    chosen = np.array([n for n, each in enumerate(of) if _number(each.tobytes(), holdout.seed) < limit], np.int64)
    texts = part.texts().take(pa.array(chosen)).to_pylist() if len(chosen) else []
    grams = text_grams(texts, config, backend)
    least = [grams.hashes[a:b][:SAMPLED] for a, b in zip(grams.offsets[:-1], grams.offsets[1:], strict=True)]
    columns = [
        pa.array(part.rows[chosen]),
        fixed_column(ids[chosen]),
        pa.array(grams.words),
        pa.array(grams.lengths),
        pa.array(grams.shares),
        pa.array(least, pa.list_(pa.uint64())),
    ]
    return pa.table(columns, schema=HELD)


def held_grams(tables: Sequence[pa.Table]) -> tuple[list[str], TextGrams]:
    """Record ids (hex) of all held-out documents that can be searched for, and what they are searched by."""
    whole = pa.concat_tables([HELD.empty_table(), *tables]).combine_chunks()
    whole = whole.filter(pa.array(column(whole, "length") > 0)).combine_chunks()
    lists = whole["grams"].to_pylist()
    offsets = np.cumsum([0, *(len(each) for each in lists)]).astype(np.int64)
    hashes = np.array([gram for each in lists for gram in each], np.uint64)
    names = [each.hex() for each in whole["record_id"].to_pylist()]
    words, lengths, shares = (column(whole, name) for name in ("words", "length", "share"))
    return names, TextGrams(words, lengths, shares, offsets, hashes)


def rows_of(table: pa.Table) -> Numbers:
    """The held-out rows of a part."""
    return column(table, "row").astype(np.int64)


def _number(record_id: bytes, seed: int) -> int:
    keyed = blake3(record_id, derive_key_context=f"gpucurate decontaminate holdout {seed}")
    return int.from_bytes(keyed.digest(length=8), "big")
