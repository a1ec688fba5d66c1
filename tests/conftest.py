"""Fixtures that several rooms share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("gpucurate", deadline=None)  # the first example compiles kernels; tests are not timed
settings.load_profile("gpucurate")


@pytest.fixture(scope="session")
def real_data() -> Path:
    """Real inputs that do not belong to the project; tests that need them skip, saying so, where they are missing."""
    root = Path(os.environ.get("GPUCURATE_DATA") or Path(__file__).parents[2] / "shared" / "data")
    if not root.is_dir():
        pytest.skip(f"no real inputs at {root}; set GPUCURATE_DATA to their folder")
    return root
