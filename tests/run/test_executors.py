from __future__ import annotations

from pathlib import Path

import pytest

from gpucurate.core.errors import ClusterError, RecipeError, UserError
from gpucurate.run.executors import executor
from gpucurate.run.executors.cluster import DaskExecutor, _attempt
from tests.run.dask_processes import die, die_once, nap, until


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


def test_inline_gives_results_in_order() -> None:
    with executor(inline=True, workers=None, scheduler=None) as execute:
        assert execute.device == "cpu"
        assert list(execute.unordered(square, [3, 4], device=True)) == [(0, 9), (1, 16)]


def test_local_cluster_gives_every_result_once_and_passes_errors_on() -> None:
    with executor(inline=False, workers=2, scheduler=None) as execute:
        for device in (False, True):
            assert sorted(execute.unordered(square, list(range(20)), device)) == [(n, n * n) for n in range(20)]
        assert list(execute.unordered(square, [])) == []
        with pytest.raises(RecipeError, match="three"):
            list(execute.unordered(refuse, list(range(6))))


def tasks_known(execute: DaskExecutor) -> int:
    return int(execute._client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)))


def test_an_error_takes_back_what_waits() -> None:
    with executor(inline=False, workers=1, scheduler=None) as execute:
        assert isinstance(execute, DaskExecutor)
        results = execute.unordered(nap, [0.0, 0.5, 30.0, 31.0])
        assert next(results) == (0, 0.0)
        results.close()  # type: ignore[attr-defined]
        assert until(lambda: tasks_known(execute) == 0)


def test_errors_made_on_purpose_are_not_tried_again(tmp_path: Path) -> None:
    with executor(inline=False, workers=1, scheduler=None) as execute, pytest.raises(RecipeError):
        list(execute.unordered(count_and_refuse, [str(tmp_path / "calls")]))
    assert (tmp_path / "calls").read_text() == "x"


def test_a_task_that_kills_its_workers_is_named_and_one_that_did_it_once_is_not(tmp_path: Path) -> None:
    with executor(inline=False, workers=1, scheduler=None) as execute:
        assert list(execute.unordered(die_once, [str(tmp_path / "marker")])) == [(0, "0")]
        with pytest.raises(ClusterError, match=r"'the task'.*fewer --workers"):
            list(execute.unordered(die, ["the task"]))


def test_a_worker_of_another_version_that_came_late_is_told() -> None:
    told = _attempt("0.0.1", square, 3)
    assert isinstance(told, UserError)
    assert "this command 0.0.1" in str(told)
