"""Spherical k-means over a sample of the corpus: centres by direction, in exact arithmetic.

What is drawn, where it begins and how ties fall depends on record ids and the seed alone; all sums are exact.  So the
same documents give the same centres in any partition, order, number of threads and on any device.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isqrt

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpucurate.core.fixed_bytes import fixed_bytes
from gpucurate.steps.quality.pareto import uniforms
from gpucurate.steps.semantic_duplicates.fixed_point import ONE, FixedPoint, Products, from_column

SAMPLE_A_CLUSTER = 256  # as faiss draws for k-means: more hardly moves a centre
VALUES_AT_ONCE = 1 << 22  # of float64 in a block of products: 32 MB


def cluster_count(documents: int, wanted: int | None) -> int:
    """How many clusters: as wanted, else the square root of the documents, rounded down; at most one a document."""
    return max(1, min(isqrt(documents) if wanted is None else wanted, documents))


def sample_of(tables: Sequence[pa.Table], count: int, seed: int) -> FixedPoint:
    """Vectors of about `count` documents, drawn by record id, in the order of the draw."""
    rows = sum(table.num_rows for table in tables)
    draws, ids, vectors = [], [], []
    for number in range(len(tables)):
        table = tables[number]
        if not table.num_rows:
            continue
        drawn = uniforms(table["record_id"].combine_chunks(), seed)
        chosen = np.flatnonzero(drawn * rows < count)
        draws.append(drawn[chosen])
        ids.append(fixed_bytes(table["record_id"])[chosen].view(">u8"))
        vectors.append(from_column(table["vector"])[chosen])
    if not vectors:
        return np.zeros((0, 1), np.int16)
    id_of = np.concatenate(ids)
    order = np.lexsort((id_of[:, 1], id_of[:, 0], np.concatenate(draws)))
    return np.concatenate(vectors)[order]


def find_centres(sample: FixedPoint, count: int, iterations: int, products: Products) -> FixedPoint:
    """[count or fewer, dimensions]: fewer where the sample has fewer different vectors.

    It begins at the first different vectors of the sample.  A centre that loses all its documents stays where it is.
    """
    _, first = np.unique(sample, axis=0, return_index=True)
    centres = sample[np.sort(first)[:count]]
    before = np.full(len(sample), -1, np.int64)
    for _ in range(iterations):
        groups = assign(sample, centres, products)
        if np.array_equal(groups, before):
            break
        before = groups
        sums = np.zeros(centres.shape)
        for block in blocks(len(sample), sample.shape[1]):
            sums += products.sums(sample[block], groups[block], len(centres))
        centres = _directions(sums, centres)
    return centres


def assign(vectors: FixedPoint, centres: FixedPoint, products: Products) -> NDArray[np.int64]:
    """[vectors]: the nearest centre of each."""
    found = [products.nearest(vectors[block], centres) for block in blocks(len(vectors), len(centres))]
    return np.concatenate(found) if found else np.zeros(0, np.int64)


def blocks(rows: int, width: int) -> Iterator[slice]:
    """Rows in blocks whose products with `width` others fit into memory."""
    size = max(1, VALUES_AT_ONCE // max(1, width))
    return (slice(low, low + size) for low in range(0, rows, size))


def _directions(sums: NDArray[np.float64], before: FixedPoint) -> FixedPoint:
    """The sums, each scaled so that its largest coordinate is `ONE`, in fixed point."""
    largest = np.abs(sums).max(axis=1, keepdims=True)
    scaled = np.rint(sums * (ONE / np.where(largest == 0, 1, largest))).astype(np.int16)
    return np.where(largest == 0, before, scaled)
