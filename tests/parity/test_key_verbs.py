"""Band keys, groups, shared counts and components: kernels and array code on the host against the CPU backend."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from gpucurate.core.text_buffers import pack_texts
from gpucurate.device.backend import Pairs, ShingleSets
from gpucurate.device.cpu import CpuBackend
from gpucurate.device.cuda import CudaBackend
from tests.parity.host_engine import AMPLE, SMALL, HostEngine, Shims

CPU = CpuBackend()
Keys = NDArray[np.uint64]


@pytest.fixture(
    params=[(AMPLE, 0, 1), (AMPLE, 7919, 1), (SMALL, 1_000_003, 1), (AMPLE, 0, 4), (AMPLE, 7919, 0)], ids=str
)
def cuda(request: pytest.FixtureRequest, shims: Shims) -> CudaBackend:
    limits, order, workers = request.param
    return CudaBackend(HostEngine(shims, limits, order, workers))


@pytest.mark.parametrize(("bands", "rows"), [(14, 8), (9, 13), (20, 13), (1, 1), (260, 1)])
def test_band_keys(cuda: CudaBackend, bands: int, rows: int) -> None:
    signatures = np.random.default_rng(bands).integers(0, 1 << 32, (9000, bands * rows + 3), dtype=np.uint32)
    np.testing.assert_array_equal(
        cuda.band_keys(signatures, bands, rows), CPU.band_keys(signatures, bands, rows), strict=True
    )
    assert cuda.band_keys(signatures[:0], bands, rows).shape == (bands, 0)


def places(rows: int, seed: int) -> tuple[Keys, Keys]:
    draw = np.random.default_rng(seed)
    high = np.uint64(1) << np.uint64(63)  # signed comparison would order these wrongly
    return draw.integers(0, 4, rows, np.uint64) * high // 2, draw.integers(0, 3, rows, np.uint64) * high


def grouped_alike(cuda: CudaBackend, keys: Keys, all_pairs: int) -> Pairs:
    first, second = places(keys.size, 5)
    pairs = cuda.group(keys, first, second, all_pairs)
    np.testing.assert_array_equal(pairs, CPU.group(keys, first, second, all_pairs), strict=True)
    return pairs


KEYS: dict[str, Callable[[np.random.Generator], Keys]] = {
    "none": lambda draw: np.zeros(0, np.uint64),
    "one": lambda draw: np.zeros(1, np.uint64),
    "all different": lambda draw: draw.permutation(20_000).astype(np.uint64) << np.uint64(40),
    "all the same": lambda draw: np.full(20_000, 7, np.uint64),
    "small buckets": lambda draw: draw.integers(0, 9000, 20_000, np.uint64) << np.uint64(51),
    "buckets around the bound": lambda draw: np.repeat(np.arange(800, dtype=np.uint64), np.arange(800) % 20)[::-1],
    "one large, many small": lambda draw: np.minimum(draw.integers(0, 40_000, 30_000, np.uint64), np.uint64(20_000)),
}


@pytest.mark.parametrize("all_pairs", [0, 1, 2, 16])
@pytest.mark.parametrize("name", KEYS)
def test_group(cuda: CudaBackend, name: str, all_pairs: int) -> None:
    keys = KEYS[name](np.random.default_rng(3))
    assert bool(len(grouped_alike(cuda, np.ascontiguousarray(keys), all_pairs))) == (np.unique(keys).size < keys.size)


@settings(max_examples=100)
@given(st.lists(st.integers(0, 6), max_size=40), st.integers(0, 9))
def test_group_of_any_keys(shims: Shims, keys: list[int], all_pairs: int) -> None:
    grouped_alike(CudaBackend(HostEngine(shims)), np.array(keys, np.uint64), all_pairs)


def sets_of(sizes: list[int], values: int, seed: int) -> ShingleSets:
    draw = np.random.default_rng(seed)
    sets = [np.unique(draw.integers(0, values, size, np.uint64) << np.uint64(44)) for size in sizes]
    offsets = np.cumsum([0, *map(len, sets)], dtype=np.int64)
    return ShingleSets(offsets, np.concatenate(sets).astype(np.uint64))


def test_shared(cuda: CudaBackend) -> None:
    sizes = [*range(0, 300, 3), 0, 0, 1, 5000, 40_000, 60_000]  # the large ones are several tasks
    sets = sets_of(sizes, 50_000, 1)
    pairs = np.random.default_rng(2).integers(0, len(sizes), (20_000, 2))
    pairs = np.concatenate((pairs, [[len(sizes) - 1, len(sizes) - 2], [7, 7]]))
    counts = cuda.shared(pairs, sets)
    np.testing.assert_array_equal(counts, CPU.shared(pairs, sets), strict=True)
    assert counts[-1] == np.diff(sets.offsets)[7]
    assert counts[-2] > 10_000


def test_nothing_is_shared(cuda: CudaBackend) -> None:
    nothing = ShingleSets(np.zeros(4, np.int64), np.zeros(0, np.uint64))
    assert cuda.shared(np.array([[0, 1], [2, 2]]), nothing).tolist() == [0, 0]
    assert cuda.shared(np.zeros((0, 2), np.int64), sets_of([3, 4], 9, 1)).tolist() == []
    assert cuda.shared(np.array([[0, 1]]), sets_of([0, 4], 9, 1)).tolist() == [0]


GRAPHS: dict[str, Callable[[np.random.Generator, int], Pairs]] = {
    "random": lambda draw, n: draw.integers(0, n, (n // 2, 2)),
    "dense": lambda draw, n: draw.integers(0, n, (3 * n, 2)),
    "chain": lambda draw, n: np.stack((np.arange(n - 1), np.arange(1, n)), axis=1),
    "shuffled chain": lambda draw, n: draw.permutation(np.stack((np.arange(n - 1), np.arange(1, n)), axis=1)),
    "star": lambda draw, n: np.stack((np.full(n, n - 1), np.arange(n)), axis=1),
    "random chain": lambda draw, n: np.stack((p := draw.permutation(n), np.roll(p, 1)), axis=1),
    "loops": lambda draw, n: np.stack((np.arange(n), np.arange(n)), axis=1),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_components(cuda: CudaBackend, name: str) -> None:
    nodes = 100_000
    pairs = GRAPHS[name](np.random.default_rng(4), nodes).astype(np.int64)
    batches = np.array_split(pairs, 3)
    labels = cuda.components(nodes, iter(batches))
    np.testing.assert_array_equal(labels, CPU.components(nodes, iter(batches)), strict=True)
    assert (labels <= np.arange(nodes)).all()


def test_components_of_nothing(cuda: CudaBackend) -> None:
    assert cuda.components(0, []).tolist() == []
    assert cuda.components(3, []).tolist() == [0, 1, 2]
    assert cuda.components(3, [np.zeros((0, 2), np.int64)]).tolist() == [0, 1, 2]


def test_pairs_from_another_verb(cuda: CudaBackend) -> None:
    """`components` may read pairs that `shared` keeps, on the same device, while it holds its nodes."""
    texts = pack_texts(["a b c d e f g h"] * 5 + ["i j k l m n"] * 3)
    sets = cuda.shingle_sets(texts, 5)
    pairs = np.array([[0, 1], [1, 4], [2, 3], [4, 5], [5, 6]])
    kept = (part[cuda.shared(part, sets) > 0] for part in np.array_split(pairs, 2))
    assert cuda.components(8, kept).tolist() == [0, 0, 2, 2, 0, 5, 5, 7]
