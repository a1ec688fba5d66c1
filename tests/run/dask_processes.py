"""Real schedulers and workers, as separate processes on loopback."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

DEADLINE_SECONDS = 60.0


@dataclass
class Processes:
    """A scheduler and the workers that were started for it, by name."""

    address: str
    scheduler: subprocess.Popen[bytes]
    workers: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def start(self, name: str, resources: str = "", environment: Mapping[str, str] | None = None) -> None:
        """Start a worker of one thread, without a nanny: what is killed stays dead."""
        options = ["--nthreads", "1", "--no-dashboard", "--no-nanny", "--name", name]
        announced = ["--resources", resources] if resources else []
        self.workers[name] = subprocess.Popen(
            [sys.executable, "-m", "dask", "worker", self.address, *options, *announced],
            env={**os.environ, **(environment or {})},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def kill(self, name: str) -> None:
        self.workers[name].kill()
        self.workers[name].wait()


@contextlib.contextmanager
def dask_processes(workers: Mapping[str, str]) -> Iterator[Processes]:
    """A scheduler with workers, given by name and the resources they announce."""
    from distributed import Client

    with tempfile.TemporaryDirectory() as folder:
        said = Path(folder) / "scheduler.json"  # it chooses a free port and says which
        options = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(said)]
        line = [sys.executable, "-m", "dask", "scheduler", *options]
        scheduler = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        assert until(lambda: said.is_file() and said.read_text().endswith("}"))
        started = Processes(json.loads(said.read_text())["address"], scheduler)
    try:
        for name, resources in workers.items():
            started.start(name, resources)
        with Client(started.address, timeout=DEADLINE_SECONDS, set_as_default=False) as client:
            if workers:
                client.wait_for_workers(len(workers), timeout=DEADLINE_SECONDS)
        yield started
    finally:
        for process in (*started.workers.values(), scheduler):
            process.kill()
        for process in (*started.workers.values(), scheduler):
            process.wait()


def worker_name(_: object) -> str:
    """A task that says on which worker it ran."""
    from distributed import get_worker

    return str(get_worker().name)


def slow_worker_name(_: object) -> str:
    """The same, taking its time."""
    time.sleep(0.2)
    return worker_name(_)


def nap(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def die_once(marker: str) -> str:
    """A task that kills its own worker the first time."""
    path = Path(marker)
    if not path.exists():
        path.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return worker_name(None)


def die(_: object) -> None:
    """A task that kills every worker it meets."""
    os.kill(os.getpid(), signal.SIGKILL)


def until(condition: Any, *arguments: Any) -> bool:
    """Wait until something is so; False if it never was."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while time.monotonic() < deadline:
        if condition(*arguments):
            return True
        time.sleep(0.05)
    return False


def names(results: Sequence[tuple[int, str]]) -> set[str]:
    return {name for _, name in results}
