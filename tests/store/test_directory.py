from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gpucurate.core.errors import UserError
from gpucurate.store.directory import describe_changes, locked, open_directory, prepare_directory

RECIPE = {"name": "wiki", "steps": [{"language": {"threshold": 0.65}}]}


def test_a_directory_is_reopened_and_changes_are_named(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert prepare_directory(out, RECIPE, "1")[1] == []
    changed = {"name": "wiki", "steps": [{"language": {"threshold": 0.8}}]}
    assert prepare_directory(out, changed, "1")[1] == ["steps.0.language.threshold: 0.65 → 0.8"]
    assert open_directory(out)[1]["recipe"] == changed


def test_foreign_directories_are_refused(tmp_path: Path) -> None:
    prepare_directory(tmp_path / "out", RECIPE, "1")
    with pytest.raises(UserError, match=r"recipe 'wiki', this recipe is 'crawl'"):
        prepare_directory(tmp_path / "out", {"name": "crawl"}, "1")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").write_text("")
    with pytest.raises(UserError, match="not empty"):
        prepare_directory(tmp_path / "full", RECIPE, "1")
    with pytest.raises(UserError, match="is a file"):
        prepare_directory(tmp_path / "full" / "thesis.tex", RECIPE, "1")
    with pytest.raises(UserError, match="not an output directory"):
        open_directory(tmp_path / "full")


def test_other_formats_are_refused(tmp_path: Path) -> None:
    (tmp_path / "gpucurate.json").write_text('{"format": 99, "recipe": {"name": "wiki"}}')
    with pytest.raises(UserError, match="format 99"):
        open_directory(tmp_path)


def test_a_second_run_is_kept_out_and_told_who_is_in(tmp_path: Path) -> None:
    held = (
        "import sys; from pathlib import Path; from gpucurate.store.directory import locked\n"
        f"with locked(Path({str(tmp_path)!r})): print('in', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", held], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "in\n"
        with pytest.raises(UserError, match=f"process {holder.pid} on"), locked(tmp_path):
            pass
        holder.kill()
        holder.wait()
    with locked(tmp_path):
        pass


def test_changes_between_unlike_shapes() -> None:
    assert describe_changes({"a": [1]}, {"a": [1, 2], "b": None}) == ["a: [1] → [1, 2]"]
