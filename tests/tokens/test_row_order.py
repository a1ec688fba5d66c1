from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpucurate.tokens.row_order import permuted_rows


@given(st.integers(1, 3000), st.integers(0, 2**63))
@settings(deadline=None, max_examples=50)
def test_a_permutation_for_any_number_of_rows(rows: int, seed: int) -> None:
    assert sorted(permuted_rows(np.arange(rows), rows, seed).tolist()) == list(range(rows))


@pytest.mark.parametrize("rows", [1, 2, 3, 4, 5, 16, 17, 1024, 1025])
def test_bounds_of_powers_of_two(rows: int) -> None:
    assert sorted(permuted_rows(np.arange(rows), rows, 1).tolist()) == list(range(rows))


def test_positions_are_independent_of_each_other() -> None:
    whole = permuted_rows(np.arange(10_000), 10_000, 5)
    some = np.array([9_999, 0, 17, 17, 5_000])
    assert permuted_rows(some, 10_000, 5).tolist() == whole[some].tolist()


def test_large_numbers_of_rows() -> None:
    rows = 2**40 + 7
    positions = np.arange(rows - 1000, rows)
    found = permuted_rows(positions, rows, 0)
    assert len(set(found.tolist())) == 1000
    assert 0 <= found.min() <= found.max() < rows
    assert found.std() > rows / 5  # spread over all of them


def test_orders_are_even() -> None:
    """Over many seeds, position 0 shows every row about equally often (chi-squared, 10 degrees, p = 0.001: 29.6)."""
    first = np.array([permuted_rows(np.zeros(1, np.int64), 11, seed)[0] for seed in range(330)])
    counts = np.bincount(first, minlength=11)
    assert ((counts - 30) ** 2 / 30).sum() < 29.6


def test_neighbours_are_parted() -> None:
    """Pairs (p, p + 1) that stay together: 1 on average, variance 1, so 200 epochs give 1 within 3 / sqrt(200)."""
    kept = [(np.diff(permuted_rows(np.arange(1000), 1000, seed)) == 1).sum() for seed in range(200)]
    assert abs(np.mean(kept) - 0.999) < 0.22


def test_an_epoch_stays_as_it_is() -> None:
    """A run that goes on next year reads the same rows."""
    assert permuted_rows(np.arange(10), 10, 0).tolist() == [4, 8, 1, 5, 6, 2, 3, 9, 7, 0]
