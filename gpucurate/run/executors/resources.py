"""Which workers a task may run on, by the resources that workers announce to their scheduler.

Workers of one scheduler may differ: some have cores for extraction, some a GPU.  They say so with Dask's abstract
resources, `--resources CPU=1` and `--resources GPU=1`; the names are a convention of this project.  Workers that
announce nothing do everything.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

CPU = "CPU"
GPU = "GPU"
Workers = Mapping[str, Mapping[str, Any]]  # what the scheduler says of each worker, by address


def resource_for(workers: Workers, on_gpu: bool) -> str | None:
    """The resource a task asks for: `GPU`, else `CPU` where a worker announces it, else None.

    A task for the GPU asks for one whoever is there now; others stay off workers that are there for GPUs only.
    """
    if on_gpu:
        return GPU
    return CPU if slots(workers, CPU) else None


def slots(workers: Workers, resource: str | None) -> int:
    """How many tasks that ask for one of a resource can run at the same time."""
    return sum(_slots(worker, resource) for worker in workers.values())


def _slots(worker: Mapping[str, Any], resource: str | None) -> int:
    threads = int(worker["nthreads"])
    return threads if resource is None else min(threads, int(worker["resources"].get(resource, 0)))


def stuck(worker: Mapping[str, Any]) -> bool:
    """True if a worker takes no tasks, being short of memory, and has none whose end would give memory back."""
    return bool(worker["status"] == "paused" and not worker["metrics"].get("task_counts", {}).get("executing"))


def start_command(address: str, resource: str | None) -> str:
    """What a user types to start such a worker, as messages and docs show it."""
    if resource == GPU:
        return f"dask cuda worker {address} --resources GPU=1"
    return f"dask worker {address} --nworkers -1 --nthreads 1 --resources CPU=1"
