"""Every verb on the device gives the arrays of the CPU backend, at sizes that the host shim is too slow for."""

from __future__ import annotations

import numpy as np
import pytest

from gpucurate.core.text_buffers import pack_texts
from gpucurate.device.cpu import CpuBackend
from gpucurate.device.cuda import CudaBackend
from tests.gpu.corpus import prose
from tests.parity import documents
from tests.parity.test_key_verbs import GRAPHS, KEYS, places, sets_of
from tests.parity.test_text_verbs import LONG, agree

CPU = CpuBackend()


@pytest.mark.parametrize("seed", range(4))
def test_random_documents(cuda: CudaBackend, seed: int) -> None:
    texts = documents.within(documents.packed(seed, 20_000), seed)
    agree(cuda, texts)
    agree(cuda, documents.damaged(texts, seed))


@pytest.mark.parametrize("shingle", [1, 2, 3, 5, 7, 13])
@pytest.mark.parametrize("hashes", [1, 64, 112, 117, 260, 700])
def test_settings(cuda: CudaBackend, shingle: int, hashes: int) -> None:
    agree(cuda, documents.packed(shingle, 2000), shingle, hashes)


@pytest.mark.parametrize("name", LONG)
def test_long_documents(cuda: CudaBackend, name: str) -> None:
    agree(cuda, pack_texts(["before", LONG[name], "after the long one", LONG[name][::-1]]))


@pytest.mark.parametrize("texts", [[], [""], ["", "", ""], ["!"], ["a"], ["", "a", ""]], ids=repr)
def test_little_text(cuda: CudaBackend, texts: list[str]) -> None:
    agree(cuda, pack_texts(texts))


def test_continuation_bytes(cuda: CudaBackend) -> None:
    for length in (3, 63, 64, 65, 128, 129, 5000):
        agree(cuda, pack_texts([b"one two", b"x" * 40 + b"\x97" * length + b"a b", b"three"]))


def test_prose(cuda: CudaBackend) -> None:
    agree(cuda, prose(15_000, 400, seed=1))


@pytest.mark.parametrize(("bands", "rows"), [(14, 8), (9, 13), (20, 13), (1, 1)])
def test_band_keys(cuda: CudaBackend, bands: int, rows: int) -> None:
    signatures = np.random.default_rng(bands).integers(0, 1 << 32, (300_000, bands * rows), dtype=np.uint32)
    made, expected = (each.band_keys(signatures, bands, rows) for each in (cuda, CPU))
    np.testing.assert_array_equal(made, expected, strict=True)
    assert cuda.band_keys(signatures[:0], bands, rows).shape == (bands, 0)


@pytest.mark.parametrize("all_pairs", [0, 2, 16])
@pytest.mark.parametrize("name", KEYS)
def test_group(cuda: CudaBackend, name: str, all_pairs: int) -> None:
    keys = np.ascontiguousarray(KEYS[name](np.random.default_rng(3)))
    first, second = places(keys.size, 5)
    made, expected = (each.group(keys, first, second, all_pairs) for each in (cuda, CPU))
    np.testing.assert_array_equal(made, expected, strict=True)


def test_group_at_size(cuda: CudaBackend) -> None:
    """4 million rows, half of them in one bucket."""
    draw = np.random.default_rng(1)
    keys = np.concatenate((np.zeros(2_000_000), draw.integers(0, 1_500_000, 2_000_000))).astype(np.uint64)
    keys = draw.permutation(keys)
    first, second = draw.integers(0, 1 << 62, (2, keys.size), np.uint64)
    made, expected = (each.group(keys, first, second, 16) for each in (cuda, CPU))
    np.testing.assert_array_equal(made, expected, strict=True)
    assert len(made) > 3_000_000


def test_shared(cuda: CudaBackend) -> None:
    draw = np.random.default_rng(2)
    sets = sets_of([*draw.integers(0, 400, 20_000), 300_000, 1_000_000], 900_000, 1)
    pairs = np.concatenate((draw.integers(0, 20_002, (1_000_000, 2)), [[20_000, 20_001], [20_001, 20_001]]))
    made, expected = (each.shared(pairs, sets) for each in (cuda, CPU))
    np.testing.assert_array_equal(made, expected, strict=True)
    assert made[-2] > 10_000


@pytest.mark.parametrize("nodes", [1000, 5_000_000])
@pytest.mark.parametrize("name", GRAPHS)
def test_components(cuda: CudaBackend, name: str, nodes: int) -> None:
    """Threads race for the same nodes here; five times, since a race need not show at once."""
    batches = np.array_split(GRAPHS[name](np.random.default_rng(4), nodes).astype(np.int64), 3)
    expected = CPU.components(nodes, iter(batches))
    for _ in range(5):
        np.testing.assert_array_equal(cuda.components(nodes, iter(batches)), expected, strict=True)


def test_little_to_do(cuda: CudaBackend) -> None:
    nothing = np.zeros(0, np.uint64)
    assert cuda.group(nothing, nothing, nothing, 16).shape == (0, 2)
    assert cuda.shared(np.zeros((0, 2), np.int64), sets_of([3, 4], 9, 1)).tolist() == []
    assert cuda.components(0, []).tolist() == []
    assert cuda.components(3, [np.zeros((0, 2), np.int64)]).tolist() == [0, 1, 2]
