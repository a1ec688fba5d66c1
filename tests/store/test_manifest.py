from __future__ import annotations

from pathlib import Path

import pytest

from gpucurate.store.manifest import MANIFEST, Entry, Manifest


def entry(path: str) -> Entry:
    return Entry("stage", "key", "part", path, "digest", 3, 100, ("input",), 1.5)


def test_entries_survive_and_are_not_repeated(tmp_path: Path) -> None:
    Manifest(tmp_path).add([entry("a"), entry("b")])
    manifest = Manifest(tmp_path)
    manifest.add([entry("a"), entry("c")])
    assert [e.path for e in Manifest(tmp_path)] == ["a", "b", "c"]
    assert Manifest(tmp_path).at("c") == entry("c")


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_a_torn_last_line_is_ignored_and_written_again(tmp_path: Path, cut: int) -> None:
    Manifest(tmp_path).add([entry("a"), entry("b")])
    path = tmp_path / MANIFEST
    path.write_bytes(path.read_bytes()[:-cut])
    manifest = Manifest(tmp_path)
    assert "a" in [e.path for e in manifest]
    manifest.add([entry("b"), entry("c")])
    assert {e.path for e in Manifest(tmp_path)} == {"a", "b", "c"}
