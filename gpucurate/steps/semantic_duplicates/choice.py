"""The choice within clusters: which documents stay, and for which of them each other one goes.

SemDeDup (Abbas et al. 2023, arXiv 2303.09540, section 3) looks at a cluster's documents in order and removes one that
is similar to any before it.  Here it must be similar to one that stays, so that nothing goes for a document that is
itself removed: A like B, B like C, A unlike C keeps A and C.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import kernel
from gpucurate.steps.semantic_duplicates.fixed_point import FixedPoint, Products

BLOCK = 1024  # documents compared at a time
KEPT_AT_ONCE = 4096  # with so many that stay: 32 MB of cosines


def decide(vectors: FixedPoint, threshold: float, products: Products) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Documents of one cluster, the preferred first.  [documents]: the first that stays and is similar, -1 for one that
    stays itself; and the cosine with it, 0 there.  What is compared are documents with those that stay."""
    chosen = np.full(len(vectors), -1, np.int64)
    cosine = np.zeros(len(vectors))
    stays: list[NDArray[np.int64]] = []
    for low in range(0, len(vectors), BLOCK):
        rows = np.arange(low, min(low + BLOCK, len(vectors)))
        _against_kept(
            vectors, rows, np.concatenate([np.zeros(0, np.int64), *stays]), threshold, products, chosen, cosine
        )
        left = rows[chosen[rows] < 0]
        among = products.cosines(vectors[left], vectors[left])
        first = np.full(len(left), -1, np.int64)
        _among(among, threshold, first)
        gone = np.flatnonzero(first >= 0)
        chosen[left[gone]] = left[first[gone]]
        cosine[left[gone]] = among[gone, first[gone]]
        stays.append(left[first < 0])
    return chosen, cosine


def _against_kept(
    vectors: FixedPoint,
    rows: NDArray[np.int64],
    kept: NDArray[np.int64],
    threshold: float,
    products: Products,
    chosen: NDArray[np.int64],
    cosine: NDArray[np.float64],
) -> None:
    """Fill in the rows that are similar to a document that is known to stay."""
    for low in range(0, len(kept), KEPT_AT_ONCE):
        some = kept[low : low + KEPT_AT_ONCE]
        open_rows = rows[chosen[rows] < 0]
        if not len(open_rows):
            return
        values = products.cosines(vectors[open_rows], vectors[some])
        similar = values >= threshold
        found = np.flatnonzero(similar.any(axis=1))
        first = similar[found].argmax(axis=1)
        chosen[open_rows[found]] = some[first]
        cosine[open_rows[found]] = values[found, first]


@kernel
def _among(cosines: NDArray[np.float64], threshold: float, first: NDArray[np.int64]) -> None:
    """One pass: `first` becomes the first document before each that stays and is similar, -1 where there is none."""
    for row in range(len(first)):
        for other in range(row):
            if first[other] < 0 and cosines[row, other] >= threshold:
                first[row] = other
                break
