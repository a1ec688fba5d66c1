"""The house's arrows point one way: a room imports only rooms below it, and heavy packages only where they belong."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "gpucurate"
FLOORS = [
    {"core"},
    {"recipe", "store", "device"},
    {"sources", "steps", "tokens"},
    {"run"},
    {"report", "classifier"},
    {"cli"},
]
FLOOR = {room: height for height, rooms in enumerate(FLOORS) for room in rooms}
MODULES = sorted(path for path in ROOT.rglob("*.py") if path.parent != ROOT)
ONLY_IN = {
    "dask": "run",
    "distributed": "run",
    "cudf": "device",
    "cupy": "device",
    "rmm": "device",
    "pylibcudf": "device",
    "nemo_curator": "steps",
    "ray": "steps",
}
WHERE_MODELS_ARE = {"steps", "classifier"}
MODELS = {"torch", "transformers", "accelerate"}


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(ROOT)))
def test_arrows_point_down(path: Path) -> None:
    room = path.relative_to(ROOT).parts[0]
    for name in imports(path):
        if name.startswith("gpucurate."):
            other = name.split(".")[1]
            assert other == room or FLOOR[other] < FLOOR[room], f"{room} imports {name}"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(ROOT)))
def test_heavy_packages_stay_in_their_room(path: Path) -> None:
    room = path.relative_to(ROOT).parts[0]
    for name in imports(path):
        assert ONLY_IN.get(name.split(".")[0], room) == room, f"{room} imports {name}"
        assert name.split(".")[0] not in MODELS or room in WHERE_MODELS_ARE, f"{room} imports {name}"


def test_importing_the_package_is_light() -> None:
    heavy = "numba", "pyarrow", "numpy", "dask", "pydantic", "torch", "cupy"
    code = f"import gpucurate, sys; print([m for m in {heavy!r} if m in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


def test_public_names_exist() -> None:
    import gpucurate

    assert gpucurate.__all__ == ["__version__", "open_shards"]
    assert all(hasattr(gpucurate, name) for name in gpucurate.__all__)
