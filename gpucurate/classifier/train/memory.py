"""Going on where a device's memory does not suffice: half as much at once, said aloud."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.errors import DeviceError
from gpucurate.run.progress import Progress

Result = TypeVar("Result")


def in_halves(
    work: Callable[[NDArray[np.int64]], Result], rows: NDArray[np.int64], at_once: int, progress: Progress
) -> tuple[list[Result], int]:
    """Results of `work` over `rows`, `at_once` at a time, and how many at a time went well.

    Where the device runs out of memory, that piece is tried again in halves, and all later ones in the smaller size.
    Raises DeviceError where memory does not suffice for one.
    """
    import torch

    done: list[Result] = []
    place = 0
    while place < len(rows):
        try:
            done.append(work(rows[place : place + at_once]))
            place += at_once
            continue
        except torch.OutOfMemoryError as error:
            if at_once == 1:
                raise DeviceError(
                    "the device's memory does not suffice for one document at a time. Remedy: a smaller max_tokens or "
                    "max_windows, encoder: frozen, or a smaller model"
                ) from error
        at_once = -(-min(at_once, len(rows) - place) // 2)  # beyond the except block, which holds on to the tensors
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
        progress.say(f"out of memory; going on with {at_once} at a time")
    return done, at_once
