"""Signals that ask to stop, while a cluster is starting."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from multiprocessing import resource_tracker

BY_TERMINAL = (signal.SIGINT, signal.SIGHUP)


@contextlib.contextmanager
def signals_wait() -> Iterator[None]:
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
