"""A stand-in for CuPy's module object, so that the one file above the seam that knows CuPy runs without a GPU.

Arrays are the metered NumPy ones; a RawModule launches the kernels compiled for the host.  What it accepts is what an
installed CuPy is asked about in test_cupy.py.
"""

from __future__ import annotations

from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from gpucurate.device.cuda.engine import BLOCK, Kernel
from gpucurate.device.cuda.sources import FOLDER, options, source
from tests.parity.host_engine import HostEngine, Shims
from tests.parity.narrow_numpy import CALLS


class OnDevice(np.ndarray[Any, Any]):
    """With the method that copies from the host."""

    def set(self, array: np.ndarray[Any, Any]) -> None:
        assert type(array) is np.ndarray
        assert (array.dtype, array.shape) == (self.dtype, self.shape)
        assert array.flags.c_contiguous
        assert self.flags.c_contiguous
        self[...] = array


def fake_cupy(shims: Shims, free: int = 1 << 30) -> ModuleType:
    engine = HostEngine(shims)
    cupy: Any = ModuleType("cupy")
    for name in CALLS:
        setattr(cupy, name, getattr(engine.xp, name))
    cupy.empty = lambda shape, dtype: np.empty(shape, dtype).view(OnDevice)
    cupy.asnumpy = lambda array: np.array(array)
    failure = type("CUDARuntimeError", (RuntimeError,), {})
    pool = SimpleNamespace(limit=None)
    pool.set_limit = lambda size: setattr(pool, "limit", size)
    cupy.get_default_memory_pool = lambda: pool
    cupy.cuda = SimpleNamespace(
        runtime=SimpleNamespace(
            CUDARuntimeError=failure, memGetInfo=lambda: (free, 2 * free), getDeviceCount=lambda: 1
        ),
        driver=SimpleNamespace(CUDADriverError=type("CUDADriverError", (RuntimeError,), {})),
        nvrtc=SimpleNamespace(NVRTCError=type("NVRTCError", (RuntimeError,), {})),
        compiler=SimpleNamespace(CompileException=type("CompileException", (Exception,), {})),
    )
    cupy.compiled = []
    cupy.RawModule = lambda **named: _Module(engine, cupy.compiled, **named)
    return cupy


class _Module:
    def __init__(
        self, engine: HostEngine, compiled: list[str], code: str, options: tuple[str, ...], backend: str
    ) -> None:
        self.file = next(path.name for path in FOLDER.glob("*.cu") if source(path.name) == code)
        self.flags, self.engine, self.compiled = options, engine, compiled
        assert backend == "nvrtc"
        assert isinstance(options, tuple)

    def get_function(self, name: str) -> Any:
        defined = [flag[2:].split("=") for flag in self.flags if flag.startswith("-D")]
        constants = tuple((key, int(value)) for key, value in defined if key != "BLOCK")
        kernel = Kernel(self.file, name, constants)
        assert options(kernel) == self.flags
        self.compiled.append(name)

        def call(grid: tuple[int], block: tuple[int], arguments: tuple[Any, ...]) -> None:
            assert block == (BLOCK,)
            assert all(isinstance(each, np.int64 | np.ndarray) for each in arguments), arguments
            passed = [int(each) if isinstance(each, np.int64) else each for each in arguments]
            self.engine.launch(kernel, grid[0] * BLOCK, *passed)

        return call
