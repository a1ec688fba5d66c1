"""Arrays that count the bytes they hold, so that a test can ask how much of a device a verb would have taken."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Meter:
    """Bytes of all arrays alive that came from one engine, and the most there ever were."""

    def __init__(self) -> None:
        self.held = self.peak = 0

    def take(self, size: int, beside: int = 0) -> None:
        """`beside` bytes are held for a moment only, such as a sort's second buffer."""
        self.held += size
        self.peak = max(self.peak, self.held + beside)

    def give(self, size: int) -> None:
        self.held -= size

    def adopt(self, array: NDArray[Any]) -> Metered:
        """An array of this engine; what is computed from it is counted too."""
        if isinstance(array, Metered):
            return array
        view = array.view(Metered)
        view.meter = self
        _count(view, self)
        return view


class Metered(np.ndarray[Any, Any]):
    meter: Meter | None = None

    def __array_finalize__(self, source: Any) -> None:
        self.meter = getattr(source, "meter", None)
        if self.meter is not None and not isinstance(self.base, Metered):  # a slice shares what is counted already
            _count(self, self.meter)


def _count(array: Metered, meter: Meter) -> None:
    meter.take(array.nbytes)
    weakref.finalize(array, meter.give, array.nbytes)
