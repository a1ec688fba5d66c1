"""The environment that manifest entries carry a digest of."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpucurate.run import entries
from gpucurate.run.entries import PACKAGES, environment, environment_digest

# What runs tasks, moves bytes, reads recipes or prints: none of it touches a value.
WITHOUT_INFLUENCE = {
    *("click", "rich", "pydantic", "pyyaml", "dask", "distributed", "dask-cuda"),
    *("fsspec", "huggingface_hub", "s3fs", "gcsfs", "aiohttp"),
    *("accelerate", "openai", "matplotlib"),  # train, ask a judge, draw: not part of a run
}


@pytest.fixture
def fresh() -> Iterator[None]:
    """No remembered environment before and after."""
    for remembered in (environment, environment_digest):
        remembered.cache_clear()
    yield
    for remembered in (environment, environment_digest):
        remembered.cache_clear()


def test_every_dependency_is_named_or_known_to_have_no_influence() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    lines = [*project["dependencies"]]
    for extra, wanted in project["optional-dependencies"].items():
        lines += wanted if extra not in ("all", "test") else []
    declared = {re.split(r"[>=\[; ]", line)[0] for line in lines} - {"gpucurate"}
    assert declared - WITHOUT_INFLUENCE - set(PACKAGES) == set()
    assert not (WITHOUT_INFLUENCE - {"dask-cuda"}) & set(PACKAGES)
    assert {"llvmlite", "numba", "nvidia-cuda-nvrtc"} <= set(PACKAGES), "what compiles kernels, though not asked for"


@pytest.mark.usefixtures("fresh")
def test_another_version_is_another_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    before = environment_digest()
    environment.cache_clear()
    environment_digest.cache_clear()
    real = entries.version
    monkeypatch.setattr(entries, "version", lambda name: "0.0.1" if name == "numpy" else real(name))
    assert environment()["numpy"] == "0.0.1"
    assert environment_digest() != before
    assert re.fullmatch("[0-9a-f]{16}", before)
