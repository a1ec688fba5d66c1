"""What is missing is said before any text is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpucurate.core.errors import DeviceError, MissingExtra, UserError
from gpucurate.steps.near_duplicates.nemo import installed, nemo_groups
from tests.steps.near_duplicates.nemo_cases import tables


def absent(name: str) -> str:
    raise installed.PackageNotFoundError(name)


def test_without_nemo_the_install_line_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installed, "version", absent)
    with pytest.raises(
        MissingExtra, match=r"engine 'nemo' needs the package 'nemo-curator'.*pip install 'gpucurate\[nemo\]'"
    ):
        nemo_groups(tables(["a"]), 24, 14, 8, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_without_a_part_of_rapids_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installed, "version", lambda _: "1.4.0")
    monkeypatch.setattr(installed, "find_spec", lambda name: None if name == "rapidsmpf" else name)
    with pytest.raises(MissingExtra, match="'rapidsmpf'"):
        installed.require_nemo()


def test_another_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installed, "version", lambda _: "1.5.0")
    with pytest.raises(UserError, match=r"1\.4\.\*, but 1\.5\.0 is installed"):
        installed.require_nemo()


def test_without_a_gpu_the_device_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installed, "version", lambda _: "1.4.0")
    monkeypatch.setattr(installed, "find_spec", lambda name: name)
    monkeypatch.setattr(installed, "what_is_lacking", lambda: "there is no driver. Remedy: another machine")
    with pytest.raises(DeviceError, match="needs a GPU, but there is no driver"):
        installed.require_nemo()


def test_with_all_there_the_version_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installed, "version", lambda _: "1.4.0")
    monkeypatch.setattr(installed, "find_spec", lambda name: name)
    monkeypatch.setattr(installed, "what_is_lacking", lambda: None)
    assert installed.require_nemo() == "1.4.0"
