"""From a text's mean vector to its most likely label: a softmax, or a walk down fastText's Huffman tree of labels.

Compiled, float64, and made of additions, multiplications, divisions and powers of two alone, which IEEE 754 defines to
the bit; no library's exp, whose last bit differs between machines.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import kernel

OFFSET = 1e-5  # fastText adds it to every probability before it takes the logarithm
LOG2_E = 1.4426950408889634
LN2_HIGH, LN2_LOW = 0.693147180369123816490, 1.90821492927058770002e-10  # ln 2 in two parts, the first with 33 bits
LARGEST = 700.0  # exp of more would overflow
SERIES = tuple(1 / math.factorial(n) for n in range(12, -1, -1))  # of exp; |x| <= ln(2) / 2 leaves an error of 2e-16


class LabelTable(NamedTuple):
    """Rows of the labels; `left` and `right` are the tree, leaves (the labels) first, and empty for a softmax."""

    rows: NDArray[np.float32]  # [labels, dimensions]; those of a tree belong to its inner nodes, in order
    left: NDArray[np.int32]  # [2 * labels - 1], -1 at leaves
    right: NDArray[np.int32]


def huffman_tree(counts: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Children of every node.  `counts` are descending; the two rarest nodes are joined first, and of equally rare ones
    the inner node before the leaf, which decides the shape and so is part of the format."""
    labels = len(counts)
    weights = counts.tolist()
    left, right = np.full((2, 2 * labels - 1), -1, np.int32)
    leaf, inner = labels - 1, labels

    for node in range(labels, 2 * labels - 1):
        pair = []
        for _ in range(2):
            if leaf >= 0 and (inner == len(weights) or weights[leaf] < weights[inner]):
                pair.append(leaf)
                leaf -= 1
            else:
                pair.append(inner)
                inner += 1
        left[node], right[node] = pair
        weights.append(weights[pair[0]] + weights[pair[1]])
    return left, right


@kernel
def exponential(x: float) -> float:
    """e^x within a few units in the last place, the same bits on every machine; 0 < e^x < infinity by clipping x."""
    x = min(max(x, -LARGEST), LARGEST)
    doublings = math.floor(x * LOG2_E + 0.5)
    rest = x - doublings * LN2_HIGH - doublings * LN2_LOW
    series = 0.0
    for coefficient in SERIES:
        series = series * rest + coefficient
    return math.ldexp(series, int(doublings))


@kernel
def dot(row: NDArray[np.float32], mean: NDArray[np.float64]) -> float:
    """Inner product, summed in order."""
    total = 0.0
    for k in range(mean.shape[0]):
        total += row[k] * mean[k]
    return total


@kernel
def best_of_softmax(mean: NDArray[np.float64], table: LabelTable) -> tuple[int, float]:
    """Most likely label, the first of equals, and its probability."""
    activations = np.empty(table.rows.shape[0])
    best = 0
    for label in range(table.rows.shape[0]):
        activations[label] = dot(table.rows[label], mean)
        if activations[label] > activations[best]:
            best = label
    total = 0.0
    for label in range(table.rows.shape[0]):
        total += exponential(activations[label] - activations[best])
    return best, 1.0 / total + OFFSET


@kernel
def best_of_tree(mean: NDArray[np.float64], table: LabelTable) -> tuple[int, float]:
    """Most likely label and its probability: a label's is the product along its path from the root.

    The likelier child is walked first, and what is less likely than the best leaf so far is left out.
    """
    labels = table.rows.shape[0]
    root = table.left.shape[0] - 1
    stack = np.empty(labels + 1, np.int32)  # above a node of depth d, at most d siblings wait
    waiting = np.empty(root + 1)  # the probability of every node met
    best, best_probability = -1, -1.0
    stack[0] = root
    waiting[root] = 1.0
    height = 1
    while height:
        height -= 1
        node = stack[height]
        if waiting[node] <= best_probability:
            continue
        left, right = table.left[node], table.right[node]
        if left < 0:
            best, best_probability = node, waiting[node]
            continue
        to_right = 1.0 / (1.0 + exponential(-dot(table.rows[node - labels], mean)))
        waiting[left] = waiting[node] * (1.0 - to_right + OFFSET)
        waiting[right] = waiting[node] * (to_right + OFFSET)
        likelier, other = (right, left) if waiting[right] > waiting[left] else (left, right)
        stack[height] = other
        stack[height + 1] = likelier
        height += 2
    return best, best_probability
