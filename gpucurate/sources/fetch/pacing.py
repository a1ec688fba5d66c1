"""Waiting: how long after which failure, and that one server's wish to be left alone holds for all downloads from it.

Delays grow exponentially with jitter; a `Retry-After` from the server is kept to the second.
"""

from __future__ import annotations

import random
import threading
import time

ATTEMPTS = 8  # in a row without progress, before a file is given up
FIRST_DELAY = 1.0  # seconds, doubled after each attempt
LONGEST_DELAY = 60.0
LONGEST_ASKED = 900.0  # a server that wants longer than this is asked again another day


class Stopped(Exception):
    """The user or a failing disk ended the fetch while this download was under way."""


class Pacing:
    """Shared by the downloads of one fetch.  `jitter` is seeded in tests, and `stop` wakes everyone who waits."""

    def __init__(self, jitter: random.Random | None = None) -> None:
        self.stop = threading.Event()
        self._jitter = jitter or random.Random()
        self._lock = threading.Lock()
        self._closed_until = 0.0  # on the monotonic clock

    def delay(self, attempt: int, asked: float | None) -> float:
        """Seconds to wait after failure number `attempt` (from 0); `asked` is the server's own wish."""
        grown: float = min(FIRST_DELAY * 2**attempt, LONGEST_DELAY)
        with self._lock:
            if asked is not None:
                self._closed_until = max(self._closed_until, time.monotonic() + asked)
            return max(asked or 0.0, grown * self._jitter.uniform(0.5, 1.0))

    def wait(self, seconds: float) -> None:
        """Sleep.  Raises Stopped if the fetch ends meanwhile."""
        if self.stop.wait(seconds):
            raise Stopped

    def wait_for_turn(self) -> None:
        """Sleep until no server wish stands against the next request."""
        with self._lock:
            seconds = self._closed_until - time.monotonic()
        self.wait(max(seconds, 0.0))
