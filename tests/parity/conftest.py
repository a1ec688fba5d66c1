"""The kernels compiled for the host, once a session."""

from __future__ import annotations

import pytest

from tests.parity.host_engine import Shims, compiler


@pytest.fixture(scope="session")
def shims(tmp_path_factory: pytest.TempPathFactory) -> Shims:
    if compiler() is None:
        pytest.skip("no C++ compiler (g++ or clang++) to run the CUDA kernels on the host")
    return Shims(tmp_path_factory.mktemp("kernels"))
