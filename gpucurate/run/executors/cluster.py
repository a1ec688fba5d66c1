"""Tasks on a Dask cluster, whoever started it: a few a worker under way, and a look at the workers now and then.

Workers may come, go and die meanwhile.  Dask runs a dead worker's tasks elsewhere; what it does not do by itself is to
tell that nobody is left who could, so this module does.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any

from gpucurate import __version__
from gpucurate.core.errors import ClusterError, GpucurateError, UserError
from gpucurate.run.executors.contract import Item, Result
from gpucurate.run.executors.resources import GPU, Workers, resource_for, slots, start_command, stuck

TASKS_PER_WORKER = 2  # one running, one waiting
RETRIES = 2  # a worker that was killed costs a retry, not the run
LOOK_SECONDS = 5.0  # between two looks at the workers; of a thousand workers a look is a few megabytes
PATIENCE_SECONDS = 120.0  # for a restarted or queued worker to appear where none of its kind is left


class DaskExecutor:
    """Tasks on the workers of a client's scheduler."""

    def __init__(self, client: Any, device: str, address: str | None = None, alive: Callable[[], None] = lambda: None):
        """`address`: of a scheduler that is not ours.  `alive` raises what it knows of workers that died for good."""
        self.device = device
        self._client = client
        self._address = address
        self._alive = alive

    def unordered(
        self, function: Callable[[Item], Result], items: Sequence[Item], device: bool = False
    ) -> Iterator[tuple[int, Result]]:
        """See `Executor`.

        Raises ClusterError if workers die on one task again and again, if no worker that could run the tasks is
        there for `PATIENCE_SECONDS`, or if the scheduler is gone.
        """
        if not items:
            return
        watch = _Watch(self, device and self.device == "cuda")
        attempt = partial(_attempt, __version__, function)
        numbered = iter(enumerate(items))
        under_way: dict[Any, int] = {}
        ended: SimpleQueue[Any] = SimpleQueue()
        try:
            while True:
                for number, item in itertools.islice(numbered, max(0, watch.room() - len(under_way))):
                    future = self._submit(attempt, item, watch.resource)
                    under_way[future] = number
                    future.add_done_callback(ended.put)
                if not under_way:
                    return
                try:
                    future = ended.get(timeout=LOOK_SECONDS)
                except Empty:
                    continue  # to look at the workers
                number = under_way.pop(future)
                yield number, self._result(future, items[number], watch.resource)
        finally:
            for future in under_way:  # after an error nobody wants the rest
                future.release()

    def workers(self) -> Workers:
        """What the scheduler says of its workers now.  Raises ClusterError if it does not answer."""
        self._alive()
        workers: Workers = self._client.scheduler_info(n_workers=-1)["workers"]  # the last known ones if it is gone
        if self._client.status != "running":
            raise self._gone()
        return workers

    def nobody(self, resource: str | None) -> ClusterError:
        """No worker of a kind is left."""
        kind = f"no worker with the resource {resource}" if resource else "no worker"
        remedy = "run the same command again, with fewer --workers if the machine may lack memory"
        if self._address:
            remedy = f"start one with `{start_command(self._address, resource)}` and run the same command again"
        if resource == GPU:
            remedy += "; --device cpu gives the same result without a GPU"
        return ClusterError(
            f"{kind} could take a task for {PATIENCE_SECONDS:.0f} s: none is left, or those that are have too little "
            f"memory. Remedy: {remedy}; finished work is kept"
        )

    def _submit(self, attempt: Callable[[Item], object], item: Item, resource: str | None) -> Any:
        from distributed.client import ClosedClientError

        resources = None if resource is None else {resource: 1}
        try:
            return self._client.submit(attempt, item, pure=False, retries=RETRIES, resources=resources)
        except ClosedClientError as error:
            raise self._gone() from error

    def _result(self, future: Any, item: object, resource: str | None) -> Any:
        from distributed import KilledWorker

        try:
            result = future.result()
        except KilledWorker as error:
            how = "with more memory for its workers" if self._address or resource == GPU else "with fewer --workers"
            raise ClusterError(
                f"workers died again and again on {item!r}; the machine may lack memory. "
                f"Remedy: run again {how}, or with --inline to see the cause"
            ) from error
        except CancelledError as error:
            raise self._gone() from error
        if isinstance(result, GpucurateError):
            raise result
        return result

    def _gone(self) -> ClusterError:
        which = f"the scheduler at {self._address}" if self._address else "this run's own scheduler"
        return ClusterError(f"{which} is gone. Remedy: run the same command again once it is back; it resumes")


class _Watch:
    """What a stage knows of the workers it may use: how many tasks they take, and since when there were none."""

    def __init__(self, execute: DaskExecutor, on_gpu: bool) -> None:
        workers = execute.workers()
        self.resource = resource_for(workers, on_gpu)
        self._execute = execute
        self._seen = self._there = time.monotonic()
        self._slots = slots(workers, self.resource)

    def room(self) -> int:
        """How many tasks may be under way; looks again where the last look was long ago."""
        now = time.monotonic()
        if now - self._seen >= LOOK_SECONDS:
            self._seen = now
            workers = self._execute.workers()
            self._slots = slots(workers, self.resource)
            if slots({address: w for address, w in workers.items() if not stuck(w)}, self.resource):
                self._there = now
            elif now - self._there >= PATIENCE_SECONDS:
                raise self._execute.nobody(self.resource)
        return max(1, self._slots) * TASKS_PER_WORKER


def _attempt(version: str, function: Callable[[Item], Result], item: Item) -> Result | GpucurateError:
    """Errors made on purpose come back as values: trying again would not help, and Dask would log a traceback."""
    if version != __version__:  # a worker that came after the run had looked at all of them
        return UserError(
            f"a worker has gpucurate {__version__}, this command {version}. Remedy: install the same version on both"
        )
    try:
        return function(item)
    except GpucurateError as error:
        return error
