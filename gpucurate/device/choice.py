"""Choosing the device, once."""

from __future__ import annotations

import ctypes
from importlib.util import find_spec

from gpucurate.core.errors import DeviceError
from gpucurate.device.backend import Backend

DEVICES = ("auto", "cpu", "cuda")


def pick(device: str = "auto") -> Backend:
    """The backend for `auto`, `cpu` or `cuda`; `auto` takes the GPU where a usable one is found.

    Raises DeviceError if `cuda` was asked for and there is none.
    """
    if resolve(device) == "cuda":
        from gpucurate.device.cuda import CudaBackend

        return CudaBackend()
    from gpucurate.device.cpu import CpuBackend

    return CpuBackend()


def resolve(device: str) -> str:
    """`cpu` or `cuda`: what `auto` means on this machine, and the others as they are.

    Raises DeviceError if `cuda` was asked for and there is no usable device, ValueError for any other word.
    """
    if device not in DEVICES:
        raise ValueError(f"device {device!r} is none of {', '.join(DEVICES)}")
    if device == "cpu":
        return "cpu"
    lacking = what_is_lacking()
    if lacking is None:
        return "cuda"
    if device == "cuda":
        raise DeviceError(f"device 'cuda' was asked for, but {lacking}, or --device cpu")
    return "cpu"


def device_count() -> int:
    """How many CUDA devices this process may use (CUDA_VISIBLE_DEVICES counts); 0 without a usable one."""
    return 0 if what_is_lacking() is not None else _devices_of_driver()


def what_is_lacking() -> str | None:
    """What keeps this process from using a CUDA device, with the remedy; None if one can be used.

    The driver is asked first: where there is none, the answer takes no time and CuPy is not imported.
    """
    if find_spec("cupy") is None:
        return "the package 'cupy' is not installed. Remedy: pip install 'gpucurate[cuda]'"
    devices = _devices_of_driver()
    if devices < 0:
        return "there is no NVIDIA driver (libcuda.so.1). Remedy: install one on a machine with a GPU"
    if devices == 0:
        return "the NVIDIA driver shows no device. Remedy: check nvidia-smi and CUDA_VISIBLE_DEVICES"
    try:
        import cupy

        cupy.cuda.runtime.getDeviceCount()
    except ImportError as error:
        return f"the package 'cupy' cannot be imported ({error}). Remedy: pip install 'gpucurate[cuda]'"
    except RuntimeError as error:  # CuPy's CUDARuntimeError: mostly a driver older than the CUDA that CuPy is built for
        return f"CuPy cannot use the device ({error}). Remedy: a newer NVIDIA driver, or the CuPy that suits it"
    return None


def driver_library() -> ctypes.CDLL | None:
    """The NVIDIA driver's library, not yet initialised; None where there is none."""
    try:
        return ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None


def _devices_of_driver() -> int:
    """Devices the driver shows; -1 without a driver.  Makes no CUDA context."""
    driver = driver_library()
    if driver is None:
        return -1
    count = ctypes.c_int(0)
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return 0
    return count.value
