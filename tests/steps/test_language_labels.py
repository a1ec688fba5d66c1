"""The most likely label against brute force: every leaf of the tree, every term of the softmax."""

from __future__ import annotations

import heapq
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gpucurate.core.text_buffers import read_only
from gpucurate.steps.language.labels import (
    LabelTable,
    best_of_softmax,
    best_of_tree,
    exponential,
    huffman_tree,
)

COUNTS = st.lists(st.integers(0, 10**12), min_size=1, max_size=60).map(lambda counts: sorted(counts, reverse=True))
EMPTY = np.zeros(0, np.int32)


def every_leaf(mean: NDArray[np.float64], table: LabelTable) -> list[float]:
    """Probability of every label, by its whole path, with fastText's offset at every step."""
    labels = len(table.rows)
    probability = [0.0] * (2 * labels - 1)
    probability[-1] = 1.0
    for node in range(2 * labels - 2, labels - 1, -1):
        right = 1 / (1 + math.exp(-float(table.rows[node - labels].astype(np.float64) @ mean)))
        probability[table.left[node]] = probability[node] * (1 - right + 1e-5)
        probability[table.right[node]] = probability[node] * (right + 1e-5)
    return probability[:labels]


@given(COUNTS, st.integers(0, 2**32 - 1), st.sampled_from([0.01, 1.0, 30.0]))
def test_the_walk_finds_the_best_leaf(counts: list[int], seed: int, scale: float) -> None:
    chance = np.random.default_rng(seed)
    left, right = huffman_tree(np.array(counts, np.int64))
    rows = (chance.normal(size=(len(counts), 5)) * scale).astype(np.float32)
    table = LabelTable(read_only(rows), read_only(left), read_only(right))
    mean = chance.normal(size=5)
    label, score = best_of_tree(mean, table)
    expected = every_leaf(mean, table)
    assert score == pytest.approx(expected[label], rel=1e-9)
    # a branch may be left out although the offset would have lifted one of its leaves above the best
    assert score >= max(expected) * (1 - 1e-5 * len(counts))


@given(COUNTS)
def test_the_tree_is_a_huffman_tree(counts: list[int]) -> None:
    left, right = huffman_tree(np.array(counts, np.int64))
    weights = [*counts, *[0] * (len(counts) - 1)]
    for node in range(len(counts), len(weights)):
        assert max(left[node], right[node]) < node
        weights[node] = weights[left[node]] + weights[right[node]]
    assert sorted([*left[len(counts) :], *right[len(counts) :]]) == list(range(len(weights) - 1))
    heap = sorted(counts)
    cost = 0
    while len(heap) > 1:
        joined = heapq.heappop(heap) + heapq.heappop(heap)
        heapq.heappush(heap, joined)
        cost += joined
    assert sum(weights[len(counts) :]) == cost


@given(st.integers(1, 40), st.integers(0, 2**32 - 1), st.sampled_from([0.1, 3.0, 1000.0]))
def test_softmax(labels: int, seed: int, scale: float) -> None:
    chance = np.random.default_rng(seed)
    rows = (chance.normal(size=(labels, 5)) * scale).astype(np.float32)
    mean = chance.normal(size=5)
    label, score = best_of_softmax(mean, LabelTable(read_only(rows), read_only(EMPTY), read_only(EMPTY)))
    activations = rows.astype(np.float64) @ mean
    weights = np.exp(activations - activations.max())
    assert label == activations.argmax()
    assert score == pytest.approx(1 / weights.sum() + 1e-5, rel=1e-9)


@given(st.floats(-700, 700))
def test_exponential(x: float) -> None:
    assert exponential(x) == pytest.approx(math.exp(x), rel=1e-14)


def test_exponential_never_leaves_the_numbers() -> None:
    assert exponential(0.0) == 1.0
    assert 0 < exponential(-1e300) == exponential(-700.0)
    assert exponential(1e300) == exponential(700.0) < math.inf
