"""No kernel reads or writes outside its arrays, or relies on undefined arithmetic."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.parity.host_engine import compiler


def sanitizer() -> Path:
    """The library to preload, as a dynamically sanitized object needs it in an ordinary Python."""
    if compiler() is None:
        pytest.skip("no C++ compiler (g++ or clang++) to run the CUDA kernels on the host")
    command = [str(compiler()), "-print-file-name=libasan.so"]
    path = Path(subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip())
    if not path.is_absolute() or not path.exists():
        pytest.skip("the C++ compiler has no libasan.so to preload")
    return path.resolve()


def sanitized(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "LD_PRELOAD": str(sanitizer()), "ASAN_OPTIONS": "detect_leaks=0"}
    command = [sys.executable, "-m", "tests.parity.sanitized", str(folder), *arguments]
    root = Path(__file__).parents[2]
    return subprocess.run(command, env=environment, cwd=root, capture_output=True, text=True, timeout=250)


def test_nothing_outside_is_touched(tmp_path: Path) -> None:
    done = sanitized(tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout == "nothing found\n"


def test_it_would_be_found(tmp_path: Path) -> None:
    done = sanitized(tmp_path, "broken")
    assert done.returncode != 0
    assert "heap-buffer-overflow" in done.stderr
    assert "band_keys" in done.stderr
