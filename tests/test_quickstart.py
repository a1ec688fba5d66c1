"""The quickstart: its pool is the same everywhere, a run finds what was planted, the check notices anything else."""

import contextlib
import hashlib
import json
import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpucurate.cli.root import root

REPOSITORY = Path(__file__).parent.parent
RECIPE = REPOSITORY / "configs/quickstart.yaml"
POOL, OUT = "quickstart-pool", "quickstart-out"
DIGEST = "7910d707d9af960875225fa6321f5dbe198a2ee3edfecde8acdb4fb71e1026e9"
check: Callable[[Path, Path], int] = runpy.run_path(str(REPOSITORY / "quickstart/check.py"))["main"]


def write_pool(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(REPOSITORY / "quickstart/pool.py"), str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def run_recipe() -> None:
    root.main(["run", str(RECIPE), "--out", OUT, "--inline", "--device", "cpu"], standalone_mode=False)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the pool and a run over it."""
    folder = tmp_path_factory.mktemp("quickstart")
    assert write_pool(folder / POOL).returncode == 0
    with contextlib.chdir(folder):
        run_recipe()
    return folder


def test_the_pool_is_the_same_on_every_machine(finished: Path) -> None:
    files = sorted(path for path in (finished / POOL).rglob("*") if path.is_file())
    digest = hashlib.sha256()
    for path in files:
        digest.update(f"{path.relative_to(finished / POOL).as_posix()}\n".encode())
        digest.update(path.read_bytes())
    assert digest.hexdigest() == DIGEST, "the pool changed: if that was meant, pin its new digest"


def test_the_pool_is_not_written_beside_files_of_others(tmp_path: Path) -> None:
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents/mine.jsonl").write_text('{"text": "mine"}\n')
    done = write_pool(tmp_path)
    assert done.returncode == 2
    assert "mine.jsonl" in done.stderr
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["mine.jsonl"]


def test_everything_planted_is_found(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(finished / POOL, finished / OUT) == 0
    said = capsys.readouterr().out
    assert "Everything that was planted was found" in said
    assert "DIFFERS" not in said


def test_the_run_verifies_and_fills_several_shards(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root.main(["verify", str(finished / OUT)], standalone_mode=False)
    assert "verified" in capsys.readouterr().out
    assert len(list((finished / OUT / "shards").glob("*.npy"))) > 2


def expect_one_more(planted: dict[str, Any]) -> str:
    planted["counts"][0]["documents"] += 1
    return f"{planted['counts'][0]['reason']}: {planted['counts'][0]['documents']} planted"


def expect_it_removed(planted: dict[str, Any]) -> str:
    uri = planted["kept"].pop()
    planted["removed"]["gopher.short"].append(uri)
    return f"{uri}: planted gopher.short, found kept"


def expect_it_kept(planted: dict[str, Any]) -> str:
    uri = planted["removed"]["language.other"].pop()
    planted["kept"].append(uri)
    return f"{uri}: planted kept, found language.other"


def expect_nothing(planted: dict[str, Any]) -> str:
    return f"{planted['kept'].pop(0)}: planted nothing, found kept"


def expect_a_copy(planted: dict[str, Any]) -> str:
    planted["one_of"]["exact_duplicates.copy"].append([planted["kept"].pop(), planted["kept"].pop()])
    return "planted for exact_duplicates.copy, found {'kept': 2}"


def expect_a_near_copy(planted: dict[str, Any]) -> str:
    planted["one_of"]["near_duplicates.copy"].append([planted["kept"].pop(), planted["kept"].pop()])
    return "planted for near_duplicates.copy, found {'kept': 2}"


def expect_a_word_gone(planted: dict[str, Any]) -> str:
    planted["texts"]["gone"].append("in the")
    return "'in the' is left in"


def expect_a_text(planted: dict[str, Any]) -> str:
    planted["texts"]["stay"].append("a text that nobody planted")
    return "'a text that nobody planted' is in no document"


def expect_a_text_once(planted: dict[str, Any]) -> str:
    planted["texts"]["once"].append("lighthouses")
    return "'lighthouses'… is left"


def expect_more_edits(planted: dict[str, Any]) -> str:
    planted["edited"]["pii"] += 1
    return "pii: 7 documents to change, 6 changed"


@pytest.mark.parametrize(
    "change",
    [
        expect_one_more, expect_it_removed, expect_it_kept, expect_nothing, expect_a_copy, expect_a_word_gone,
        expect_a_near_copy, expect_a_text, expect_a_text_once, expect_more_edits,
    ],
)  # fmt: skip
def test_the_check_notices(
    finished: Path, tmp_path: Path, change: Callable[[dict[str, Any]], str], capsys: pytest.CaptureFixture[str]
) -> None:
    planted = json.loads((finished / POOL / "planted.json").read_text(encoding="utf-8"))
    complaint = change(planted)
    (tmp_path / "planted.json").write_text(json.dumps(planted), encoding="utf-8")
    assert check(tmp_path, finished / OUT) == 1
    assert complaint in capsys.readouterr().out


def test_a_document_that_nobody_planted_is_noticed(
    finished: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(finished, tmp_path, dirs_exist_ok=True)
    with (tmp_path / POOL / "documents/part-1.jsonl").open("a") as lines:
        lines.write('{"url": "https://stranger.example/", "text": "This is not what they wrote."}\n')
    with contextlib.chdir(tmp_path):
        run_recipe()
    assert check(tmp_path / POOL, tmp_path / OUT) == 1
    said = capsys.readouterr().out
    assert "https://stranger.example/: planted nothing, found" in said


def test_a_pool_without_its_list_says_what_to_do(finished: Path, tmp_path: Path) -> None:
    command = [sys.executable, str(REPOSITORY / "quickstart/check.py"), str(tmp_path), str(finished / OUT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "Remedy: python quickstart/pool.py" in done.stderr
