"""The CuPy engine: with a stand-in for CuPy everywhere, and what is asked of the real one where it is installed."""

from __future__ import annotations

import inspect
import sys
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from gpucurate.core.errors import DeviceError
from gpucurate.device.cpu import CpuBackend
from gpucurate.device.cuda import CudaBackend
from gpucurate.device.cuda.memory import SHARE
from gpucurate.device.hash_family import affine32
from tests.parity import documents
from tests.parity.fake_cupy import fake_cupy
from tests.parity.host_engine import Shims
from tests.parity.narrow_numpy import CALLS

CPU = CpuBackend()
needs_cupy = pytest.mark.skipif(find_spec("cupy") is None, reason="CuPy is not installed")


@pytest.fixture
def cupy(shims: Shims, monkeypatch: pytest.MonkeyPatch) -> Any:
    made = fake_cupy(shims)
    monkeypatch.setitem(sys.modules, "cupy", made)
    monkeypatch.setitem(sys.modules, "rmm", None)
    return made


def test_all_verbs_through_the_engine(cupy: Any) -> None:
    cuda, family, texts = CudaBackend(), affine32(112, 1), documents.packed(3, 400)
    for _ in range(2):
        made = cuda.signatures(texts, 5, family)
        np.testing.assert_array_equal(made.rows, CPU.signatures(texts, 5, family).rows)
    keys = cuda.band_keys(made.rows, 14, 8)
    np.testing.assert_array_equal(keys, CPU.band_keys(made.rows, 14, 8))
    sets = cuda.shingle_sets(texts, 5)
    np.testing.assert_array_equal(sets.hashes, CPU.shingle_sets(texts, 5).hashes)
    places = np.arange(texts.documents, dtype=np.uint64)
    pairs = cuda.group(keys[0].copy(), places, places, 16)
    np.testing.assert_array_equal(pairs, CPU.group(keys[0].copy(), places, places, 16))
    np.testing.assert_array_equal(cuda.shared(pairs, sets), CPU.shared(pairs, sets))
    labels = cuda.components(texts.documents, [pairs])
    np.testing.assert_array_equal(labels, CPU.components(texts.documents, [pairs]))
    assert sorted(cupy.compiled) == sorted(set(cupy.compiled)), "each kernel is compiled once"
    assert len(cupy.compiled) == 9


def test_the_pool_is_bounded_once(cupy: Any) -> None:
    cuda = CudaBackend()
    cuda.components(3, [])
    assert cupy.get_default_memory_pool().limit == int((1 << 30) * SHARE)
    assert cuda._engine is not None
    assert cuda._engine.limits.memory == int((1 << 30) * SHARE) // 2


def test_a_device_that_does_not_answer(cupy: Any) -> None:
    def refuse() -> Any:
        raise cupy.cuda.runtime.CUDARuntimeError("no CUDA-capable device is detected")

    cupy.cuda.runtime.memGetInfo = refuse
    with pytest.raises(
        DeviceError, match=r"does not answer: no CUDA-capable device is detected\. Remedy: --device cpu"
    ):
        CudaBackend().components(3, [])


@needs_cupy
def test_cupy_has_every_call() -> None:
    import cupy

    for name, keywords in CALLS.items():
        function = getattr(cupy, name)
        if isinstance(function, cupy.ufunc):
            assert not keywords
        else:
            assert set(keywords) <= set(inspect.signature(function).parameters), name


@needs_cupy
def test_cupy_has_what_the_engine_uses() -> None:
    import cupy

    signature = str(cupy.RawModule.__doc__).splitlines()[0]  # a compiled class keeps it nowhere else
    assert all(
        f" {word}" in signature or f"({word}" in signature for word in ("str code", "tuple options", "str backend")
    )
    for holder, names in (
        (cupy, ("asnumpy", "empty", "get_default_memory_pool")),
        (cupy.cuda, ("set_allocator",)),
        (cupy.cuda.runtime, ("memGetInfo", "getDeviceCount", "CUDARuntimeError")),
        (cupy.ndarray, ("set", "astype", "view")),
        (cupy.get_default_memory_pool(), ("set_limit",)),
    ):
        assert all(hasattr(holder, name) for name in names), holder
    errors = (cupy.cuda.driver.CUDADriverError, cupy.cuda.nvrtc.NVRTCError, cupy.cuda.compiler.CompileException)
    assert all(issubclass(each, Exception) for each in errors)
    assert issubclass(cupy.cuda.memory.OutOfMemoryError, MemoryError)
    assert issubclass(cupy.cuda.runtime.CUDARuntimeError, RuntimeError)
