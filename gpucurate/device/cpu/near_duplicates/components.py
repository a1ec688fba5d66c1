"""Connected components by union-find: every root is the least node of its component, whatever the order of pairs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import inlined, kernel


@kernel
def unite(pairs: NDArray[np.int64], parents: NDArray[np.int64]) -> None:
    """Join the two components of every pair.  A parent is never greater than its child."""
    for p in range(len(pairs)):
        a = root_of(pairs[p, 0], parents)
        b = root_of(pairs[p, 1], parents)
        if a < b:
            parents[b] = a
        else:
            parents[a] = b


@inlined
def root_of(node: int, parents: NDArray[np.int64]) -> int:
    """The root above a node, halving the way there for the next caller."""
    while parents[node] != node:
        parents[node] = parents[parents[node]]
        node = parents[node]
    return node


@kernel
def flatten(parents: NDArray[np.int64]) -> None:
    """Point every node at its root; one ascending pass does, as parents are lesser."""
    for node in range(len(parents)):
        parents[node] = parents[parents[node]]
