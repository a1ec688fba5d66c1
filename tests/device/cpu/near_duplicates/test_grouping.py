"""Bands, pairs of equal keys, shared hashes and components against brute force."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gpucurate.device.backend import ShingleSets
from gpucurate.device.cpu import CpuBackend
from gpucurate.device.cpu.near_duplicates import bucket_order, grouping
from tests.device.cpu.near_duplicates.reference import fold, mix

CPU = CpuBackend()
U64 = np.uint64


def pairs_by_definition(keys: list[int], first: list[int], second: list[int], all_pairs: int) -> list[list[int]]:
    buckets: dict[int, list[int]] = {}
    for row in sorted(range(len(keys)), key=lambda r: (keys[r], first[r], second[r], r)):
        buckets.setdefault(keys[row], []).append(row)
    pairs: list[list[int]] = []
    for bucket in buckets.values():
        if len(bucket) <= all_pairs:
            pairs += map(list, combinations(bucket, 2))
        else:
            pairs += [[bucket[0], other] for other in bucket[1:]]
    return pairs


def group(keys: list[int], first: list[int], second: list[int], all_pairs: int) -> list[list[int]]:
    arrays = (np.array(each, U64) for each in (keys, first, second))
    found = CPU.group(*arrays, all_pairs)
    assert found.dtype == np.int64
    return found.tolist()


rows_of_few_values = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2), st.integers(0, 2)), max_size=60)
spread = st.sampled_from([1, 1 << 60, 0x9E3779B97F4A7C15])


@given(rows_of_few_values, spread, st.sampled_from([0, 1, 2, 3, 16, 1000]))
def test_pairs(rows: list[tuple[int, int, int]], scale: int, all_pairs: int) -> None:
    keys = [row[0] * scale % 2**64 for row in rows]
    first = [2**64 - 1 - row[1] for row in rows]
    second = [row[2] * 2**63 % 2**64 for row in rows]
    assert group(keys, first, second, all_pairs) == pairs_by_definition(keys, first, second, all_pairs)


@pytest.mark.parametrize("skew", [False, True])
def test_pairs_over_many_partitions(skew: bool) -> None:
    rng = np.random.default_rng(5)
    rows = 4 * grouping.ROWS_A_PARTITION + 7
    keys = rng.integers(0, rows, rows, U64) * U64(1 if skew else 2**64 // rows)
    keys[rng.random(rows) < 0.05] = 77  # a bucket of thousands
    first, second = rng.integers(0, 50, rows, U64), rng.integers(0, 50, rows, U64)
    expected = pairs_by_definition(keys.tolist(), first.tolist(), second.tolist(), 16)
    assert CPU.group(keys, first, second, 16).tolist() == expected


def test_no_two_keys_alike() -> None:
    keys = np.arange(1000, dtype=U64) * U64(2**54)
    assert CPU.group(keys, keys, keys, 16).shape == (0, 2)
    assert CPU.group(keys[:0], keys[:0], keys[:0], 16).shape == (0, 2)


def test_a_bucket_of_two_million_rows_gives_a_star() -> None:
    rows = 2_000_000
    keys = np.full(rows, 12345, U64)
    first = (np.arange(rows, dtype=U64) * U64(0x9E3779B97F4A7C15)) >> U64(40)  # ties, settled by the row's number
    pairs = CPU.group(keys, first, np.zeros(rows, U64), 16)
    order = np.argsort(first, kind="stable")
    assert (pairs[:, 0] == order[0]).all()
    assert (pairs[:, 1] == order[1:]).all()


def test_group_wants_arrays_of_one_length() -> None:
    with pytest.raises(ValueError, match="have 2, 2 and 1 rows"):
        group([1, 1], [0, 0], [0], 16)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=3 * bucket_order.BY_HAND))
def test_order_of_a_bucket(rows: list[tuple[int, int]]) -> None:
    first, second = (np.array([row[i] for row in rows], U64) for i in (0, 1))
    members = np.arange(len(rows))
    bucket_order.order_bucket(members, first, second)
    assert members.tolist() == sorted(range(len(rows)), key=lambda r: (rows[r], r))


@given(st.lists(st.lists(st.integers(0, 2**32 - 1), min_size=6, max_size=6), max_size=5))
def test_band_keys(rows: list[list[int]]) -> None:
    signatures = np.array(rows, np.uint32).reshape(-1, 6)

    def key(row: list[int], band: int) -> int:
        value = band
        for least in row[2 * band : 2 * band + 2]:
            value = fold(value, least)
        return mix(value)

    found = CPU.band_keys(signatures, 2, 2)  # the last two columns are not asked for
    assert found.dtype == U64
    assert found.tolist() == [[key(row, band) for row in rows] for band in range(2)]


def test_band_keys_of_a_view() -> None:
    signatures = np.arange(60, dtype=np.uint32).reshape(5, 12)
    assert (CPU.band_keys(signatures[::2, :8], 4, 2) == CPU.band_keys(signatures, 4, 2)[:, ::2]).all()


def test_equal_rows_in_two_bands_share_no_bucket() -> None:
    keys = CPU.band_keys(np.zeros((1, 112), np.uint32), 14, 8)
    assert len(np.unique(keys)) == 14


def test_too_many_bands() -> None:
    with pytest.raises(ValueError, match="14 bands of 8 rows ask for more hashes than the 111 there are"):
        CPU.band_keys(np.zeros((1, 111), np.uint32), 14, 8)


def sets_of(documents: list[set[int]]) -> ShingleSets:
    offsets = np.cumsum([0, *map(len, documents)])
    return ShingleSets(offsets, np.array([h for each in documents for h in sorted(each)], U64))


@given(st.lists(st.sets(st.integers(0, 60)), min_size=1, max_size=6))
def test_shared(documents: list[set[int]]) -> None:
    pairs = [(a, b) for a in range(len(documents)) for b in range(len(documents))]
    found = CPU.shared(np.array(pairs), sets_of(documents))
    assert found.tolist() == [len(documents[a] & documents[b]) for a, b in pairs]


@given(st.sets(st.integers(0, 2**64 - 1), max_size=12), st.integers(0, 2**32), st.sampled_from([50, 1000, 5000]))
def test_shared_of_very_unequal_sets(few: set[int], seed: int, size: int) -> None:
    many = set(np.random.default_rng(seed).integers(0, 2**64, size, U64).tolist())
    few |= set(sorted(many)[:: size // 5]) | {min(many), max(many)}
    found = CPU.shared(np.array([(0, 1), (1, 0)]), sets_of([few, many]))
    assert found.tolist() == [len(few & many)] * 2


def test_shared_wants_documents_that_are_there() -> None:
    with pytest.raises(ValueError, match="pairs name places from 0 to 2; there are 2"):
        CPU.shared(np.array([(0, 2)]), sets_of([{1}, {2}]))
    with pytest.raises(ValueError, match="pairs name places from -1 to 0; there are 2"):
        CPU.shared(np.array([(0, -1)]), sets_of([{1}, {2}]))
    assert CPU.shared(np.empty((0, 2), np.int64), sets_of([])).shape == (0,)


def least_connected(nodes: int, pairs: list[tuple[int, int]]) -> list[int]:
    label = list(range(nodes))
    for _ in range(nodes):
        for a, b in pairs:
            label[a] = label[b] = min(label[a], label[b])
    return label


@given(st.integers(1, 25).flatmap(lambda n: st.tuples(st.just(n), st.lists(st.tuples(*[st.integers(0, n - 1)] * 2)))))
def test_components(case: tuple[int, list[tuple[int, int]]]) -> None:
    nodes, pairs = case
    batches: list[NDArray[np.int64]] = [np.array(pairs[i : i + 3], np.int64).reshape(-1, 2) for i in range(0, 30, 3)]
    assert CPU.components(nodes, iter(batches)).tolist() == least_connected(nodes, pairs[:30])


@pytest.mark.parametrize("order", ["up", "down", "mixed"])
def test_components_of_a_long_chain(order: str) -> None:
    nodes = 200_000
    chain = np.stack([np.arange(nodes - 1), np.arange(1, nodes)], 1)
    chain = {"up": chain, "down": chain[::-1], "mixed": np.random.default_rng(0).permutation(chain)[:, ::-1]}[order]
    assert not CPU.components(nodes, np.array_split(chain, 7)).any()


def test_components_want_nodes_that_are_there() -> None:
    with pytest.raises(ValueError, match="pairs name places from 0 to 3; there are 3"):
        CPU.components(3, [np.array([(0, 3)])])
    assert CPU.components(0, []).tolist() == []
    assert CPU.components(3, []).tolist() == [0, 1, 2]
