"""The CUDA backend as an object: lazily opened, one verb at a time, one message where the device fails."""

from __future__ import annotations

import pickle
import threading
from typing import Any

import numpy as np
import pytest

from gpucurate.core.errors import DeviceError
from gpucurate.core.text_buffers import pack_texts
from gpucurate.device import features
from gpucurate.device.backend import Backend
from gpucurate.device.cpu import CpuBackend
from gpucurate.device.cuda import CudaBackend
from gpucurate.device.cuda.engine import Kernel
from gpucurate.device.hash_family import affine32
from tests.parity import documents
from tests.parity.host_engine import HostEngine, Shims


def test_it_is_a_backend() -> None:
    backend: Backend = CudaBackend()
    assert backend.name == "cuda"


def test_making_one_opens_no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither making, preparing, pickling nor text features need CuPy, let alone a GPU."""
    monkeypatch.setitem(__import__("sys").modules, "cupy", None)  # importing it fails
    backend = pickle.loads(pickle.dumps(CudaBackend()))
    backend.prepare()
    texts = pack_texts(["some text", ""])
    made = backend.text_features(texts, features.GOPHER_STOP_WORDS)
    np.testing.assert_array_equal(made, CpuBackend().text_features(texts, features.GOPHER_STOP_WORDS))


class Failing(HostEngine):
    """A device that is full, or breaks, at its first launch."""

    def launch(self, kernel: Kernel, threads: int, *arguments: Any) -> None:
        raise FloatingPointError("out of memory")


def test_a_failing_device_is_a_device_error(shims: Shims) -> None:
    cuda = CudaBackend(Failing(shims))
    for _ in range(2):  # and leaves no lock behind
        with pytest.raises(DeviceError, match=r"the CUDA device failed: FloatingPointError: out of memory\. Remedy: "):
            cuda.signatures(pack_texts(["a b c"]), 5, affine32(8, 1))


def test_other_errors_stay_what_they_are(shims: Shims) -> None:
    def broken() -> Any:
        raise KeyError("a mistake of the caller")
        yield

    with pytest.raises(KeyError):
        CudaBackend(HostEngine(shims)).components(3, broken())


def test_one_verb_at_a_time(shims: Shims) -> None:
    class Watching(HostEngine):
        busy = False
        overlaps = 0

        def launch(self, kernel: Kernel, threads: int, *arguments: Any) -> None:
            self.overlaps += self.busy
            self.busy = True
            super().launch(kernel, threads, *arguments)
            self.busy = False

    engine = Watching(shims)
    cuda, family = CudaBackend(engine), affine32(112, 1)
    texts = documents.packed(1, 800)
    expected = CpuBackend().signatures(texts, 5, family)
    made: list[Any] = []
    threads = [threading.Thread(target=lambda: made.append(cuda.signatures(texts, 5, family))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 6
    for each in made:
        np.testing.assert_array_equal(each.rows, expected.rows)
    assert engine.overlaps == 0
