"""Sorting hashes, spread as they should be and as nobody should choose them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gpucurate.device.cpu.near_duplicates.hash_sort import MOST_DIGIT_BITS, insert_in_order, sort_distinct


def check(hashes: NDArray[np.uint64]) -> None:
    expected = np.unique(hashes)
    kept = sort_distinct(hashes, np.empty(len(hashes) + 3, np.uint64))
    assert kept == len(expected)
    assert (hashes[:kept] == expected).all()


@given(st.lists(st.integers(0, 40), max_size=300), st.sampled_from([1, 1 << 50, 1 << 58, 0x9E3779B97F4A7C15]))
def test_few_values(values: list[int], scale: int) -> None:
    check(np.array([value * scale % 2**64 for value in values], np.uint64))


@pytest.mark.parametrize("hashes", [0, 1, 2, 24, 25, 1000, 4096, 100_000, 16 << MOST_DIGIT_BITS])
def test_random(hashes: int) -> None:
    check(np.random.default_rng(hashes).integers(0, 2**64, hashes, np.uint64))


@pytest.mark.parametrize("period", [1, 2, 3, 50])
def test_repetitions_of_hashes_with_the_same_high_bits(period: int) -> None:
    hashes = np.tile(np.arange(period, 0, -1, dtype=np.uint64), 200_000 // period)
    assert insert_in_order(hashes.copy()) == (period == 1)  # the others would take 10^10 moves
    check(hashes)
