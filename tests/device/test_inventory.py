"""What the driver library is asked and how its answers are read, with a library that answers as NVIDIA's does."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

from gpucurate.device import inventory
from gpucurate.device.inventory import Device, Driver, driver

INVALID_DEVICE = 100  # CUDA_ERROR_NO_DEVICE


class Library:
    """A few functions of the CUDA driver API; each writes through its pointers and returns a status."""

    def __init__(self, version: int, devices: list[tuple[bytes, int, int, int]]) -> None:
        self.version, self.devices, self.started = version, devices, False

    def cuDriverGetVersion(self, version: Any) -> int:
        version._obj.value = self.version
        return 0

    def cuInit(self, flags: int) -> int:
        assert flags == 0
        self.started = bool(self.devices)
        return 0 if self.devices else INVALID_DEVICE

    def cuDeviceGetCount(self, count: Any) -> int:
        assert self.started, "cuInit comes first"
        count._obj.value = len(self.devices)
        return 0

    def cuDeviceGetName(self, name: Any, size: int, number: int) -> int:
        assert len(name) == size
        name.value = self.devices[number][0]
        return 0

    def cuDeviceTotalMem_v2(self, memory: Any, number: int) -> int:
        assert isinstance(memory._obj, ctypes.c_size_t)
        memory._obj.value = self.devices[number][1]
        return 0

    def cuDeviceGetAttribute(self, value: Any, attribute: int, number: int) -> int:
        value._obj.value = self.devices[number][{75: 2, 76: 3}[attribute]]
        return 0


def load(monkeypatch: pytest.MonkeyPatch, library: Library) -> None:
    monkeypatch.setattr(inventory.ctypes, "CDLL", lambda name: library)


def test_driver_and_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    load(monkeypatch, Library(13_000, [(b"Large GPU", 150_754_820_096, 9, 0), (b"Small GPU", 8 << 30, 12, 1)]))
    assert driver() == Driver(
        "13.0", (Device("Large GPU", 150_754_820_096, "9.0"), Device("Small GPU", 8 << 30, "12.1"))
    )


def test_a_driver_without_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    load(monkeypatch, Library(12_080, []))
    assert driver() == Driver("12.8", ())


def test_no_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise OSError(f"{name}: cannot open shared object file")

    monkeypatch.setattr(inventory.ctypes, "CDLL", missing)
    assert driver() is None


def test_no_backend_where_no_device_can_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inventory, "device_count", lambda: 0)
    assert list(inventory.device_backends()) == []
