"""Candidate pairs from NeMo Curator's groups: texts go out, groups come back, each proposes pairs as a bucket does."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from gpucurate.device.backend import Backend
from gpucurate.steps.comparison import Nodes, PartDocuments
from gpucurate.steps.near_duplicates import nemo
from gpucurate.steps.near_duplicates.candidates import both_ways, pair_table
from gpucurate.steps.near_duplicates.numbering import column, look_up
from gpucurate.store.directory import locked

GROUPS = pa.schema(
    [
        pa.field("node", pa.int64(), nullable=False),  # sorted; documents in a group only
        pa.field("group", pa.int64(), nullable=False),
    ]
)


def text_table(part: PartDocuments) -> pa.Table:
    """`row` and `text` of every document of a part."""
    return pa.table({"row": pa.array(part.rows), "text": part.texts()})


def group_table(starts: Nodes, texts: Sequence[pa.Table], bands: int, rows: int) -> pa.Table:
    """Have NeMo Curator group the documents; schema GROUPS.

    Files pass through `gpucurate-nemo` in the system's temporary folder (`TMPDIR`), which one run at a time may use and
    which stays, with the log, if the workflow fails.
    """
    work = Path(tempfile.gettempdir()) / "gpucurate-nemo"
    with locked(work):
        groups = nemo.nemo_groups(texts, nemo.NEMO_SHINGLE_CHARS, bands, rows, work)
        shutil.rmtree(work)
    numbered = [column(table, "row") + start for table, start in zip(texts, starts[:-1].tolist(), strict=True)]
    nodes = np.concatenate([np.zeros(0, np.int64), *numbered]).astype(np.int64)
    grouped = groups >= 0
    return pa.table([pa.array(nodes[grouped]), pa.array(groups[grouped])], schema=GROUPS)


def group_pairs(
    starts: Nodes, groups: pa.Table, orders: Sequence[pa.Table], backend: Backend, all_pairs: int
) -> pa.Table:
    """Pairs within groups, in both directions; schema numbering.PAIRS, sorted."""
    nodes = column(groups, "node")
    rank = look_up(nodes, starts, orders, lambda t: column(t, "rank"))
    number = look_up(nodes, starts, orders, lambda t: column(t, "number"))
    pairs = nodes[backend.group(column(groups, "group").astype(np.uint64), rank, number, all_pairs)]
    return pair_table(both_ways(pairs[:, 0], pairs[:, 1]))
