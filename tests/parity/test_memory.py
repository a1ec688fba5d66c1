"""What a verb holds on the device stays within its bound, and what does not fit is done by the CPU backend."""

from __future__ import annotations

import numpy as np
import pytest

from gpucurate.core.text_buffers import TextBuffers, pack_texts
from gpucurate.device.cpu import CpuBackend
from gpucurate.device.cuda import CudaBackend
from gpucurate.device.cuda.engine import Limits
from gpucurate.device.cuda.grouping import PER_ROW
from gpucurate.device.hash_family import affine32
from tests.parity.host_engine import HostEngine, Shims
from tests.parity.test_key_verbs import sets_of
from tests.parity.test_text_verbs import agree

CPU = CpuBackend()
MEMORY = 24 << 20
FAMILY = affine32(112, 1)

# Every byte of text is a word or half of one, a document has least text, or a shingle is all there is.
GREEDY = {
    "words of a letter": ["a " * 100_000] * 60,
    "words of two bytes": ["a©" * 50_000] * 40,
    "documents of a letter": ["a"] * 300_000,
    "empty documents": [""] * 300_000,
    "prose": ["the quick brown fox jumps over the lazy dog " * 20] * 8000,
}


def within(engine: HostEngine) -> bool:
    print(f"at most {engine.meter.peak / engine.limits.memory:.0%} of the bound; {dict(engine.launches)}")
    return engine.meter.held == 0 and 0 < engine.meter.peak <= engine.limits.memory


def engine_of(shims: Shims, memory: int = MEMORY) -> HostEngine:
    return HostEngine(shims, Limits(memory, 1 << 30))


@pytest.mark.parametrize("name", GREEDY)
def test_signatures_stay_within(shims: Shims, name: str) -> None:
    texts, engine = pack_texts(GREEDY[name]), engine_of(shims)
    CudaBackend(engine).signatures(texts, 5, FAMILY)
    assert within(engine)
    assert engine.launches["count_words"] > 1 or not texts.data.size


@pytest.mark.parametrize("name", GREEDY)
def test_sets_stay_within(shims: Shims, name: str) -> None:
    texts, engine = pack_texts(GREEDY[name]), engine_of(shims)
    CudaBackend(engine).shingle_sets(texts, 5)
    assert within(engine)
    assert engine.launches["count_words"] > 1 or not texts.data.size


@pytest.mark.parametrize("bucket", [1, 2, 16, 17, 1 << 40])
def test_groups_stay_within(shims: Shims, bucket: int) -> None:
    rows = MEMORY // 4 * 3 // PER_ROW  # as many as are taken
    draw = np.random.default_rng(1)
    first, second = draw.integers(0, 9, (2, rows), np.uint64)
    keys = draw.permutation(np.arange(rows) // bucket).astype(np.uint64)
    engine = engine_of(shims)
    pairs = CudaBackend(engine).group(keys, first, second, 16)
    np.testing.assert_array_equal(pairs, CPU.group(keys, first, second, 16))
    assert within(engine)


def test_shared_stays_within_and_slices(shims: Shims) -> None:
    sets = sets_of([100] * 5000 + [9000] * 20, 1 << 20, 3)
    pairs = np.random.default_rng(1).integers(0, 5020, (300_000, 2))
    engine = engine_of(shims)
    CudaBackend(engine).shared(pairs, sets)
    assert within(engine)
    assert engine.launches["count_shared"] > 2


def test_band_keys_stay_within_and_slice(shims: Shims) -> None:
    signatures = np.random.default_rng(1).integers(0, 1 << 32, (60_000, 112), dtype=np.uint32)
    engine = engine_of(shims)
    CudaBackend(engine).band_keys(signatures, 14, 8)
    assert within(engine)
    assert engine.launches["band_keys"] > 1


def test_components_slice(shims: Shims) -> None:
    engine = engine_of(shims, memory=2 << 20)
    pairs = np.random.default_rng(1).integers(0, 60_000, (200_000, 2))
    labels = CudaBackend(engine).components(60_000, [pairs])
    np.testing.assert_array_equal(labels, CPU.components(60_000, [pairs]))
    assert engine.launches["unite"] == 4
    assert within(engine)


def test_what_does_not_fit_is_done_by_the_cpu(shims: Shims) -> None:
    """Same answers, and not one launch."""
    engine = engine_of(shims, memory=1 << 20)
    cuda = CudaBackend(engine)
    agree(cuda, pack_texts(["some words of a text " * 20_000]))
    keys = np.arange(40_000, dtype=np.uint64) // 3
    np.testing.assert_array_equal(cuda.group(keys, keys, keys, 4), CPU.group(keys, keys, keys, 4))
    sets = sets_of([50_000] * 3, 1 << 20, 2)
    pairs = np.array([[0, 1], [1, 2]])
    np.testing.assert_array_equal(cuda.shared(pairs, sets), CPU.shared(pairs, sets))
    links = [np.array([[0, 99_999]])]
    np.testing.assert_array_equal(cuda.components(100_000, iter(links)), CPU.components(100_000, iter(links)))
    assert not engine.launches


def test_one_large_document_among_others(shims: Shims) -> None:
    engine = engine_of(shims, memory=3 << 20)
    texts = pack_texts(["a small one with seven words here", "large " * 200_000, "another small one, also of words"])
    made, expected = (each.signatures(texts, 5, FAMILY) for each in (CudaBackend(engine), CPU))
    np.testing.assert_array_equal(made.rows, expected.rows)
    assert engine.launches["signature"] == 2  # the small ones, before and behind it


def test_text_beyond_one_batch(shims: Shims) -> None:
    """As with more than 2^30 bytes on a device, at a thousandth of the size."""
    engine = HostEngine(shims, Limits(1 << 40, text=1 << 20))
    texts = pack_texts(["the quick brown fox jumps over the lazy dog " * 500] * 200)
    made, expected = (each.signatures(texts, 5, FAMILY) for each in (CudaBackend(engine), CPU))
    np.testing.assert_array_equal(made.rows, expected.rows)
    assert engine.launches["signature"] == 5
    beyond = TextBuffers(texts.data, texts.offsets[[0, 100, 200]])  # two documents of twice the size
    made, expected = (each.signatures(beyond, 5, FAMILY) for each in (CudaBackend(engine), CPU))
    np.testing.assert_array_equal(made.rows, expected.rows)
    assert engine.launches["signature"] == 5
