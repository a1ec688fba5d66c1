"""Saying what goes on: bars on a terminal, plain lines elsewhere; always on standard error."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from typing import Protocol

QUIET_SECONDS = 10.0  # between two plain lines of one stage


class Stage(Protocol):
    """One stage under way."""

    def advance(self, documents: int) -> None:
        """One task is done, it saw this many documents (0 where a task is not about documents)."""
        ...


class Progress(Protocol):
    """What the driver tells about itself."""

    def say(self, line: str) -> None:
        """A line of its own."""
        ...

    def stage(self, name: str, tasks: int) -> contextlib.AbstractContextManager[Stage]:
        """A stage of so many tasks."""
        ...


class _PlainStage:
    def __init__(self, name: str, tasks: int) -> None:
        self._name, self._tasks, self._done, self._documents = name, tasks, 0, 0
        self._started = self._said = time.monotonic()

    def advance(self, documents: int) -> None:
        self._done += 1
        self._documents += documents
        now = time.monotonic()
        if now - self._said >= QUIET_SECONDS:
            self._said = now
            _line(self._standing())

    def finish(self) -> None:
        _line(f"{self._standing()}, {time.monotonic() - self._started:.1f} s")

    def _standing(self) -> str:
        documents = f", {self._documents:,} documents" if self._documents else ""
        return f"{self._name}: {self._done} of {self._tasks} tasks{documents}"


class PlainProgress:
    """Lines for logs."""

    def say(self, line: str) -> None:
        """Print it."""
        _line(line)

    @contextlib.contextmanager
    def stage(self, name: str, tasks: int) -> Iterator[Stage]:
        """See `Progress`."""
        stage = _PlainStage(name, tasks)
        yield stage
        stage.finish()


class BarProgress:
    """A bar a stage, by rich."""

    def __init__(self) -> None:
        from rich.console import Console

        self._console = Console(stderr=True)

    def say(self, line: str) -> None:
        """Print it above the bars."""
        self._console.print(line, markup=False, highlight=False)

    @contextlib.contextmanager
    def stage(self, name: str, tasks: int) -> Iterator[Stage]:
        """See `Progress`."""
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
        from rich.progress import Progress as RichProgress

        columns = (
            TextColumn("{task.description:<28}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[seen]}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
        )
        with RichProgress(*columns, console=self._console) as bars:
            task = bars.add_task(name, total=tasks, seen="")

            class _Bar:
                seen = 0

                def advance(self, documents: int) -> None:
                    self.seen += documents
                    bars.update(task, advance=1, seen=f"{self.seen:,} documents" if self.seen else "")

            yield _Bar()


def choose_progress() -> Progress:
    """Bars if standard error is a terminal."""
    return BarProgress() if sys.stderr.isatty() else PlainProgress()


def _line(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
