"""The seam between what is done and where: array calls, kernel launches, and how much memory there is.

Everything a verb does on the device goes through an `Engine`.  The real one is CuPy's (cupy_engine.py); the tests have
a second one of NumPy and the same kernels compiled for the host, so that all of this package but that one file runs,
and is compared with the CPU backend, on machines without a GPU.  Code here calls only what both array modules have with
one meaning: no `ufunc.accumulate`, no `repeat` by array, no `lexsort` (CuPy's compares where `argsort` counts digits).
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

DeviceArray = Any  # ndarray of the engine's array module

BLOCK = 128  # threads a block; a multiple of every LANES, and small enough for the registers of any kernel here


class Kernel(NamedTuple):
    """A kernel: a file of the folder `kernels`, its name there, and the constants the file is compiled with."""

    file: str
    name: str
    constants: tuple[tuple[str, int], ...] = ()


class Limits(NamedTuple):
    """What a verb may take: `memory` bytes of the device, and `text` bytes of text in one batch."""

    memory: int
    text: int


class Engine(Protocol):
    """A device, seen as arrays and launches."""

    xp: Any  # the array module: cupy, or numpy in tests
    limits: Limits
    failures: tuple[type[Exception], ...]  # what the device raises when it fails or is full

    def upload(self, array: NDArray[Any], padding: int = 0) -> DeviceArray:
        """A copy on the device, [array.size + padding], one-dimensional arrays only if padded; padding is undefined."""
        ...

    def download(self, array: DeviceArray) -> NDArray[Any]:
        """A copy in host memory, of the same dtype and shape."""
        ...

    def launch(self, kernel: Kernel, threads: int, *arguments: DeviceArray | int) -> None:
        """Run `threads` threads, at least one.  An int is passed as 64 bits, an array as the address of its data."""
        ...


def zero_first(xp: Any, ends: DeviceArray) -> DeviceArray:
    """Offsets [n + 1] of ends [n]."""
    return xp.concatenate((xp.zeros(1, np.int64), ends))


def sorted_order(xp: Any, *keys: DeviceArray) -> DeviceArray:
    """int64 [n]: the order of rows by their keys [n], of which the last counts most; equal rows stay as they are."""
    order = xp.argsort(keys[0], kind="stable")
    for key in keys[1:]:
        order = order[xp.argsort(key[order], kind="stable")]
    return order
