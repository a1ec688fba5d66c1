"""One worker process a GPU of this machine, beside the workers of a local cluster.

They are started by the same command that a user types on a cluster: dask-cuda's worker, which also binds the process
to the cores near its GPU, or Dask's plain one where dask-cuda is not installed.  Pools of device memory and spilling
are the CUDA backend's own affair, so that both kinds of worker behave alike; no option here repeats them.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO

from gpucurate.core.errors import DeviceError
from gpucurate.run.executors.resources import GPU

VISIBLE = "CUDA_VISIBLE_DEVICES"
ORPHAN_SECONDS = 30  # a worker whose driver was killed waits so long for a scheduler, then ends
STOP_SECONDS = 15.0  # from asking a worker to end to ending it
SAID_BYTES = 2000  # the end of a dead worker's output that its message shows


@dataclass(frozen=True, slots=True)
class _Worker:
    """A worker process under way and the file its output goes to."""

    gpu: int
    process: subprocess.Popen[bytes]
    output: IO[bytes]

    def said(self) -> str:
        """The last line of its output."""
        size = self.output.seek(0, os.SEEK_END)
        self.output.seek(max(0, size - SAID_BYTES))
        lines = self.output.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else "it said nothing"


def worker_command(address: str, gpu: int) -> list[str]:
    """The command line of one GPU's worker.

    Dask's limit on host memory is off: it is a share of the machine by cores, which says nothing about a process of
    which there is one a GPU, and whose batches the CUDA backend bounds.
    """
    cuda = ["cuda"] if importlib.util.find_spec("dask_cuda") else []
    options = ["--nthreads", "1", "--resources", f"{GPU}=1", "--name", f"gpu-{gpu}", "--memory-limit", "0"]
    watched = ["--death-timeout", str(ORPHAN_SECONDS), "--no-dashboard"]
    return [sys.executable, "-m", "dask", *cuda, "worker", address, *options, *watched]


def environment(gpu: int) -> dict[str, str]:
    """This process's environment, with only one of the GPUs that it may see itself."""
    listed = [name.strip() for name in os.environ.get(VISIBLE, "").split(",") if name.strip()]
    return {**os.environ, VISIBLE: listed[gpu] if gpu < len(listed) else str(gpu)}


@contextlib.contextmanager
def gpu_workers(address: str, count: int) -> Iterator[Callable[[], None]]:
    """Start one worker a GPU; all are stopped when the block ends.

    Yields a check that raises DeviceError, with the worker's last words, if one of them has ended for good.  (A worker
    that crashed is started again by its own nanny, without a word here.)
    """
    started: list[_Worker] = []
    try:
        for gpu in range(count):
            output = tempfile.TemporaryFile()  # noqa: SIM115 - closed below, with its process
            process = subprocess.Popen(
                worker_command(address, gpu),
                env=environment(gpu),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # a terminal's ctrl-C is for the driver, which then stops its workers
            )
            started.append(_Worker(gpu, process, output))
        yield lambda: _check(started)
    finally:
        _stop(started)


def _check(workers: list[_Worker]) -> None:
    for worker in workers:
        code = worker.process.poll()
        if code is not None:
            raise DeviceError(
                f"the worker of GPU {worker.gpu} ended with exit code {code}: {worker.said()}. "
                "Remedy: mend that and run the same command again, or add --device cpu; finished work is kept"
            )


def _stop(workers: list[_Worker]) -> None:
    for worker in workers:
        worker.process.terminate()
    for worker in workers:
        try:
            worker.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(worker.process.pid, signal.SIGKILL)
            worker.process.wait()
        worker.output.close()
