"""Every kernel compiles to machine code of every GPU that NVRTC knows, without spilling a register."""

from __future__ import annotations

import pytest

from gpucurate.device.cuda.engine import Kernel
from gpucurate.device.cuda.sources import FOLDER, options
from tests.parity import nvrtc
from tests.parity.register_table import settings, table

pytestmark = pytest.mark.skipif(nvrtc.library() is None, reason="no NVRTC; pip install nvidia-cuda-nvrtc")

BUDGET = 128  # registers a thread: four blocks of 128 threads fill the 65,536 of a processor
FIRST = 80  # A100: what came before has no HBM2e and is not asked for
SETTINGS = list(settings())


@pytest.mark.parametrize(("setting", "kernel"), SETTINGS, ids=[name for name, _ in SETTINGS])
def test_kernels_compile_within_their_registers(setting: str, kernel: Kernel) -> None:
    architectures = [each for each in nvrtc.architectures() if each >= FIRST]
    assert {80, 90, 100, 120} <= set(architectures)
    for architecture in architectures:
        for name, needs in nvrtc.compiled(kernel, architecture).items():
            told = f"{name} ({setting}) on sm_{architecture}: {needs}"
            assert needs.spilled == 0, told
            assert needs.stack == 0, told
            assert 0 < needs.registers <= BUDGET, told


def test_every_kernel_is_there() -> None:
    found = {name for _, kernel in settings() for name in nvrtc.compiled(kernel, 90)}
    said = {name for _, kernel in settings() for name in [kernel.name]}
    assert said <= found
    assert {kernel.file for _, kernel in settings()} == {path.name for path in FOLDER.glob("*.cu")}


def test_spilling_is_seen() -> None:
    """By a kernel that must: 200 values at places that are not known before."""
    text = (FOLDER / "types.cuh").read_text().replace("#pragma once", "")
    text += """KERNEL greedy(u32* p) {
        u32 x[200], sum = 0;
        for (int i = 0; i < 200; ++i) x[i] = p[i];
        for (int k = 0; k < 99; ++k) for (int i = 0; i < 200; ++i) x[i] = x[i] * x[(i + p[k]) % 200] + k;
        for (int i = 0; i < 200; ++i) sum ^= x[i];
        p[0] = sum;
    }"""
    needs = nvrtc.resources(text, options(Kernel("", "")), 90)["greedy"]
    assert needs.spilled + needs.stack > 0


def test_a_mistake_is_told() -> None:
    with pytest.raises(RuntimeError, match="error"):
        nvrtc.resources("no such language", (), 90)


def test_register_table() -> None:
    """Printed, for docs/gpu.md."""
    made = table()
    print(made)
    assert "!" not in made
    assert made.count("\n") > 10
