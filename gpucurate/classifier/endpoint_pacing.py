"""When to ask an endpoint: not faster than the rate, not before a wish to wait has passed, later after each failure.

Delays grow exponentially with jitter; a `Retry-After` is kept, and holds for everyone who asks the same endpoint.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

ATTEMPTS = 8  # in a row for one request, before the endpoint counts as gone
FIRST_DELAY = 1.0  # seconds, doubled after each attempt
LONGEST_DELAY = 60.0
LONGEST_ASKED = 900.0  # a server that wants longer than this is asked another day


class Pacing:
    """Shared by all requests of one command; `rate` is requests a minute, None for no limit."""

    def __init__(self, rate: float | None = None, first_delay: float = FIRST_DELAY) -> None:
        self._interval = 60 / rate if rate else 0.0
        self._first_delay = first_delay
        self._next = 0.0  # on the monotonic clock: when the next request may go
        self._closed_until = 0.0
        self._jitter = random.Random()

    async def turn(self) -> None:
        """Wait until a request may go."""
        now = time.monotonic()
        slot = max(now, self._next)
        self._next = slot + self._interval
        await asyncio.sleep(slot - now)
        while (closed := self._closed_until - time.monotonic()) > 0:  # others may have been asked to wait meanwhile
            await asyncio.sleep(closed)

    async def wait(self, attempt: int, asked: float | None) -> None:
        """Wait after failure number `attempt` (from 0); `asked` is the server's own wish in seconds."""
        if asked is not None:
            self._closed_until = max(self._closed_until, time.monotonic() + asked)
        grown = min(self._first_delay * 2**attempt, LONGEST_DELAY) * self._jitter.uniform(0.5, 1.0)
        await asyncio.sleep(max(asked or 0.0, grown))


def asked_to_wait(headers: Mapping[str, str]) -> float | None:
    """Seconds of a `Retry-After` (a number or a date: RFC 9110, section 10.2.3); None without one that can be read."""
    said = headers.get("retry-after")
    if said is None:
        return None
    try:
        return max(float(said), 0.0)
    except ValueError:
        pass
    try:
        moment = parsedate_to_datetime(said)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max((moment - datetime.now(UTC)).total_seconds(), 0.0)
