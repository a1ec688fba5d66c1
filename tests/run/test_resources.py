from __future__ import annotations

from typing import Any

import pytest

from gpucurate.run.executors.resources import CPU, GPU, resource_for, slots, start_command, stuck


def worker(threads: int = 1, **resources: float) -> dict[str, Any]:
    return {"nthreads": threads, "resources": resources, "status": "running", "metrics": {}}


PLAIN = {"a": worker(4), "b": worker(2)}
CORES = {"a": worker(CPU=1), "b": worker(CPU=1)}
MIXED = {"a": worker(CPU=1), "b": worker(GPU=1), "c": worker(CPU=1)}
ONLY_GPU = {"a": worker(GPU=1)}


@pytest.mark.parametrize(
    ("workers", "on_gpu", "expected"),
    [
        (PLAIN, False, None),
        (PLAIN, True, GPU),  # waits for one, and says so if none comes
        (CORES, False, CPU),
        (CORES, True, GPU),
        (MIXED, False, CPU),
        (MIXED, True, GPU),
        (ONLY_GPU, False, None),
        (ONLY_GPU, True, GPU),
        ({}, False, None),
        ({"a": worker(CPU=0)}, False, None),
    ],
)
def test_what_a_task_asks_for(workers: dict[str, Any], on_gpu: bool, expected: str | None) -> None:
    assert resource_for(workers, on_gpu) == expected


def test_slots_are_bounded_by_threads_and_by_what_is_announced() -> None:
    workers = {"a": worker(8, CPU=4), "b": worker(2, CPU=4, GPU=1), "c": worker(3)}
    assert slots(workers, None) == 13
    assert slots(workers, CPU) == 4 + 2
    assert slots(workers, GPU) == 1
    assert slots({}, None) == 0


def test_a_paused_worker_is_stuck_unless_a_task_is_running_on_it() -> None:
    paused = {**worker(), "status": "paused"}
    assert stuck(paused)
    assert not stuck({**paused, "metrics": {"task_counts": {"executing": 1}}})
    assert not stuck(worker())


def test_commands_name_the_resource() -> None:
    assert start_command("tcp://h:1", GPU) == "dask cuda worker tcp://h:1 --resources GPU=1"
    assert "--resources CPU=1" in start_command("tcp://h:1", CPU)
