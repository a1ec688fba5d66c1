"""How a corpus-scope step compares documents of all parts: stages, each of which leaves one file an item.

A step tells its story once, in the driver, by calling the verbs of `Stages`; the runner executes each stage's items
anywhere and finds finished ones again by key.  Between stages only files travel, and a method sees them in the
order of the corpus, so that nothing depends on workers, arrival or interruption.

Documents are numbered through the corpus: row `r` of part `p` is node `starts[p] + r`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

KEY_SPACE = 1 << 64
ROWS_PER_RANGE = 4_000_000  # about 400 MB while a range is gathered
RATING = "rating"  # column of PartDocuments.meta: how good a document is, by an earlier step
Nodes = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Range:
    """Keys or nodes from `low` to below `high`."""

    low: int
    high: int

    def of(self, table: pa.Table, column: str) -> pa.Table:
        """The rows of a table whose sorted column (uint64 or int64) lies in this range, by binary search."""
        values = table[column].to_numpy()  # a view: mapped tables have one chunk
        low = int(np.searchsorted(values, values.dtype.type(self.low)))
        high = len(values) if self.high >= KEY_SPACE else int(np.searchsorted(values, values.dtype.type(self.high)))
        return table.slice(low, high - low)


@dataclass(frozen=True, slots=True)
class PartDocuments:
    """The documents of one part that survived so far."""

    number: int
    starts: Nodes  # [parts + 1]
    rows: NDArray[np.int32]  # their rows in the part
    meta: pa.Table  # DOCUMENTS without `text`; and RATING for steps that want it
    texts: Callable[[], pa.Array]  # loads their texts as the steps before left them (large_string)


@dataclass(frozen=True, slots=True)
class Piece:
    """One table that a stage left; mapped when read, in one chunk."""

    path: str  # relative to the output directory
    rows: int


class Scratch(Protocol):
    """Pieces that are made when a stage needs them and removed after the comparison."""


Settings = Mapping[str, object]  # what of the configuration shapes a stage; part of its key
Group = Sequence[Piece] | Scratch  # pieces of one stage, in the order of their items
Tables = Sequence[pa.Table]  # the same, opened
PartMethod = Callable[..., pa.Table]  # (PartDocuments, *Tables)
PieceMethod = Callable[..., pa.Table]  # (number of the piece, its table)
RangeMethod = Callable[..., pa.Table]  # (Range, starts, *Tables)


class Stages(Protocol):
    """What the runner offers.  Methods are bound methods of the step; a result is one table an item.

    With `device` the tasks use the backend's kernels, and go to workers that have the device.
    """

    starts: Nodes

    def over_parts(
        self,
        name: str,
        method: PartMethod,
        settings: Settings,
        *groups: Group,
        device: bool = False,
        rated: bool = False,
    ) -> list[Piece]:
        """`method(part, *tables)` for every part; `rated` if it looks at RATING."""
        ...

    def over_pieces(
        self, name: str, method: PieceMethod, settings: Settings, pieces: Sequence[Piece], *, device: bool = False
    ) -> list[Piece]:
        """`method(number, table)` for every piece of another stage."""
        ...

    def over_ranges(
        self,
        name: str,
        method: RangeMethod,
        settings: Settings,
        ranges: Sequence[Range],
        *groups: Group,
        device: bool = False,
    ) -> list[Piece]:
        """`method(range, starts, *tables)` for every range."""
        ...

    def scratch_over_parts(
        self, name: str, method: PartMethod, settings: Settings, *groups: Group, device: bool = False
    ) -> Scratch:
        """As `over_parts`, made when needed."""
        ...

    def scratch_over_pieces(
        self, name: str, method: PieceMethod, settings: Settings, pieces: Sequence[Piece], *, device: bool = False
    ) -> Scratch:
        """As `over_pieces`, made when needed."""
        ...


def ranges_of(space: int, rows: int, rows_a_range: int) -> list[Range]:
    """Cut [0, space) evenly into as many ranges as `rows` needs; at least one."""
    count = min(max(1, -(-rows // rows_a_range)), max(1, space))
    edges = [space * n // count for n in range(count + 1)]
    return [Range(low, high) for low, high in itertools.pairwise(edges)]


def key_ranges(rows: int) -> list[Range]:
    """Ranges of uint64 keys that are spread uniformly."""
    return ranges_of(KEY_SPACE, rows, ROWS_PER_RANGE)
