"""The real device: CuPy's arrays, and kernels that NVRTC compiles for the GPU at hand on their first launch.

CuPy keeps compiled kernels in its cache directory (CUPY_CACHE_DIR), so that only the first process compiles.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.errors import DeviceError
from gpucurate.device.cuda.engine import BLOCK, DeviceArray, Kernel
from gpucurate.device.cuda.memory import set_up
from gpucurate.device.cuda.sources import options, source


class CupyEngine:
    """The current CUDA device of this process; see `gpucurate.device.cuda.engine.Engine`."""

    def __init__(self) -> None:
        """Raises DeviceError if the device does not answer."""
        import cupy

        self.xp: Any = cupy
        self.failures: tuple[type[Exception], ...] = (
            cupy.cuda.runtime.CUDARuntimeError,
            cupy.cuda.driver.CUDADriverError,
            cupy.cuda.nvrtc.NVRTCError,
            cupy.cuda.compiler.CompileException,
            MemoryError,  # CuPy's OutOfMemoryError is one, and what RMM raises
        )
        try:
            self.limits = set_up()
        except self.failures as failure:
            raise DeviceError(f"the CUDA device does not answer: {failure}. Remedy: --device cpu") from failure
        self._functions: dict[Kernel, Any] = {}

    def upload(self, array: NDArray[Any], padding: int = 0) -> DeviceArray:
        """See `Engine.upload`."""
        if not padding:
            return self.xp.asarray(np.ascontiguousarray(array))
        made = self.xp.empty(array.shape[0] + padding, array.dtype)
        made[: array.shape[0]].set(np.ascontiguousarray(array))
        return made

    def download(self, array: DeviceArray) -> NDArray[Any]:
        """See `Engine.download`."""
        host: NDArray[Any] = self.xp.asnumpy(array)
        return host

    def launch(self, kernel: Kernel, threads: int, *arguments: DeviceArray | int) -> None:
        """See `Engine.launch`."""
        function = self._functions.get(kernel)
        if function is None:
            module = self.xp.RawModule(code=source(kernel.file), options=options(kernel), backend="nvrtc")
            function = self._functions[kernel] = module.get_function(kernel.name)
        passed = tuple(np.int64(each) if isinstance(each, int) else each for each in arguments)
        function((-(-threads // BLOCK),), (BLOCK,), passed)
