"""What the NVIDIA driver of this machine says of itself and its devices, asked without CuPy and without a context.

The driver library is asked, not `nvidia-smi`: it answers for this process (CUDA_VISIBLE_DEVICES, what a container was
given), and is there wherever a kernel can run.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any, NamedTuple

from gpucurate.device.backend import Backend
from gpucurate.device.choice import device_count, driver_library

# CUDA driver API, CUdevice_attribute
CAPABILITY_MAJOR, CAPABILITY_MINOR = 75, 76
NAME_BYTES = 256


class Device(NamedTuple):
    """A GPU as its driver names it."""

    name: str
    memory: int  # bytes in all
    capability: str  # compute capability, such as 9.0


class Driver(NamedTuple):
    """A driver that answers."""

    cuda: str  # the newest CUDA it runs, such as 13.0
    devices: tuple[Device, ...]  # those this process may use


def driver() -> Driver | None:
    """The driver and its devices; None where there is no driver library or it does not start."""
    library = driver_library()
    if library is None:
        return None
    version, count = ctypes.c_int(0), ctypes.c_int(0)
    library.cuDriverGetVersion(ctypes.byref(version))
    if library.cuInit(0) == 0:  # fails where the driver shows no device
        library.cuDeviceGetCount(ctypes.byref(count))
    # 13000 is 13.0 (cuDriverGetVersion: 1000 major + 10 minor)
    return Driver(
        f"{version.value // 1000}.{version.value % 1000 // 10}",
        tuple(_device(library, number) for number in range(count.value)),
    )


def device_backends() -> Iterator[Backend]:
    """A CUDA backend for each device that can be used, made current in this thread until the next is asked for."""
    usable = device_count()
    if usable:
        import cupy

        from gpucurate.device.cuda import CudaBackend

        for number in range(usable):
            with cupy.cuda.Device(number):
                yield CudaBackend()


def _device(library: Any, number: int) -> Device:
    name, memory = ctypes.create_string_buffer(NAME_BYTES), ctypes.c_size_t(0)
    major, minor = ctypes.c_int(0), ctypes.c_int(0)
    library.cuDeviceGetName(name, NAME_BYTES, number)
    library.cuDeviceTotalMem_v2(ctypes.byref(memory), number)
    library.cuDeviceGetAttribute(ctypes.byref(major), CAPABILITY_MAJOR, number)
    library.cuDeviceGetAttribute(ctypes.byref(minor), CAPABILITY_MINOR, number)
    return Device(name.value.decode(errors="replace"), memory.value, f"{major.value}.{minor.value}")
