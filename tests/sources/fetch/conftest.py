"""What every test of fetching needs: a watch that writes down, and waits that do not wait."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from gpucurate.sources.fetch.download import Item
from gpucurate.sources.fetch.pacing import Pacing
from gpucurate.sources.fetch.queue import FetchQueue


class Diary:
    """A watch that remembers."""

    def __init__(self) -> None:
        self.begun: list[int] = []
        self.waits: list[tuple[float, str]] = []
        self.ends: list[tuple[str, str | None]] = []
        self.received = 0

    def begin(self, item: Item, done: int, size: int | None) -> None:
        self.begun.append(done)

    def advance(self, item: Item, count: int) -> None:
        self.received += count

    def wait(self, item: Item, seconds: float, reason: str) -> None:
        self.waits.append((seconds, reason))

    def end(self, item: Item, failure: str | None) -> None:
        self.ends.append((item.name, failure))


class Impatient(Pacing):
    """Keeps the books of real pacing, but does not sleep."""

    def __init__(self) -> None:
        super().__init__(random.Random(0))
        self.slept: list[float] = []

    def wait(self, seconds: float) -> None:
        self.slept.append(seconds)


@pytest.fixture
def diary() -> Diary:
    return Diary()


@pytest.fixture
def queue(tmp_path: Path, diary: Diary) -> FetchQueue:
    return FetchQueue(tmp_path / "out", diary, pacing=Impatient())
