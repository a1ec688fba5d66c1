"""Workers that come late, die, or go for good; a scheduler that goes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gpucurate.core.errors import ClusterError
from gpucurate.run.executors import cluster, executor, given
from tests.run.dask_processes import Processes, dask_processes, nap, slow_worker_name


@pytest.fixture
def processes() -> Iterator[Processes]:
    with dask_processes({"core": "CPU=1", "card": "GPU=1"}) as started:
        yield started


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "LOOK_SECONDS", 0.2)
    monkeypatch.setattr(cluster, "PATIENCE_SECONDS", 1.0)


def test_the_only_gpu_worker_dies_and_the_message_says_what_to_start(processes: Processes) -> None:
    with executor(inline=False, workers=None, scheduler=processes.address, device="cuda") as execute:
        results = execute.unordered(nap, [0.0, 0.1, 0.1, 0.1, 0.1], device=True)
        next(results)
        processes.kill("card")
        remedy = f"GPU.*`dask cuda worker {processes.address} --resources GPU=1`.*--device cpu"
        with pytest.raises(ClusterError, match=remedy):
            list(results)
        assert len(list(execute.unordered(nap, [0.0, 0.0]))) == 2  # tasks for cores go on


def test_no_worker_at_all_is_left(processes: Processes) -> None:
    with executor(inline=False, workers=None, scheduler=processes.address, device="cpu") as execute:
        results = execute.unordered(nap, [0.0, 0.1, 0.1])
        next(results)
        processes.kill("core")
        processes.kill("card")
        with pytest.raises(ClusterError, match=f"CPU.*`dask worker {processes.address}"):
            list(results)


def test_another_worker_takes_over_and_a_late_one_gets_tasks(
    processes: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "PATIENCE_SECONDS", 60.0)
    with executor(inline=False, workers=None, scheduler=processes.address, device="cuda") as execute:
        results = execute.unordered(slow_worker_name, list(range(12)), device=True)
        found = [next(results)]
        processes.kill("card")
        processes.start("other", "GPU=1")
        processes.start("third", "GPU=1")
        found += results
    assert sorted(number for number, _ in found) == list(range(12))
    assert {name for _, name in found[1:]} <= {"card", "other", "third"}
    assert len({name for _, name in found}) >= 2


def test_more_tasks_are_under_way_once_workers_joined(processes: Processes) -> None:
    with executor(inline=False, workers=None, scheduler=processes.address, device="cuda") as execute:
        assert isinstance(execute, cluster.DaskExecutor)
        watch = cluster._Watch(execute, True)
        assert watch.room() == 2
        processes.start("second", "GPU=1")
        execute._client.wait_for_workers(3, timeout=60)
        watch._seen -= 1.0
        assert watch.room() == 4


def test_the_scheduler_goes(processes: Processes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(given, "CONNECT_SECONDS", 5.0)
    with executor(inline=False, workers=None, scheduler=processes.address, device="auto") as execute:
        results = execute.unordered(nap, [0.0, 20.0])
        next(results)
        processes.scheduler.kill()
        processes.scheduler.wait()
        with pytest.raises(ClusterError, match=f"the scheduler at {processes.address} is gone"):
            list(results)
        with pytest.raises(ClusterError, match="is gone"):
            list(execute.unordered(nap, [0.0]))
