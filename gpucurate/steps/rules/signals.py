"""How the rule sets read their signals: columns as NumPy arrays, and shares without a division by zero."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpucurate.core.reasons import Reason

Flags = NDArray[np.bool_]
Share = NDArray[np.float64]


class Signals:
    """A view of a signals table; `prefix` chooses the columns measured on an edited text."""

    def __init__(self, table: pa.Table, prefix: str = "") -> None:
        self._table = table
        self._prefix = prefix

    def count(self, name: str) -> NDArray[np.int64]:
        """A column of integers."""
        column: NDArray[np.int64] = self._table[self._prefix + name].to_numpy()
        return column

    def flag(self, name: str) -> Flags:
        """A column of booleans."""
        column: Flags = self._table[self._prefix + name].to_numpy()
        return column

    def share(self, part: str, whole: str) -> Share:
        """part / whole in float64, as the peers compute it; 0 where the whole is 0."""
        return divided(self.count(part), self.count(whole))


def divided(part: NDArray[np.int64], whole: NDArray[np.int64]) -> Share:
    """part / whole, 0 where the whole is not positive."""
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)


def above(share: Share | NDArray[np.int64], most: float | None) -> Flags:
    """Where a share exceeds its limit; nowhere without a limit."""
    return np.zeros(len(share), np.bool_) if most is None else share > most


def below(share: Share | NDArray[np.int64], least: float | None) -> Flags:
    """Where a share falls short of its limit; nowhere without a limit."""
    return np.zeros(len(share), np.bool_) if least is None else share < least


def by_reason(reasons: tuple[Reason, ...], flags: Mapping[str, Flags]) -> dict[Reason, Flags]:
    """Flags under their registered reasons, in the order of the reasons; raises KeyError if one is missing."""
    return {reason: flags[reason.code] for reason in reasons}
