"""The examination as a whole, its two forms, and what it says of devices."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from gpucurate.core.errors import DeviceError
from gpucurate.device.cpu import CpuBackend
from gpucurate.device.golden import EXPECTED
from gpucurate.device.inventory import Device, Driver
from gpucurate.report.doctor import Check, State, devices, examine
from gpucurate.report.doctor.devices import device_checks
from tests.cli.test_commands import call

TEXT = {"type": "string"}
SCHEMA = {  # what scripts may rely on; adding to it is free, changing it is not
    "type": "object",
    "required": ["gpucurate", "healthy", "environment", "driver", "checks"],
    "additionalProperties": False,
    "properties": {
        "gpucurate": TEXT,
        "healthy": {"type": "boolean"},
        "environment": {
            "type": "object",
            "required": ["digest", "versions"],
            "properties": {
                "digest": {"type": "string", "pattern": "^[0-9a-f]{16}$"},
                "versions": {"type": "object", "required": ["python", "numpy"], "additionalProperties": TEXT},
            },
        },
        "driver": {
            "type": ["object", "null"],
            "required": ["cuda", "devices"],
            "properties": {
                "cuda": TEXT,
                "devices": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["name", "memory", "capability"],
                        "properties": {"name": TEXT, "memory": {"type": "integer"}, "capability": TEXT},
                    },
                },
            },
        },
        "checks": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["name", "state", "said", "remedy"],
                "additionalProperties": False,
                "properties": {
                    "name": TEXT,
                    "state": {"enum": ["ok", "absent", "failed"]},
                    "said": {"type": "string", "minLength": 1},
                    "remedy": TEXT,
                },
            },
        },
    },
}
TWO_GPUS = Driver("13.0", (Device("Some GPU", 80 << 30, "9.0"), Device("Some GPU", 80 << 30, "9.0")))


class Wrong(CpuBackend):
    """A backend one of whose verbs is off by one bit in one value."""

    def __init__(self, verb: str) -> None:
        self.verb = verb

    def __getattribute__(self, name: str) -> Any:
        honest = super().__getattribute__(name)
        if name not in EXPECTED or name != super().__getattribute__("verb"):
            return honest

        def changed(*arguments: Any) -> Any:
            given = honest(*arguments)
            array = (given if isinstance(given, np.ndarray) else given[0]).copy()
            array.view(np.uint8).reshape(-1)[-1] ^= 1
            return array if isinstance(given, np.ndarray) else type(given)(array, *given[1:])

        return changed


class Failing(CpuBackend):
    def band_keys(self, *_: Any) -> Any:
        raise DeviceError("the CUDA device failed: out of memory. Remedy: --device cpu")


@pytest.fixture
def two_gpus(monkeypatch: pytest.MonkeyPatch) -> Driver:
    """A machine with two GPUs, the second of which computes wrongly."""

    def backends() -> Iterator[CpuBackend]:
        yield CpuBackend()
        yield Wrong("signatures")

    monkeypatch.setattr(devices, "what_is_lacking", lambda: None)
    monkeypatch.setattr(devices, "device_backends", backends)
    return TWO_GPUS


def test_json_is_the_contract(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("GPUCURATE_LOCK", raising=False)
    assert call(monkeypatch, "doctor", "--json", "--out", tmp_path / "out", "--device", "cpu") == 0
    found = json.loads(capsys.readouterr().out)
    jsonschema.validate(found, SCHEMA)
    assert found["healthy"]
    states = {check["name"]: check["state"] for check in found["checks"]}
    assert len(states) == len(found["checks"]), "names are unique"
    assert states["golden cpu"] == states["disk"] == states["memory"] == "ok"
    assert states["lock"] == "absent"
    assert list(tmp_path.iterdir()) == [], "nothing is left behind"


def test_a_failed_check_is_exit_code_1_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "lock").write_text("numpy==0.0.1\n")
    (tmp_path / "file").touch()
    options = ("--lock", tmp_path / "lock", "--out", tmp_path / "file" / "out", "--device", "cpu")
    assert call(monkeypatch, "doctor", *options) == 1
    shown = capsys.readouterr()
    assert "2 checks failed: disk, lock" in shown.err
    failed = [line for line in shown.out.splitlines() if line.startswith("✗")]
    assert ["disk" in line or "lock" in line for line in failed] == [True, True]
    assert all("Remedy: " in line for line in failed)


def test_a_lock_that_is_not_there_is_a_mistake_in_the_arguments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch, "doctor", "--lock", tmp_path / "none.lock") == 2
    assert "none.lock" in capsys.readouterr().err


def test_form_for_machines_with_gpus(two_gpus: Driver, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("gpucurate.report.doctor.examination.driver", lambda: two_gpus)
    examination = examine(out=tmp_path, lock=None, device="auto")
    data = json.loads(json.dumps(examination.data()))
    jsonschema.validate(data, SCHEMA)
    assert data["driver"]["devices"][1] == {"name": "Some GPU", "memory": 80 << 30, "capability": "9.0"}
    assert not data["healthy"]
    assert "golden gpu 1" in examination.failed()


@pytest.mark.parametrize("verb", sorted(EXPECTED))
def test_one_wrong_bit_is_found_and_its_verb_named_alone(verb: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "CpuBackend", lambda: Wrong(verb))
    (check,) = device_checks("cpu", None)
    assert check == Check("golden cpu", State.FAILED, f"wrong results of {verb}", check.remedy)
    assert check.remedy


def test_every_gpu_is_tried(two_gpus: Driver) -> None:
    _, gpu, first, second = device_checks("auto", two_gpus)
    assert gpu.said == "driver for CUDA 13.0: Some GPU, 80 GiB, sm_90; Some GPU, 80 GiB, sm_90"
    assert (first.name, first.state) == ("golden gpu 0", State.OK)
    assert (second.name, second.said) == ("golden gpu 1", "wrong results of signatures")


def test_a_device_that_fails_is_said_with_its_remedy(two_gpus: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "device_backends", lambda: iter([Failing()]))
    last = list(device_checks("cuda", two_gpus))[-1]
    assert last.state == State.FAILED
    assert last.said == "the CUDA device failed: out of memory"
    assert last.remedy == "--device cpu"


@pytest.mark.parametrize(("device", "state"), [("auto", State.ABSENT), ("cuda", State.FAILED)])
def test_no_gpu_is_a_failure_only_where_one_must_be(device: str, state: State, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "what_is_lacking", lambda: "there is no NVIDIA driver. Remedy: install one")
    cpu, gpu = device_checks(device, None)
    assert cpu.state == State.OK
    assert gpu == Check("gpu", state, "there is no NVIDIA driver", "install one")
