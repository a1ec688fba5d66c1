"""The benchmark runs on the device and its figures are printed; how fast is never a test."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from gpucurate.device.cuda.cupy_engine import CupyEngine

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "gpu_signatures.py"


def test_the_benchmark_runs(engine: CupyEngine) -> None:
    command = [sys.executable, str(SCRIPT), "--megabytes", "300", "--rounds", "3"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280)
    print(done.stdout)
    assert done.returncode == 0, done.stderr
    for row in ("count_words", "write_words", "short_shingles", "signature", "CPU, one core", "GPU, from host memory"):
        assert f"| {row} |" in done.stdout
