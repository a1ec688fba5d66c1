"""What near-duplicate removal did, from the files it left: clusters, verified and refused pairs, pairs of texts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from gpucurate.core.errors import UserError
from gpucurate.report.duplicates.documents import Documents, Side
from gpucurate.run.live import LiveStep, RunContext
from gpucurate.run.state import RunState
from gpucurate.steps.near_duplicates import NearDuplicates
from gpucurate.steps.near_duplicates.numbering import unpack
from gpucurate.store.artifacts import Artifact, read_table

SIZE_CLASSES = (2, 3, 4, 5, 9, 17, 65, 257, 1025, 1_000_001)  # least sizes
BINS = 10  # of similarity


@dataclass(frozen=True, slots=True)
class Pair:
    """Two documents to be read side by side."""

    kind: str  # `removed`, `refused` or `kept`
    similarity: float | None
    cluster_size: int
    first: Side  # the one that stays, or stood first
    second: Side


@dataclass(frozen=True, slots=True)
class Audit:
    """The numbers, and pairs to read."""

    compared: int  # candidate pairs whose similarity was measured
    verified: int  # of those, at or above the threshold
    threshold: float
    similarities: list[int]  # compared pairs by similarity, in tenths from 0-.1 to .9-1
    clusters: int
    members: int  # documents of this corpus in clusters
    removed: int
    removed_for_indexed: int  # of those, for documents of an older corpus
    kept_apart: int  # not a representative, yet kept: similar only to documents that go
    sizes: list[tuple[int, int]]  # (least size of the class, clusters)
    largest: list[Pair]
    refused: list[Pair]
    apart: list[Pair]


def audit(context: RunContext, state: RunState, count: int) -> Audit:
    """Look at the first `near_duplicates` step of a finished run; up to `count` pairs of each kind.

    Raises UserError if its recipe has none.
    """
    live = _step(context)
    assert isinstance(live.step, NearDuplicates)
    documents = Documents(context, state, live)
    threshold = live.step.config.threshold
    pairs, similarity = _similar(context, state, live)
    said = documents.signals
    in_cluster = pc.is_valid(said["cluster"])
    members = said.filter(in_cluster)
    gone = pc.is_valid(members["duplicate_of"])
    apart = pc.and_(pc.invert(gone), pc.not_equal(members["representative"], members["record_id"]))
    clusters = members.group_by("cluster").aggregate([("cluster_size", "max")])
    return Audit(
        len(pairs),
        int((similarity >= threshold).sum()),
        threshold,
        _tenths(similarity),
        clusters.num_rows,
        members.num_rows,
        _count(gone),
        _count(members["indexed"]),
        _count(apart),
        _size_classes(clusters["cluster_size_max"].to_numpy()),
        _largest(documents, members, count),
        _refused(documents, pairs, similarity, threshold, count),
        _apart(documents, members.filter(apart), count),
    )


def _step(context: RunContext) -> LiveStep:
    for live in context.live.steps:
        if isinstance(live.step, NearDuplicates):
            return live
    raise UserError(f"the recipe of {context.directory.root} has no step near_duplicates; there is nothing to show")


def _similar(context: RunContext, state: RunState, live: LiveStep) -> tuple[NDArray[np.uint64], NDArray[np.float64]]:
    stages = state.compared.get(live.label, {})
    paths = [*stages.get("similar", []), *stages.get("met", [])]
    tables = [read_table(Artifact.at(context.directory.root / path)) for path in paths]
    if not tables:
        return np.zeros(0, np.uint64), np.zeros(0)
    whole = pa.concat_tables(tables)
    return whole["pair"].to_numpy(), whole["similarity"].to_numpy()


def _tenths(similarity: NDArray[np.float64]) -> list[int]:
    """How many lie in each tenth; 1 belongs to the last."""
    tenths = np.minimum((similarity * BINS).astype(np.int64), BINS - 1)
    counts: list[int] = np.bincount(tenths, minlength=BINS).tolist()
    return counts


def _count(mask: pa.ChunkedArray) -> int:
    return int(pc.sum(pc.fill_null(mask, False)).as_py() or 0)


def _size_classes(sizes: NDArray[np.int64]) -> list[tuple[int, int]]:
    counts = np.histogram(sizes, bins=[*SIZE_CLASSES, np.inf])[0]
    return [(size, int(number)) for size, number in zip(SIZE_CLASSES, counts, strict=True) if number]


def _largest(documents: Documents, members: pa.Table, count: int) -> list[Pair]:
    """Of the largest clusters, the representative and the removed member least like what stays for it."""
    gone = members.filter(pc.is_valid(members["duplicate_of"]))
    order = [("cluster_size", "descending"), ("cluster", "ascending"), ("similarity", "ascending")]
    rows = gone.sort_by([*order, ("record_id", "ascending")])
    clusters = rows["cluster"].to_pylist()
    firsts = [n for n, cluster in enumerate(clusters) if n == 0 or clusters[n - 1] != cluster][:count]
    shown = rows.take(pa.array(firsts, pa.int64())).to_pylist()
    sides = ((documents.by_id(row["duplicate_of"]), documents.at(row["node"])) for row in shown)
    return [
        Pair("removed", row["similarity"], row["cluster_size"], *both) for row, both in zip(shown, sides, strict=True)
    ]


def _refused(
    documents: Documents,
    pairs: NDArray[np.uint64],
    similarity: NDArray[np.float64],
    threshold: float,
    count: int,
) -> list[Pair]:
    """The most similar pairs that verification refused."""
    below = np.flatnonzero(similarity < threshold)
    nearest = below[np.lexsort((pairs[below], -similarity[below]))[:count]]
    first, second = unpack(pairs[nearest])
    return [
        Pair("refused", value, 0, documents.at(a), documents.at(b))
        for a, b, value in zip(first.tolist(), second.tolist(), similarity[nearest].tolist(), strict=True)
    ]


def _apart(documents: Documents, apart: pa.Table, count: int) -> list[Pair]:
    """Members that stay beside their cluster's representative."""
    rows = apart.sort_by([("cluster_size", "descending"), ("record_id", "ascending")]).slice(0, count)
    return [
        Pair("kept", None, row["cluster_size"], documents.by_id(row["representative"]), documents.at(row["node"]))
        for row in rows.to_pylist()
    ]
