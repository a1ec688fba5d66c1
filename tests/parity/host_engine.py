"""An engine without a GPU: NumPy's arrays, and the CUDA kernels compiled by the C++ compiler of the host.

It is stricter than a device: arguments must have the number, the dtypes and the layout that the kernel declares, and
uploaded arrays are overwritten copies, so that nothing works by sharing memory with the host.
"""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpucurate.device.cuda.engine import BLOCK, Kernel, Limits
from gpucurate.device.cuda.sources import options, source
from tests.parity.metered import Meter
from tests.parity.narrow_numpy import narrow

HERE = Path(__file__).parent
AMPLE = Limits(memory=1 << 40, text=1 << 30)
SMALL = Limits(memory=12 << 20, text=1 << 30)  # bytes: several slices of what the tests of key verbs ask for


def compiler() -> str | None:
    return shutil.which("g++") or shutil.which("clang++")


def kernels_of(file: str) -> list[str]:
    return re.findall(r"^KERNEL (\w+)\(", source(file), re.MULTILINE)


class Shims:
    """Shared libraries of kernels, compiled once a session."""

    def __init__(self, folder: Path, flags: tuple[str, ...] = ("-O2",)) -> None:
        self.folder, self.flags = folder, flags
        self.library = cache(self._library)

    def _library(self, file: str, constants: tuple[tuple[str, int], ...]) -> ctypes.CDLL:
        name = "_".join([Path(file).stem, *(f"{key}{value}" for key, value in constants)])
        code, made = self.folder / f"{name}.cpp", self.folder / f"{name}.so"
        exports = "".join(f"EXPORT({kernel})\n" for kernel in kernels_of(file))
        code.write_text(f'#include "host_shim.hpp"\n{source(file)}\n{exports}')
        flags = (*self.flags, "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", "-Wno-unused-function")
        linking = ("-shared", "-fPIC", "-Wl,-Bsymbolic", "-pthread", f"-I{HERE}")  # kernels may be called like libc's
        defines = options(Kernel(file, "", constants))
        command = [str(compiler()), *flags, *defines, *linking, str(code), "-o", str(made)]
        built = subprocess.run(command, capture_output=True, text=True)
        assert built.returncode == 0, built.stderr
        return ctypes.CDLL(str(made))


class HostEngine:
    """Threads run forwards for `order` 0, else in strides of that number.

    They run one after another, or on `workers` real threads at once, or interrupt each other at atomics (0).
    """

    def __init__(self, shims: Shims, limits: Limits = AMPLE, order: int = 0, workers: int = 1) -> None:
        self.meter = Meter()
        self.xp: Any = narrow(self.meter)
        self.limits, self.order, self.workers = limits, order, workers
        self.failures: tuple[type[Exception], ...] = (FloatingPointError,)  # nothing raises it here
        self.launches: Counter[str] = Counter()
        self._shims = shims

    def upload(self, array: NDArray[Any], padding: int = 0) -> NDArray[Any]:
        made = np.empty((array.shape[0] + padding, *array.shape[1:]), array.dtype)
        made[: array.shape[0]] = array
        made[array.shape[0] :] = 0xFF  # a kernel must not care what padding holds
        return self.meter.adopt(made)

    def download(self, array: NDArray[Any]) -> NDArray[Any]:
        return np.array(array)

    def launch(self, kernel: Kernel, threads: int, *arguments: Any) -> None:
        assert threads > 0, "CUDA refuses an empty grid"
        library = self._shims.library(kernel.file, kernel.constants)
        parameter = getattr(library, f"parameter_{kernel.name}")
        how, name = ctypes.c_char(), ctypes.c_char_p()
        assert parameter(0, ctypes.byref(how), ctypes.byref(name)) == len(arguments), f"{kernel.name}: arguments"
        holders: list[Any] = []
        for i, argument in enumerate(arguments):
            parameter(i, ctypes.byref(how), ctypes.byref(name))
            assert name.value is not None
            told = f"{kernel.name}, argument {i}: {argument!r} for {how.value!r} {name.value!r}"
            if how.value == b"v":
                assert (type(argument), name.value) == (int, b"<i8"), told
                holders.append(ctypes.c_int64(argument))
            else:
                assert isinstance(argument, np.ndarray), told
                assert argument.dtype.str.encode() == name.value, told
                assert argument.flags.c_contiguous, told
                holders.append(ctypes.c_void_p(argument.ctypes.data))
        pointers = (ctypes.c_void_p * len(holders))(*(ctypes.addressof(each) for each in holders))
        blocks = -(-threads // BLOCK)
        getattr(library, f"run_{kernel.name}")(
            ctypes.c_uint64(blocks), ctypes.c_uint64(self.order), ctypes.c_uint(self.workers), pointers
        )
        self.launches[kernel.name] += 1
