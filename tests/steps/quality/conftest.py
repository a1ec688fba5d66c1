from __future__ import annotations

from pathlib import Path

import pytest

from .models import write_fasttext, write_regressor


@pytest.fixture(scope="session")
def regressor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_regressor(tmp_path_factory.mktemp("regressor"))


@pytest.fixture(scope="session")
def other_regressor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_regressor(tmp_path_factory.mktemp("other"), seed=1)


@pytest.fixture(scope="session")
def fasttext_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_fasttext(tmp_path_factory.mktemp("fasttext"))
