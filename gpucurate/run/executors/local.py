"""A cluster on this machine for the time of a run: a scheduler in this process, workers in processes of their own."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from typing import Any

from gpucurate.run.executors.cluster import RETRIES, DaskExecutor
from gpucurate.run.executors.gpu_workers import gpu_workers
from gpucurate.run.executors.resources import CPU
from gpucurate.run.executors.signals import signals_wait

SETTLE_SECONDS = 10.0  # a worker starts in about one second, on busy cores in a few


@contextlib.contextmanager
def local_executor(workers: int | None, gpus: int) -> Iterator[DaskExecutor]:
    """`workers` processes of one thread (None: one a core), and with GPUs one more for each; closed with the block.

    Cores and GPUs get workers of their own, so that extraction never waits behind a GPU and the other way around.
    """
    import dask
    from distributed import Client, LocalCluster  # before the option below is set: it brings the defaults of all others

    with contextlib.ExitStack() as stack:
        stack.enter_context(dask.config.set({"distributed.scheduler.allowed-failures": RETRIES}))
        with signals_wait():
            cluster = stack.enter_context(
                LocalCluster(
                    n_workers=workers,
                    threads_per_worker=1,
                    processes=True,
                    dashboard_address=":0",
                    silence_logs=logging.CRITICAL,  # a task's error comes back to the driver, which says it once
                    resources={CPU: 1} if gpus else None,
                )
            )
            alive = stack.enter_context(gpu_workers(cluster.scheduler_address, gpus))
        client = stack.enter_context(Client(cluster, set_as_default=False))
        stack.callback(_settle, cluster, client)
        yield DaskExecutor(client, "cuda" if gpus else "cpu", alive=alive)


def _settle(cluster: Any, client: Any) -> None:
    """Lets workers that are just being started anew come up, since closing a cluster before they have fails.

    A nanny told to close while its process has no pid yet raises AssertionError (distributed 2026.7), which would hide
    why the run ended.
    """
    if client.status == "running":
        with contextlib.suppress(TimeoutError):  # one that never comes up is closed as it is
            client.wait_for_workers(len(cluster.workers), timeout=SETTLE_SECONDS)
