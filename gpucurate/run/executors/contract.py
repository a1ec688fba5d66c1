"""What an executor does, and the simplest one: one task after another in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class Executor(Protocol):
    """Runs a function over items."""

    device: str  # `cpu` or `cuda`: what tasks that use the device find where they run

    def unordered(
        self, function: Callable[[Item], Result], items: Sequence[Item], device: bool = False
    ) -> Iterator[tuple[int, Result]]:
        """Results as they come, each with the number of its item.  The first error ends it.

        `device`: the tasks use the backend's kernels, and run where the device is.
        """
        ...


class InlineExecutor:
    """One task after another in this process; for debugging and small runs."""

    def __init__(self, device: str = "cpu") -> None:
        self.device = device

    def unordered(
        self, function: Callable[[Item], Result], items: Sequence[Item], device: bool = False
    ) -> Iterator[tuple[int, Result]]:
        """See `Executor`."""
        for number, item in enumerate(items):
            yield number, function(item)
