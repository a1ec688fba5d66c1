"""These tests need RAPIDS and NeMo Curator, but no GPU; without them they skip, saying so.

In an environment with the extra `nemo`: `python -m pytest tests/rapids`.
"""

from __future__ import annotations

from importlib.util import find_spec

import pytest

NEEDED = ("nemo_curator", "cudf", "cudf_streaming", "pylibcugraph", "raft_dask", "rapidsmpf")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    absent = [package for package in NEEDED if find_spec(package) is None]
    for item in items:
        if "rapids" not in item.path.parts:
            continue
        if absent:
            item.add_marker(pytest.mark.skip(reason=f"needs the extra 'nemo' (absent: {', '.join(absent)})"))
        item.add_marker(pytest.mark.filterwarnings("default"))  # theirs are not ours to fix
        item.add_marker(pytest.mark.timeout(900))  # a pipeline under Ray took six minutes on a busy machine
