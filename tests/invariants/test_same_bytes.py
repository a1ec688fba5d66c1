"""The same inputs and recipe give the same bytes: any workers, any order, any interruption, anywhere on disk."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpucurate.recipe.load import parse_recipe
from gpucurate.run import driver
from gpucurate.run.driver import Cluster, run
from gpucurate.run.executors import InlineExecutor
from gpucurate.run.progress import PlainProgress
from gpucurate.run.vocabulary import VOCABULARY
from gpucurate.store.manifest import MANIFEST

from .corpus import digests, recipe, write_corpus


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """The corpus, and what an undisturbed inline run makes of it."""
    root = tmp_path_factory.mktemp("reference")
    write_corpus(root / "corpus")
    run_inline(root / "corpus", root / "out")
    return root / "corpus", digests(root / "out")


def run_inline(corpus: Path, out: Path) -> None:
    run(parse_recipe(recipe(corpus / "*.jsonl"), VOCABULARY), out, Cluster(inline=True), "cpu", PlainProgress())


def command(corpus: Path, out: Path, *options: str) -> list[str]:
    path = out.parent / "recipe.yaml"
    path.write_text(yaml.safe_dump(recipe(corpus / "*.jsonl")))
    return [
        sys.executable,
        "-c",
        "from gpucurate.cli import main; main()",
        "run",
        str(path),
        "--out",
        str(out),
        *options,
    ]


def test_something_of_everything_happens(reference: tuple[Path, dict[str, str]]) -> None:
    names = {Path(name).name.split("@")[0] for name in reference[1]}
    assert {
        "documents",
        "quarantine",
        "normalize",
        "normalize.spans",
        "rules",
        "exact_duplicates",
        "near_duplicates.similar",
        "near_duplicates",
        "repeated_spans.spans",
        "decontaminate.findings",
        "pii.spans",
        "pii.findings",
        "pii.restricted",
        "tokens",
        "decisions",
    } <= names
    assert sum(name.endswith(".npy") for name in reference[1]) > 3
    assert not names & {"near_duplicates.bands", "near_duplicates.sets"}  # only needed on the way


@pytest.mark.parametrize("workers", [1, 2])
def test_any_number_of_workers(reference: tuple[Path, dict[str, str]], tmp_path: Path, workers: int) -> None:
    subprocess.run(command(reference[0], tmp_path / "out", "--workers", str(workers)), check=True, capture_output=True)
    assert digests(tmp_path / "out") == reference[1]


def test_any_place_on_disk(reference: tuple[Path, dict[str, str]], tmp_path: Path) -> None:
    shutil.copytree(reference[0], tmp_path / "elsewhere" / "deeper")
    run_inline(tmp_path / "elsewhere" / "deeper", tmp_path / "out")
    assert digests(tmp_path / "out") == reference[1]


def test_any_order_of_tasks(
    reference: tuple[Path, dict[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Shuffled(InlineExecutor):
        def unordered(
            self, function: Callable[[Any], Any], items: Sequence[Any], device: bool = False
        ) -> Iterator[tuple[int, Any]]:
            numbers = list(range(len(items)))
            random.Random(7).shuffle(numbers)
            for number in numbers:
                yield number, function(items[number])

    class Entered:
        def __enter__(self) -> Shuffled:
            return Shuffled()

        def __exit__(self, *_: object) -> None: ...

    monkeypatch.setattr(driver, "executor", lambda **_: Entered())
    run_inline(reference[0], tmp_path / "out")
    assert digests(tmp_path / "out") == reference[1]


def test_files_added_later_rename_nothing_that_was_read(reference: tuple[Path, dict[str, str]], tmp_path: Path) -> None:
    shutil.copytree(reference[0], tmp_path / "corpus")
    (tmp_path / "corpus" / "part-0.jsonl").rename(tmp_path / "later.jsonl")
    run_inline(tmp_path / "corpus", tmp_path / "out")
    (tmp_path / "later.jsonl").rename(tmp_path / "corpus" / "part-0.jsonl")
    run_inline(tmp_path / "corpus", tmp_path / "out")
    found = digests(tmp_path / "out")
    assert {name: found.get(name) for name in reference[1]} == reference[1]


@pytest.mark.parametrize("lines", [1, 4, 8, 14, 20])
def test_kill_nine_and_resume(reference: tuple[Path, dict[str, str]], tmp_path: Path, lines: int) -> None:
    """Killed when the manifest has so many lines, then run again: the same bytes, and nothing half-written."""

    def reached(out: Path) -> bool:
        return (out / MANIFEST).exists() and (out / MANIFEST).read_bytes().count(b"\n") >= lines

    kill_and_resume(reference, tmp_path / "out", reached)


@pytest.mark.parametrize("stage", ["signatures", "bands", "pairs", "sets", "similar", "clusters", "unmet", "choice"])
def test_kill_nine_while_near_duplicates_are_found(
    reference: tuple[Path, dict[str, str]], tmp_path: Path, stage: str
) -> None:
    """Killed when the first file of a stage is there."""

    def reached(out: Path) -> bool:
        return any(out.glob(f"parts/*/near_duplicates.{stage}@*")) or any(out.glob(f"corpus/near_duplicates.{stage}@*"))

    kill_and_resume(reference, tmp_path / "out", reached)


def test_kill_nine_while_texts_are_edited(reference: tuple[Path, dict[str, str]], tmp_path: Path) -> None:
    """Killed three times in a row, each time in a later editing step, before the run that ends."""
    out = tmp_path / "out"
    for stage in ("repeated_spans.spans", "decontaminate.matches", "pii.restricted"):
        kill(command(reference[0], out, "--inline"), lambda stage=stage: any(out.glob(f"parts/*/{stage}@*")))
        assert not (out / "report" / "state.json").exists()
    run_inline(reference[0], out)
    assert digests(out) == reference[1]
    assert not list(out.rglob(".tmp-*"))


def kill_and_resume(reference: tuple[Path, dict[str, str]], out: Path, reached: Callable[[Path], bool]) -> None:
    kill(command(reference[0], out, "--inline"), lambda: reached(out))
    run_inline(reference[0], out)
    assert digests(out) == reference[1]
    assert not list(out.rglob(".tmp-*"))


def kill(started: list[str], reached: Callable[[], bool]) -> None:
    """Start a command and kill its whole process group once something is reached."""
    with subprocess.Popen(
        started, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True
    ) as process:
        deadline = time.monotonic() + 120
        while process.poll() is None and time.monotonic() < deadline:
            if reached():
                os.killpg(process.pid, signal.SIGKILL)
                break
            time.sleep(0.002)
        process.wait()


def kill_one_worker(driver_pid: int) -> bool:
    tasks = Path(f"/proc/{driver_pid}/task").iterdir()
    children = [child for task in tasks for child in (task / "children").read_text().split()]
    workers = [int(c) for c in children if b"spawn_main" in Path(f"/proc/{c}/cmdline").read_bytes()]
    for worker in workers[:1]:
        os.kill(worker, signal.SIGKILL)
    return bool(workers)


def test_a_killed_worker_costs_a_retry_not_the_run(reference: tuple[Path, dict[str, str]], tmp_path: Path) -> None:
    out = tmp_path / "out"
    with subprocess.Popen(
        command(reference[0], out, "--workers", "2"), stderr=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        deadline = time.monotonic() + 120
        while not (out / "units").is_dir() and time.monotonic() < deadline and process.poll() is None:
            time.sleep(0.01)
        killed = kill_one_worker(process.pid)
        _, said = process.communicate(timeout=200)
    assert killed
    assert process.returncode == 0, said.decode()
    assert digests(out) == reference[1]
