"""Choosing the device, once."""

from __future__ import annotations

from gpucurate.core.errors import DeviceError
from gpucurate.device.backend import Backend

DEVICES = ("auto", "cpu", "cuda")


def pick(device: str = "auto") -> Backend:
    """The backend for `auto`, `cpu` or `cuda`; `auto` takes the GPU where a usable one is found.

    Raises DeviceError if `cuda` was asked for and there is none.
    """
    from gpucurate.device.cpu import CpuBackend

    if device == "cuda":
        raise DeviceError("device 'cuda' was asked for, but this version has no CUDA backend. Remedy: --device cpu")
    return CpuBackend()
