"""The device's memory: bounded by the plan, given back, and no bound for what is asked."""

from __future__ import annotations

import numpy as np
import pytest

from gpucurate.core.errors import DeviceError
from gpucurate.core.text_buffers import TextBuffers, pack_texts, read_only
from gpucurate.device.cpu import CpuBackend
from gpucurate.device.cuda import CudaBackend
from gpucurate.device.cuda.cupy_engine import CupyEngine
from gpucurate.device.cuda.engine import Limits
from gpucurate.device.hash_family import affine32
from tests.gpu.corpus import prose, repeated
from tests.parity.test_memory import GREEDY

CPU = CpuBackend()
FAMILY = affine32(112, 1)
MEMORY = 64 << 20


class Watched:
    """CuPy's allocator, counting what is held and the most that ever was; CuPy's own workspace included."""

    def __init__(self, engine: CupyEngine) -> None:
        from cupy.cuda import MemoryHook

        watched = self

        class Hook(MemoryHook):  # type: ignore[misc]
            name = "watched"

            def malloc_postprocess(self, **told: int) -> None:
                watched.held += told["mem_size"]
                watched.peak = max(watched.peak, watched.held)

            def free_postprocess(self, **told: int) -> None:
                watched.held -= told["mem_size"]

        self.held = self.peak = 0
        self.hook = Hook()


@pytest.fixture
def small(engine: CupyEngine, monkeypatch: pytest.MonkeyPatch) -> CudaBackend:
    monkeypatch.setattr(engine, "limits", Limits(MEMORY, 1 << 30))
    return CudaBackend(engine)


def rmm_is_used() -> bool:
    import cupy

    return cupy.cuda.get_allocator() != cupy.get_default_memory_pool().malloc


@pytest.mark.parametrize("name", GREEDY)
def test_text_verbs_stay_within(engine: CupyEngine, small: CudaBackend, name: str) -> None:
    if rmm_is_used():
        pytest.skip("the hook counts CuPy's own pool; RMM is in use")
    texts = pack_texts(GREEDY[name])
    for verb in (lambda: small.signatures(texts, 5, FAMILY), lambda: small.shingle_sets(texts, 5)):
        watched = Watched(engine)
        with watched.hook:
            verb()
        print(f"{name}: at most {watched.peak / MEMORY:.0%} of the bound")
        assert 0 < watched.peak <= MEMORY


def test_key_verbs_stay_within(engine: CupyEngine, small: CudaBackend) -> None:
    if rmm_is_used():
        pytest.skip("the hook counts CuPy's own pool; RMM is in use")
    rows = MEMORY // 4 * 3 // 112
    draw = np.random.default_rng(1)
    first, second = draw.integers(0, 9, (2, rows), np.uint64)
    for bucket in (1, 2, 16, 1 << 40):
        keys = draw.permutation(np.arange(rows) // bucket).astype(np.uint64)
        watched = Watched(engine)
        with watched.hook:
            pairs = small.group(keys, first, second, 16)
        np.testing.assert_array_equal(pairs, CPU.group(keys, first, second, 16))
        print(f"buckets of {bucket}: at most {watched.peak / MEMORY:.0%} of the bound")
        assert 0 < watched.peak <= MEMORY


def test_everything_is_given_back(cuda: CudaBackend) -> None:
    if rmm_is_used():
        pytest.skip("CuPy's own pool is asked; RMM is in use")
    import cupy

    texts = prose(5000, 300, seed=2)
    cuda.signatures(texts, 5, FAMILY)
    cuda.shingle_sets(texts, 5)
    assert cupy.get_default_memory_pool().used_bytes() == 0


def test_more_than_two_gigabytes_of_text(cuda: CudaBackend) -> None:
    """Offsets beyond 2^31 and several batches; checked against the CPU on the documents that were repeated."""
    few = prose(2000, 400, seed=3)
    times = (1 << 31) // int(few.offsets[-1]) + 2
    many = repeated(few, times)
    assert int(many.offsets[-1]) > 1 << 31
    expected = CPU.signatures(few, 5, FAMILY)
    made = cuda.signatures(many, 5, FAMILY)
    assert made.rows.shape == (times * few.documents, 112)
    np.testing.assert_array_equal(
        made.rows.reshape(times, -1, 112), np.broadcast_to(expected.rows, (times, *expected.rows.shape))
    )
    np.testing.assert_array_equal(
        made.shingles.reshape(times, -1), np.broadcast_to(expected.shingles, (times, few.documents))
    )


def test_one_document_beyond_a_batch(cuda: CudaBackend) -> None:
    """1.1 GB in one document: the CPU's part, between documents of the device's."""
    size = (1 << 30) + (100 << 20)
    data = np.frombuffer(b"the quick brown fox jumps over the lazy dog ", np.uint8)
    tail = pack_texts(["one small text of seven words here", "and another"])
    whole = np.concatenate((np.tile(data, size // data.size), tail.data))
    offsets = np.append([0], tail.offsets + (size // data.size) * data.size)
    texts = TextBuffers(read_only(whole), read_only(offsets))
    made, expected = (each.signatures(texts, 5, FAMILY) for each in (cuda, CPU))
    np.testing.assert_array_equal(made.rows, expected.rows)


def test_a_full_device_is_a_device_error(engine: CupyEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    """More than the pool may hold, planned by somebody who thinks there is more."""
    import cupy

    _, total = cupy.cuda.runtime.memGetInfo()
    monkeypatch.setattr(engine, "limits", Limits(1 << 50, 1 << 50))
    with pytest.raises(DeviceError, match=r"the CUDA device failed: .*Remedy:"):
        CudaBackend(engine).components(total // 4, [])
    assert CudaBackend(engine).components(2, [np.array([[1, 0]])]).tolist() == [0, 0]  # and it goes on
