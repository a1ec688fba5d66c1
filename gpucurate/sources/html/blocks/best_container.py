"""The container that holds most of the page's prose by readability's score, the strongest single hint there is."""

from __future__ import annotations

import numpy as np

from gpucurate.core.compiled import borrowing, kernel
from gpucurate.sources.html.blocks import page
from gpucurate.sources.html.blocks.characters import Marks, Table
from gpucurate.sources.html.blocks.keywords import NEGATIVE, POSITIVE
from gpucurate.sources.html.blocks.sums import CHARS, LINK_CHARS, SCORE, Values

PRAISED, BLAMED = 1.2, 0.7  # by the container's own name
INSIDE, UP = 0, 1  # columns of `best`
IN_PARENT, IN_BEST = 2, 3  # values of INSIDE


@borrowing
def find_best(sums: Values, direct: Values, node_marks: Marks) -> int:
    """The node with the highest score."""
    best = 0
    highest = -1.0
    for node in range(len(sums)):
        if direct[node, SCORE] > 0:
            score = direct[node, SCORE] * (1 - sums[node, LINK_CHARS] / max(1.0, sums[node, CHARS]))
            if node_marks[node, page.OWN] & POSITIVE:
                score *= PRAISED
            if node_marks[node, page.OWN] & NEGATIVE:
                score *= BLAMED
            if score > highest:
                highest = score
                best = node
    return best


@kernel
def mark_best(best: int, nodes: Table, parents: Table) -> Table:
    """[nodes, 2]: whether a node is in the best container or in that one's parent, and how far above the best it is
    (1 for the best itself, 0 if it is not above)."""
    marks = np.zeros((len(nodes), 2), np.int32)
    for node in range(len(nodes)):
        if node == best:
            marks[node, INSIDE] = IN_BEST
        elif node == parents[best]:
            marks[node, INSIDE] = IN_PARENT
        elif node > 0:
            marks[node, INSIDE] = marks[nodes[node, page.PARENT], INSIDE]
    node = best
    distance = 1
    while node > 0:
        marks[node, UP] = distance
        node = parents[node]
        distance += 1
    marks[0, UP] = distance
    return marks
