"""torch within limits: a number of threads on a CPU, and batches halved where a device has too little memory."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.errors import DeviceError

Batch = NDArray[np.int64]  # numbers of windows
Values = NDArray[np.float64]  # [windows of the batch, ...]


@contextlib.contextmanager
def threads_of(count: int | None, place: str) -> Iterator[None]:
    """For the time of the block torch has `count` threads; nothing changes for None, or where `place` is no CPU."""
    if count is None or place != "cpu":
        yield
        return
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def halving(
    name: str, batch: Batch, lengths: NDArray[np.int64], forward: Callable[[Batch], Values], told: Callable[[int], None]
) -> Values:
    """`forward(batch)`, or of its halves one after the other where the device has too little memory.

    `lengths` are the tokens of all windows; `told` hears how many windows the halves have.  Raises DeviceError if even
    one window does not fit.
    """
    import torch

    try:
        return forward(batch)
    except torch.OutOfMemoryError as error:
        if len(batch) == 1:
            raise DeviceError(
                f"{name}: the device has too little memory for one window of {int(lengths[batch[0]])} tokens. "
                "Remedy: lower max_tokens, or free memory on the device"
            ) from error
    # Outside the handler: the exception held the tensors of the batch that did not fit.
    torch.cuda.empty_cache()
    middle = len(batch) // 2
    told(middle)
    halves = (batch[:middle], batch[middle:])
    return np.concatenate([halving(name, half, lengths, forward, told) for half in halves])
