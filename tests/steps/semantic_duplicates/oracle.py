"""The choice in plain Python: whole numbers, one pair at a time."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray


def similar(a: list[int], b: list[int], threshold: float) -> bool:
    """Exactly: cosine >= threshold, for thresholds above 0."""
    dot = sum(x * y for x, y in zip(a, b, strict=True))
    sizes = sum(x * x for x in a) * sum(y * y for y in b)
    return dot > 0 and Fraction(dot * dot) >= Fraction(threshold) ** 2 * sizes


def by_hand(
    vectors: NDArray[np.int16], clusters: list[int], ids: list[bytes], ranks: list[float], threshold: float
) -> dict[bytes, bytes]:
    """Record ids of what goes, and of what stays for it."""
    rows = sorted(range(len(ids)), key=lambda n: (clusters[n], ranks[n], ids[n]))
    stays: list[int] = []
    gone: dict[bytes, bytes] = {}
    for row in rows:
        here = [n for n in stays if clusters[n] == clusters[row]]
        found = [n for n in here if similar(vectors[n].tolist(), vectors[row].tolist(), threshold)]
        if found:
            gone[ids[row]] = ids[found[0]]
        else:
            stays.append(row)
    return gone
