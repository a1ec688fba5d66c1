"""Which device is chosen, and what is said where the one asked for is not there."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from gpucurate.core.errors import DeviceError
from gpucurate.device import choice, pick
from gpucurate.device.choice import device_count, resolve


def found(monkeypatch: pytest.MonkeyPatch, package: bool, devices: int | None, cupy: Any = None) -> None:
    """A machine with or without CuPy, and a driver that shows so many devices, or no driver."""

    def count(place: Any) -> int:
        place._obj.value = devices
        return 0

    def load(name: str) -> Any:
        assert name == "libcuda.so.1"
        if devices is None:
            raise OSError(f"{name}: cannot open shared object file")
        return SimpleNamespace(cuInit=lambda flags: 0 if devices else 100, cuDeviceGetCount=count)

    monkeypatch.setattr(choice, "find_spec", lambda name: object() if package else None)
    monkeypatch.setattr(ctypes, "CDLL", load)
    monkeypatch.setitem(sys.modules, "cupy", cupy)


def cupy_that(answer: Callable[[], int]) -> Any:
    return SimpleNamespace(cuda=SimpleNamespace(runtime=SimpleNamespace(getDeviceCount=answer)))


def old_driver() -> int:
    raise RuntimeError("cudaErrorInsufficientDriver: CUDA driver version is insufficient for CUDA runtime version")


LACKING: dict[str, tuple[bool, int | None, Any, str]] = {
    "no package": (False, 2, None, r"'cupy' is not installed\. Remedy: pip install 'gpucurate\[cuda\]'"),
    "no driver": (True, None, None, r"no NVIDIA driver \(libcuda\.so\.1\)\. Remedy: install one"),
    "no device": (True, 0, None, r"shows no device\. Remedy: check nvidia-smi and CUDA_VISIBLE_DEVICES"),
    "broken package": (True, 1, None, r"'cupy' cannot be imported"),
    "old driver": (True, 1, cupy_that(old_driver), r"cudaErrorInsufficientDriver: .*\. Remedy: a newer NVIDIA driver"),
}


@pytest.mark.parametrize("name", LACKING)
def test_without_a_usable_device(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    package, devices, cupy, said = LACKING[name]
    found(monkeypatch, package, devices, cupy)
    assert resolve("auto") == "cpu"
    assert pick("auto").name == "cpu"
    assert device_count() == 0
    with pytest.raises(DeviceError, match=f"device 'cuda' was asked for, but .*{said}.*, or --device cpu$"):
        pick("cuda")


def test_with_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    found(monkeypatch, True, 2, cupy_that(lambda: 2))
    assert resolve("auto") == "cuda"
    assert pick("auto").name == "cuda"
    assert pick("cuda").name == "cuda"
    assert pick("cpu").name == "cpu"
    assert device_count() == 2


def test_the_cpu_asks_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "what_is_lacking", lambda: pytest.fail("asked"))
    assert resolve("cpu") == "cpu"
    assert pick("cpu").name == "cpu"


def test_other_words_are_mistakes() -> None:
    with pytest.raises(ValueError, match="'gpu' is none of auto, cpu, cuda"):
        pick("gpu")


def test_importing_the_choice_is_light() -> None:
    code = "import sys, gpucurate.device.choice, gpucurate.device.cuda; print('cupy' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "False"
