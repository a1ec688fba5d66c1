from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from gpucurate.core.compiled import UNCOUNTED, borrowing, kernel

CALLEE = "from gpucurate.core.compiled import kernel\n@kernel\ndef callee(x: int) -> int:\n    return x + {step}\n"
CALLER = (
    "from gpucurate.core.compiled import kernel\nfrom room.callee import callee\n"
    "@kernel\ndef caller(x: int) -> int:\n    return callee(x)\n"
    "print(caller(1), len(caller.stats.cache_hits))\n"
)


def run_caller(folder: Path) -> str:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), str(Path(__file__).parents[2])])}
    environment.pop("NUMBA_CACHE_DIR", None)
    command = [sys.executable, "-c", "import room.caller"]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip()


def test_a_changed_neighbour_is_compiled_in_and_an_unchanged_one_comes_from_the_cache(tmp_path: Path) -> None:
    room = tmp_path / "room"
    room.mkdir()
    (room / "__init__.py").write_text("")
    (room / "caller.py").write_text(CALLER)
    (room / "callee.py").write_text(CALLEE.format(step=1))
    assert run_caller(tmp_path) == "2 0"
    assert run_caller(tmp_path) == "2 1"
    (room / "callee.py").write_text(CALLEE.format(step=10))
    assert run_caller(tmp_path) == "11 0"


def test_a_changed_kernel_of_another_folder_is_compiled_in(tmp_path: Path) -> None:
    for name in ("room", "cellar"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("")
    (tmp_path / "room" / "caller.py").write_text(CALLER.replace("room.callee", "cellar.callee"))
    (tmp_path / "cellar" / "callee.py").write_text(CALLEE.format(step=1))
    assert [run_caller(tmp_path), run_caller(tmp_path)] == ["2 0", "2 1"]
    (tmp_path / "cellar" / "callee.py").write_text(CALLEE.format(step=10))
    assert run_caller(tmp_path) == "11 0"


class Pair(NamedTuple):
    first: NDArray[np.int64]
    second: NDArray[np.int64]


@borrowing
def add(pair: Pair, k: int) -> None:
    row = pair.second[k]
    row[:] = 0
    row[1] = pair.first[k] + 1


@kernel
def add_all(n: int) -> Pair:
    pair = Pair(np.arange(n), np.ones((n, 3), np.int64))
    for k in range(n):
        add(pair, k)
    return pair


def test_a_borrowing_kernel_counts_no_references() -> None:
    pair = add_all(3)
    assert pair.second.tolist() == [[0, 1, 0], [0, 2, 0], [0, 3, 0]]
    if hasattr(add, "py_func"):  # absent under NUMBA_DISABLE_JIT
        fresh = njit(**UNCOUNTED)(add.py_func)  # what comes from the cache shows no code
        fresh(pair, 0)
        (code,) = fresh.inspect_asm().values()
        assert "NRT_incref" not in code
