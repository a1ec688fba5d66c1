"""Everything in this folder needs a CUDA device and CuPy, and says so where there is none.

python -m pytest -m gpu tests/gpu -rP
"""

from __future__ import annotations

from pathlib import Path

import pytest

from gpucurate.device.choice import what_is_lacking
from gpucurate.device.cuda import CudaBackend
from gpucurate.device.cuda.cupy_engine import CupyEngine

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.gpu)


@pytest.fixture(scope="session")
def engine() -> CupyEngine:
    lacking = what_is_lacking()
    if lacking is not None:
        pytest.skip(f"no usable CUDA device: {lacking}")
    return CupyEngine()


@pytest.fixture(scope="session")
def cuda(engine: CupyEngine) -> CudaBackend:
    return CudaBackend(engine)
