"""The executor that the command line asked for."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from gpucurate.run.executors.contract import Executor, InlineExecutor
from gpucurate.run.executors.given import given_executor
from gpucurate.run.executors.local import local_executor


@contextlib.contextmanager
def executor(
    *, inline: bool, workers: int | None, scheduler: str | None, device: str = "cpu", root: Path | None = None
) -> Iterator[Executor]:
    """An executor for the time of the block.

    `device` is `auto`, `cpu` or `cuda`: with a GPU, workers for it are started beside those for the cores, or asked
    for where the scheduler is given.  `root` is the output directory, which the workers of a given scheduler must see.

    Raises UserError if a given scheduler does not answer or its workers do not fit the run, and DeviceError if `cuda`
    was asked for on this machine and there is no GPU.
    """
    from gpucurate.device.choice import resolve

    if inline:
        yield InlineExecutor(resolve(device))
        return
    chosen = given_executor(scheduler, device, root) if scheduler else local_executor(workers, _gpus(device))
    with chosen as execute:
        yield execute


def _gpus(device: str) -> int:
    from gpucurate.device.choice import device_count, resolve

    return device_count() if resolve(device) == "cuda" else 0
