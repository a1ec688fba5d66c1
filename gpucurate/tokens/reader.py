"""Reading shards by memory map: rows of (x, y), the documents in a row, and seeded epochs.

No framework is needed and nothing is copied, except for the rows of a stream that cross from one shard into the next.
A reader may be pickled, forked and shared between threads; files are opened when they are first touched.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, SupportsIndex

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from gpucurate.core.errors import InputError, UserError
from gpucurate.tokens.description import INDEX, Description, find_shards, read_description
from gpucurate.tokens.row_order import permuted_rows

Ids = NDArray[Any]  # uint16 or uint32, read-only
EPOCH_BLOCK = 4096  # rows whose order is computed at a time
INDEXES_KEPT = 8  # shards whose index is kept in memory


class RowDocuments(NamedTuple):
    """The documents in a row, first to last.  The first may have begun before it, the last may go on after it."""

    record_ids: list[bytes]
    starts: NDArray[np.int64]  # where each begins in the row of length + 1 tokens
    lengths: NDArray[np.int64]  # its tokens in the row; what no document covers is a separator
    offsets: NDArray[np.int64]  # tokens of the document that lie before the row


class Shards:
    """Rows of a run: `shards[i]` is (x, y), both of `length` tokens, y one token further on.

    `description` is the content of shards.json.  Arrays are views of the files: copy before you change them, widen
    them (`x.astype(np.int64)`) for a model.
    """

    def __init__(self, directory: Path, description: Description) -> None:
        self.directory = directory
        self.description = description
        self.length = description.length
        self.dtype = np.dtype(description.dtype)
        self.separator = description.separator
        self.vocabulary_size = int(description.tokenizer["size"])
        self.tokens = description.tokens
        self._maps: dict[int, Ids] = {}
        self._indexes: dict[int, pa.Table] = {}

    def __len__(self) -> int:
        """How many rows there are."""
        return self.description.rows

    def __getitem__(self, i: SupportsIndex) -> tuple[Ids, Ids]:
        """Row i as (x, y); negative numbers count from the end.  Raises IndexError, TypeError for slices."""
        row = self.row(i)
        return row[:-1], row[1:]

    def row(self, i: SupportsIndex) -> Ids:
        """All `length + 1` tokens of row i."""
        shard, start = self._place(i)
        end = start + self.length + 1
        flat = self._flat(shard)
        if end <= len(flat):
            return flat[start:end]
        row = np.concatenate([flat[start:], *self._following(shard, end - len(flat))])
        row.flags.writeable = False
        return row

    def boundaries(self, i: SupportsIndex) -> RowDocuments:
        """Which documents row i holds, and where."""
        shard, start = self._place(i)
        end = start + self.length + 1
        found: list[tuple[bytes, int, int, int]] = []
        base = 0  # where the shard begins, counted from the first one looked at
        while True:
            found += self._in_shard(shard, max(start - base, 0), end - base, start - base)
            base += self.description.shards[shard].tokens
            if base >= end:
                break
            shard += 1
        ids = [record_id for record_id, _, _, _ in found]
        places = np.array([place for _, *place in found], np.int64).reshape(-1, 3)
        return RowDocuments(ids, places[:, 0], places[:, 1], places[:, 2])

    def epoch(self, seed: int, rank: int = 0, world: int = 1, skip: int = 0) -> Iterator[tuple[Ids, Ids]]:
        """Rows in the order of the epoch that `seed` names, every `world`-th from `rank` on.

        All ranks get the same number of rows, len(self) // world; at most world - 1 rows of an epoch go to none.
        Position p of the order goes to rank p % world, so that another `world` reads the same rows in the same order.
        `skip` leaves out the first rows of this rank, to go on where a run stopped.  Raises UserError for a rank
        that is not below world.
        """
        if not 0 <= rank < world or skip < 0:
            raise UserError(f"no such share of an epoch: rank {rank} of {world}, skip {skip}; need 0 <= rank < world")
        return (self[i] for i in self._order(seed, rank, world, skip))

    def _order(self, seed: int, rank: int, world: int, skip: int) -> Iterator[int]:
        mine = len(self) // world
        for begin in range(skip, mine, EPOCH_BLOCK):
            positions = np.arange(begin, min(begin + EPOCH_BLOCK, mine), dtype=np.int64) * world + rank
            yield from permuted_rows(positions, len(self), seed).tolist()

    def _place(self, i: SupportsIndex) -> tuple[int, int]:
        """Shard of a row, and where in the flat shard it begins."""
        number = operator.index(i)
        count = len(self)
        if not -count <= number < count:
            raise IndexError(f"row {number} of {count}")
        step = self.length + 1 if self.description.format == "rows" else self.length
        return divmod(number % count * step, self.description.capacity)

    def _flat(self, shard: int) -> Ids:
        if shard not in self._maps:
            self._maps[shard] = map_shard(self.directory, self.description, shard).reshape(-1)
        return self._maps[shard]

    def _following(self, shard: int, tokens: int) -> Iterator[Ids]:
        while tokens > 0:
            shard += 1
            piece = self._flat(shard)[:tokens]
            tokens -= len(piece)
            yield piece

    def _in_shard(self, shard: int, begin: int, end: int, row_start: int) -> list[tuple[bytes, int, int, int]]:
        index = self._index(shard)
        starts, lengths, offsets = (index[name].to_numpy() for name in ("start", "length", "offset"))
        first = int(np.searchsorted(starts + lengths, begin, "right"))
        last = int(np.searchsorted(starts, end, "left"))
        ids = index["record_id"].slice(first, max(last - first, 0)).to_pylist()
        found = []
        for record_id, i in zip(ids, range(first, last), strict=True):
            start, stop = max(int(starts[i]), begin), min(int(starts[i] + lengths[i]), end)
            found.append((record_id, start - row_start, stop - start, int(offsets[i]) + start - int(starts[i])))
        return found

    def _index(self, shard: int) -> pa.Table:
        if shard not in self._indexes:
            path = self.directory / INDEX
            try:
                table = pq.read_table(path, filters=[("shard", "=", shard)]).combine_chunks()
            except (OSError, pa.ArrowException) as error:
                raise InputError(f"{path} cannot be read: {error}. Remedy: make the shards again") from error
            for oldest in list(self._indexes)[: 1 - INDEXES_KEPT]:
                self._indexes.pop(oldest, None)
            self._indexes[shard] = table
            return table
        return self._indexes[shard]

    def __getstate__(self) -> tuple[Path, Description]:
        return self.directory, self.description

    def __setstate__(self, state: tuple[Path, Description]) -> None:
        self.__init__(*state)  # type: ignore[misc]

    def __repr__(self) -> str:
        return f"Shards({str(self.directory)!r}: {len(self)} rows of {self.length} + 1, {self.dtype.name})"


def open_shards(directory: str | Path) -> Shards:
    """Open the shards of a finished run; `directory` is its output directory or the shards directory in it.

    Raises InputError, with the remedy, where there are none or shards.json is damaged.
    """
    found = find_shards(directory)
    return Shards(found, read_description(found))


def map_shard(directory: Path, description: Description, number: int) -> Ids:
    """Map one shard read-only, in its own shape.  Raises InputError unless it is an array as described."""
    shard = description.shards[number]
    path = directory / shard.file
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise InputError(f"{path} cannot be read: {error}. Remedy: make the shards again") from error
    width = description.length + 1
    shape = (shard.rows, width) if description.format == "rows" else (shard.tokens,)
    if array.shape != shape or array.dtype != np.dtype(description.dtype):
        raise InputError(
            f"{path} holds {array.dtype.name} of shape {array.shape}, not {description.dtype} of shape {shape} as "
            "shards.json says. Remedy: make the shards again"
        )
    plain: Ids = array.view(np.ndarray)
    return plain
