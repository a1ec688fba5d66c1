from __future__ import annotations

import errno
from pathlib import Path

import pyarrow as pa
import pytest

from gpucurate.core.errors import StorageError
from gpucurate.store import atomic
from gpucurate.store.artifacts import Artifact, find, read_table, task_key, write_table
from gpucurate.store.atomic import atomic_file, remove_temporaries, write_bytes

TABLE = pa.table({"a": [1, 2, 3]})


@pytest.mark.parametrize("mapped", [False, True])
def test_artifacts_are_found_by_key_and_equal_content_gives_equal_bytes(tmp_path: Path, mapped: bool) -> None:
    key = task_key("stage", 1, {"x": 1}, ["input"])
    one = write_table(tmp_path / "one", "stage", key, TABLE, {"part": "p"}, mapped=mapped)
    two = write_table(tmp_path / "two", "stage", key, TABLE, {"part": "p"}, mapped=mapped)
    assert one.path.name == two.path.name
    assert one.path.read_bytes() == two.path.read_bytes()
    assert find(tmp_path / "one", "stage", key) == one == Artifact.at(one.path)
    assert one.stage == "stage"
    assert read_table(one).equals(TABLE)
    assert find(tmp_path / "one", "stage", task_key("stage", 2, {"x": 1}, ["input"])) is None


def test_labels_that_share_a_beginning_are_told_apart(tmp_path: Path) -> None:
    key = task_key("normalize", 1, {}, [])
    write_table(tmp_path, "normalize.2", key, TABLE, {})
    assert find(tmp_path, "normalize", key) is None


def test_keys_depend_on_everything() -> None:
    base = task_key("s", 1, {"a": 1}, ["i", "j"])
    others = [("t", 1, {"a": 1}, ["i", "j"]), ("s", 2, {"a": 1}, ["i", "j"]), ("s", 1, {"a": 2}, ["i", "j"]),
              ("s", 1, {"a": 1}, ["j", "i"])]  # fmt: skip
    assert base not in {task_key(*other) for other in others}


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    def fails() -> None:
        with atomic_file(tmp_path / "x") as temporary:
            temporary.write_bytes(b"half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fails()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("code", "remedy"), [(errno.ENOSPC, "free some space"), (errno.EACCES, "writable")])
def test_a_refusing_machine_is_a_storage_error_with_a_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, remedy: str
) -> None:
    def refuse(path: Path) -> None:
        raise OSError(code, "refused")

    monkeypatch.setattr(atomic, "sync_file", refuse)
    with pytest.raises(StorageError, match=remedy):
        write_bytes(tmp_path / "x", b"content")
    assert list(tmp_path.iterdir()) == []


def test_leftovers_of_killed_writers_go(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / ".tmp-1-ab-x.parquet").write_bytes(b"half")
    (tmp_path / "parts" / "whole.parquet").write_bytes(b"whole")
    assert remove_temporaries(tmp_path) == 1
    assert [p.name for p in (tmp_path / "parts").iterdir()] == ["whole.parquet"]


def test_a_damaged_artifact_is_named(tmp_path: Path) -> None:
    artifact = write_table(tmp_path, "stage", "k" * 24, TABLE, {})
    artifact.path.write_bytes(artifact.path.read_bytes()[:-7])
    with pytest.raises(StorageError, match="delete that file"):
        read_table(artifact)
