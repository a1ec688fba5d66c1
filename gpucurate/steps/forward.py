"""A loaded transformer over windows of texts: batches that fit the device, halved when they do not.

What is read off the model's output is the caller's: a head's logits, or hidden states pooled into one vector.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpucurate.steps.quality.loading import Loaded
from gpucurate.steps.quality.windows import Windows
from gpucurate.steps.torch_limits import halving, threads_of

Read = Callable[[Any, Any], Any]  # (model output, mask int64 [batch, tokens]) to a float tensor [batch, width]


@dataclass(slots=True)
class Forward:
    """Not for several threads at a time.  `threads`: of torch on a CPU; None leaves its own number."""

    name: str
    loaded: Loaded
    read: Read
    width: int
    threads: int | None
    _told: list[str] = field(default_factory=list)

    def run(self, windows: Windows, batches: Iterable[NDArray[np.int64]]) -> NDArray[np.float64]:
        """[windows, width]; `batches` are numbers of windows, each window in one of them.

        Raises DeviceError if a GPU cannot take even one window.
        """
        values = np.zeros((len(windows.owner), self.width))
        with threads_of(self.threads, self.loaded.device.type):
            for batch in batches:
                values[batch] = self._batch(windows, batch)
        return values

    def told(self) -> list[str]:
        """What a user should know of the calls since the last question."""
        lines, self._told = self._told, []
        return lines

    def _batch(self, windows: Windows, batch: NDArray[np.int64]) -> NDArray[np.float64]:
        def told(half: int) -> None:
            self._told.append(f"{self.name}: out of memory, went on with {half} windows at a time")

        return halving(self.name, batch, windows.lengths(), lambda part: self._forward(windows, part), told)

    def _forward(self, windows: Windows, batch: NDArray[np.int64]) -> NDArray[np.float64]:
        import torch

        ids, padding = windows.padded(batch, int(self.loaded.tokenizer.pad_token_id))
        place = self.loaded.device
        mask = torch.ones(ids.shape, dtype=torch.int64) if padding is None else torch.from_numpy(padding)
        mask = mask.to(place)
        with torch.inference_mode():
            given = None if padding is None else mask  # without a mask torch takes its faster attention
            output = self.loaded.model(input_ids=torch.from_numpy(ids).to(place), attention_mask=given)
            found: NDArray[np.float64] = self.read(output, mask).double().cpu().numpy()
        return found
