from __future__ import annotations

import itertools

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from gpucurate.steps.comparison import KEY_SPACE, Range, key_ranges, ranges_of


@given(st.integers(0, 10**13))
def test_ranges_cover_the_key_space_once(rows: int) -> None:
    ranges = key_ranges(rows)
    assert ranges[0].low == 0
    assert ranges[-1].high == KEY_SPACE
    assert all(a.high == b.low and a.low < a.high for a, b in itertools.pairwise(ranges))


@given(st.integers(0, 50), st.integers(0, 1000), st.integers(1, 10))
def test_no_more_ranges_than_there_is_space(space: int, rows: int, each: int) -> None:
    ranges = ranges_of(space, rows, each)
    assert (ranges[0].low, ranges[-1].high) == (0, space)
    assert all(a.high == b.low for a, b in itertools.pairwise(ranges))
    assert len(ranges) == min(max(1, -(-rows // each)), max(1, space))


@given(st.lists(st.integers(0, KEY_SPACE - 1)), st.integers(1, 5))
def test_slices_of_sorted_keys_put_together_are_all_of_them(keys: list[int], each: int) -> None:
    table = pa.table({"key": np.array(sorted(keys), np.uint64)})
    slices = [r.of(table, "key") for r in ranges_of(KEY_SPACE, len(keys), each)]
    assert pa.concat_tables(slices)["key"].to_pylist() == sorted(keys)
    assert Range(0, KEY_SPACE).of(table, "key").num_rows == len(keys)
