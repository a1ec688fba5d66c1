"""A scheduler that is already there: connect, and look before any work whether its workers can do it.

Driver, scheduler and workers need the same version of this package, and all workers must see the output directory
under the same path: what one task leaves as a file the next one opens.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.metadata
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from gpucurate.core.errors import UserError
from gpucurate.run.executors.cluster import DaskExecutor
from gpucurate.run.executors.resources import CPU, GPU, Workers, slots, start_command
from gpucurate.store.atomic import TEMPORARY, storage_errors

CONNECT_SECONDS = 30.0  # to a scheduler that is started together with the run
JOIN_SECONDS = 60.0  # for workers that are started together with the run
LOOK_SECONDS = 0.5
SHOWN = 3  # workers that a message names
PACKAGE = "gpucurate"


@contextlib.contextmanager
def given_executor(scheduler: str, device: str, root: Path | None) -> Iterator[DaskExecutor]:
    """The executor on a scheduler's workers; `auto` takes the GPUs that they announce when the run begins.

    Raises UserError if the scheduler does not answer, has no workers (with `cuda`: none that announces a GPU), or if
    they have another version of this package or do not see the directory `root`.
    """
    from distributed import Client

    if ":" not in scheduler.rpartition("//")[2]:
        raise UserError(f"--scheduler {scheduler}: expected an address with a port, such as tcp://10.0.0.1:8786")
    try:
        asyncio.run(_ask(scheduler))
        client = Client(scheduler, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise UserError(
            f"no Dask scheduler answers at {scheduler}: {str(error) or 'silence'}. "
            "Remedy: start one with `dask scheduler`, or give the address that it printed"
        ) from error
    with client:
        execute = DaskExecutor(client, device, scheduler)
        _wait(execute.workers, scheduler, GPU if device == "cuda" else None)
        if device == "auto":
            execute.device = "cuda" if slots(execute.workers(), GPU) else "cpu"
        _same_version(client, scheduler)
        if root is not None:
            _same_directory(client, root)
        yield execute


async def _ask(scheduler: str) -> None:
    """Raise where no scheduler listens; the client itself waits without end for whoever listens and says nothing."""
    from distributed import Security
    from distributed.core import rpc

    security = Security().get_connection_args("client")
    async with rpc(scheduler, timeout=CONNECT_SECONDS, connection_args=security) as asked:
        identity = await asyncio.wait_for(asked.identity(), CONNECT_SECONDS)
    if identity["type"] != "Scheduler":
        raise ValueError(f"that is the address of a {identity['type']}")


def _wait(workers: Callable[[], Workers], scheduler: str, resource: str | None) -> None:
    deadline = time.monotonic() + JOIN_SECONDS
    while not slots(workers(), resource):
        if time.monotonic() > deadline:
            lacking = f"no worker with the resource {resource}" if resource else "no workers"
            with_device = "--device cuda: " if resource else ""
            raise UserError(
                f"{with_device}the scheduler at {scheduler} has {lacking}. "
                f"Remedy: start one with `{start_command(scheduler, resource or CPU)}`"
            )
        time.sleep(LOOK_SECONDS)


def _same_version(client: Any, scheduler: str) -> None:
    ours = importlib.metadata.version(PACKAGE)
    theirs = _everywhere(client, importlib.metadata.version, PACKAGE)
    try:
        theirs["the scheduler"] = client.run_on_scheduler(importlib.metadata.version, PACKAGE)  # it unpickles tasks
    except importlib.metadata.PackageNotFoundError as error:
        theirs["the scheduler"] = error
    others = {who: found for who, found in theirs.items() if found != ours}
    if others:
        said = (f"{who} has {found if isinstance(found, str) else 'none'}" for who, found in sorted(others.items()))
        raise UserError(
            f"--scheduler {scheduler}: this command is {PACKAGE} {ours}, but {_first(list(said))}. "
            "Remedy: install the same version for scheduler, workers and this command"
        )


def _same_directory(client: Any, root: Path) -> None:
    """Ask for a file that was not there before, so that neither a namesake elsewhere nor a stale listing says yes."""
    probe = root.absolute() / f"{TEMPORARY}seen-{secrets.token_hex(8)}"
    with storage_errors(probe):
        probe.touch()
    try:
        seen = _everywhere(client, Path.is_file, probe)
    finally:
        probe.unlink(missing_ok=True)
    blind = [who for who, found in seen.items() if found is not True]
    if blind:
        raise UserError(
            f"the output directory {root.absolute()} is not seen by {_first(blind)}. "
            "Remedy: choose an --out on a file system that all workers mount under the same path"
        )


def _everywhere(client: Any, function: Callable[..., Any], *arguments: object) -> dict[str, Any]:
    """What a function of the standard library gives or raises on every worker; they need not have this package."""
    found: Mapping[str, Any] = client.run(function, *arguments, on_error="return")
    return {f"the worker {address}": value for address, value in found.items()}


def _first(whose: list[str]) -> str:
    more = len(whose) - SHOWN
    return ", ".join(sorted(whose)[:SHOWN]) + (f" and {more} more" if more > 0 else "")
