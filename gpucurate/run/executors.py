"""Where tasks run: in this process, on a local Dask cluster, or on a scheduler that is already there.

The only module that imports Dask.  A task is a module-level function and plain data; results come back in any order,
and at most a few tasks a worker are under way, so that memory stays bounded by part size times workers.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from multiprocessing import resource_tracker
from typing import Any, Protocol, TypeVar

from gpucurate.core.errors import GpucurateError, StorageError, UserError

Item = TypeVar("Item")
Result = TypeVar("Result")
TASKS_PER_WORKER = 2  # one running, one waiting
BY_TERMINAL = (signal.SIGINT, signal.SIGHUP)
RETRIES = 2  # a worker that was killed costs a retry, not the run


class Executor(Protocol):
    """Runs a function over items."""

    workers: int

    def unordered(
        self, function: Callable[[Item], Result], items: Sequence[Item], device: bool = False
    ) -> Iterator[tuple[int, Result]]:
        """Results as they come, each with the number of its item.  The first error ends it.

        `device`: the tasks use the backend's kernels.
        """
        ...


class InlineExecutor:
    """One task after another in this process; for debugging and small runs."""

    workers = 1

    def unordered(
        self, function: Callable[[Item], Result], items: Sequence[Item], device: bool = False
    ) -> Iterator[tuple[int, Result]]:
        """See `Executor`."""
        for number, item in enumerate(items):
            yield number, function(item)


class DaskExecutor:
    """Tasks on a Dask cluster."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.workers = max(1, sum(int(w["nthreads"]) for w in client.scheduler_info(n_workers=-1)["workers"].values()))

    def unordered(
        self, function: Callable[[Item], Result], items: Sequence[Item], device: bool = False
    ) -> Iterator[tuple[int, Result]]:
        """See `Executor`."""
        from distributed import KilledWorker, as_completed

        attempt = partial(_attempt, function)

        numbered = iter(enumerate(items))
        numbers: dict[Any, int] = {}

        def submit(number: int, item: Item) -> Any:
            future = self._client.submit(attempt, item, pure=False, retries=RETRIES)
            numbers[future] = number
            return future

        first = [submit(n, item) for n, item in itertools.islice(numbered, self.workers * TASKS_PER_WORKER)]
        pending = as_completed(first, loop=self._client.loop)
        for future in pending:
            number = numbers.pop(future)
            try:
                result = future.result()
            except KilledWorker as error:
                raise StorageError(
                    f"workers died {RETRIES + 1} times on {items[number]!r}; the machine may lack memory. "
                    "Remedy: run again with fewer --workers, or with --inline to see the cause"
                ) from error
            if isinstance(result, GpucurateError):
                raise result
            yield number, result
            for following in itertools.islice(numbered, 1):
                pending.add(submit(*following))


def _attempt(function: Callable[[Item], Result], item: Item) -> Result | GpucurateError:
    """Errors made on purpose come back as values: trying again would not help, and Dask would log a traceback."""
    try:
        return function(item)
    except GpucurateError as error:
        return error


@contextlib.contextmanager
def executor(*, inline: bool, workers: int | None, scheduler: str | None) -> Iterator[Executor]:
    """The executor the command line asked for; a local cluster is closed when the block ends.

    Raises UserError if a scheduler address does not answer.
    """
    if inline:
        yield InlineExecutor()
        return
    import dask
    from distributed import Client, LocalCluster

    with dask.config.set({"distributed.scheduler.allowed-failures": RETRIES}):
        if scheduler:
            if ":" not in scheduler.rpartition("//")[2]:
                raise UserError(
                    f"--scheduler {scheduler}: expected an address with a port, such as tcp://10.0.0.1:8786"
                )
            try:
                client = Client(scheduler, timeout="10s", set_as_default=False)
            except (OSError, TimeoutError, ValueError) as error:
                raise UserError(f"no Dask scheduler answers at {scheduler}: {error}") from error
            with client:
                if not client.scheduler_info(n_workers=-1)["workers"]:
                    client.wait_for_workers(1, timeout=60)
                yield DaskExecutor(client)
            return
        with _signals_wait():
            cluster = LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                dashboard_address=":0",
                silence_logs=logging.CRITICAL,  # a task's error comes back to the driver, which says it once
            )
        with cluster, Client(cluster, set_as_default=False) as client:
            yield DaskExecutor(client)


@contextlib.contextmanager
def _signals_wait() -> Iterator[None]:
    """Hold back signals that ask to stop: a cluster cannot be closed before it has started.

    A terminal sends ctrl-C and its own end to workers too, before they can handle them; workers inherit the mask, and
    their driver stops them.  SIGTERM must still end a worker, so only this process waits with it.
    """
    if threading.current_thread() is not threading.main_thread():  # signals never come here
        yield
        return
    resource_tracker.ensure_running()  # started later it would unblock them in the thread that starts workers
    received: list[int] = []
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, BY_TERMINAL)
    handler = signal.signal(signal.SIGTERM, lambda number, _: received.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    if received:
        signal.raise_signal(received[0])
