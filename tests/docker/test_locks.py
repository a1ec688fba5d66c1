"""The lock files: digests for everything, agreeing with the project and each other, nothing of this machine in them."""

from __future__ import annotations

import re
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from gpucurate.report.doctor.versions import read_pins

ROOT = Path(__file__).parents[2]
DOCKER = ROOT / "docker"
LOCKS = sorted(DOCKER.glob("*.lock"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = {"cpu": ["html", "wikitext-reference", "fast-tokens", "hub", "remote"], "cuda-py311": [], "cuda-py312": []}
for cuda in ("cuda-py311", "cuda-py312"):
    EXTRAS[cuda] = [*EXTRAS["cpu"], "cuda", "cudf", "nemo"]


def pins(name: str) -> dict[str, str]:
    return {package: pin for package, (pin, _) in read_pins((DOCKER / f"{name}.lock").read_text()).items()}


def test_locks() -> None:
    assert [lock.stem for lock in LOCKS] == ["build", "cpu", "cuda-py311", "cuda-py312", "models"]


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
def test_a_lock_is_digests_and_nothing_of_the_machine_that_made_it(lock: Path) -> None:
    text = lock.read_text()
    entries = re.split(r"\n(?=[a-z0-9])", text)[1:]
    assert len(entries) == len(read_pins(text))
    assert all(re.search(r"--hash=sha256:[0-9a-f]{64}", entry) for entry in entries)
    assert not re.search(r"https?:|file:|--(extra-)?index|--find-links|(?<![\w.-])/\w", text)


@pytest.mark.parametrize("name", sorted(EXTRAS))
def test_a_lock_holds_what_the_project_asks_for(name: str) -> None:
    held = pins(name)
    wanted = [*PROJECT["dependencies"]]
    for extra in EXTRAS[name]:
        wanted += [line for line in PROJECT["optional-dependencies"][extra] if not line.startswith("gpucurate")]
    for requirement in map(Requirement, wanted):
        key = requirement.name.lower().replace("_", "-")
        assert key in held, f"{requirement} is not in {name}.lock. Remedy: docker/lock.sh"
        assert requirement.specifier.contains(held[key]), f"{requirement}, but {name}.lock has {held[key]}"


@pytest.mark.parametrize("name", ["cuda-py311", "cuda-py312"])
def test_the_cuda_locks_hold_the_set_that_goes_together(name: str) -> None:
    held = pins(name)
    inputs = [line for line in (DOCKER / "cuda.in").read_text().splitlines() if line and line[0] != "#"]
    assert len(inputs) > 10
    for package, _, version in (line.partition("==") for line in inputs):
        assert fnmatch(held[package.split("[")[0]], version)
    rapids = {package: pin for package, pin in held.items() if package.endswith("-cu13") and pin.startswith("26.")}
    assert {pin[:5] for pin in rapids.values()} == {"26.8."}
    assert {"cudf-cu13", "rmm-cu13", "pylibcugraph-cu13", "rapidsmpf-cu13", "raft-dask-cu13"} <= set(rapids)
    assert not [package for package in held if package.endswith(("-cu12", "-cuda12x"))]


def test_workers_of_both_images_have_the_same_versions() -> None:
    cpu, cuda = pins("cpu"), pins("cuda-py312")
    assert {"dask", "distributed", "numpy", "pyarrow", "numba", "tokenizers"} <= set(cpu) & set(cuda)
    assert {package: pin for package, pin in cpu.items() if package in cuda and cuda[package] != pin} == {}


def test_only_carriers_come_without_their_dependencies() -> None:
    carriers = [line.split(">=")[0] for line in (ROOT / "requirements-models.txt").read_text().splitlines()]
    assert set(pins("models")) == {line for line in carriers if not line.startswith("#")}
