from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpucurate.core.errors import RecipeError, UserError
from gpucurate.recipe.load import parse_recipe
from gpucurate.run.driver import Cluster, run
from gpucurate.run.executors import executor
from gpucurate.run.progress import PlainProgress
from gpucurate.run.vocabulary import VOCABULARY
from tests.invariants.corpus import digests, recipe, write_corpus


def square(number: int) -> int:
    return number * number


def refuse(number: int) -> int:
    if number == 3:
        raise RecipeError("three is not allowed")
    return number


def count_and_refuse(path: str) -> None:
    with Path(path).open("a") as calls:
        calls.write("x")
    raise RecipeError("no")


@contextlib.contextmanager
def dask_scheduler(workers: int) -> Iterator[str]:
    """A real scheduler and real workers, as separate processes on loopback."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{probe.getsockname()[1]}"
    scheduler = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", address, "--no-dashboard"]
    worker = [
        sys.executable,
        "-m",
        "distributed.cli.dask_worker",
        f"tcp://{address}",
        "--nthreads",
        "1",
        "--no-dashboard",
    ]
    with contextlib.ExitStack() as stack:
        for line in [scheduler, *[worker] * workers]:
            process = stack.enter_context(subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
            stack.callback(process.terminate)
        yield f"tcp://{address}"


def test_inline_gives_results_in_order() -> None:
    with executor(inline=True, workers=None, scheduler=None) as execute:
        assert list(execute.unordered(square, [3, 4])) == [(0, 9), (1, 16)]


def test_local_cluster_gives_every_result_once_and_passes_errors_on() -> None:
    with executor(inline=False, workers=2, scheduler=None) as execute:
        assert execute.workers == 2
        assert sorted(execute.unordered(square, list(range(20)))) == [(n, n * n) for n in range(20)]
        assert list(execute.unordered(square, [])) == []
        with pytest.raises(RecipeError, match="three"):
            list(execute.unordered(refuse, list(range(6))))


def test_errors_made_on_purpose_are_not_tried_again(tmp_path: Path) -> None:
    with executor(inline=False, workers=1, scheduler=None) as execute, pytest.raises(RecipeError):
        list(execute.unordered(count_and_refuse, [str(tmp_path / "calls")]))
    assert (tmp_path / "calls").read_text() == "x"


def test_no_scheduler_at_the_address() -> None:
    with (
        pytest.raises(UserError, match="no Dask scheduler answers at tcp://"),
        executor(inline=False, workers=None, scheduler="tcp://127.0.0.1:9"),
    ):
        pass


def test_a_scheduler_needs_a_port() -> None:
    with pytest.raises(UserError, match="with a port"), executor(inline=False, workers=None, scheduler="10.0.0.1"):
        pass


def test_a_run_on_a_real_scheduler_with_two_workers(tmp_path: Path) -> None:
    write_corpus(tmp_path / "corpus")
    parsed = parse_recipe(recipe(tmp_path / "corpus" / "*.jsonl"), VOCABULARY)
    run(parsed, tmp_path / "inline", Cluster(inline=True), "cpu", PlainProgress())
    with dask_scheduler(2) as address:
        run(parsed, tmp_path / "remote", Cluster(scheduler=address), "cpu", PlainProgress())
    assert digests(tmp_path / "remote") == digests(tmp_path / "inline")
