"""Documents as the step saw them: its signals by node, and texts fetched for the few that are shown."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpucurate.core.documents import RECORD_ID
from gpucurate.core.errors import InvariantError, StorageError
from gpucurate.core.fixed_bytes import fixed_bytes
from gpucurate.run.live import LiveStep, RunContext
from gpucurate.run.state import RunState
from gpucurate.run.walk import Walk, walk
from gpucurate.steps.near_duplicates import NearDuplicates
from gpucurate.steps.near_duplicates.numbering import extend
from gpucurate.store.artifacts import find, read_table

OPEN_PARTS = 4  # parts whose text is kept at a time


@dataclass(frozen=True, slots=True)
class Side:
    """One document of a pair; `text` is empty for one of an older corpus, which is known by its index only."""

    record_id: str
    uri: str
    title: str
    text: str


class Documents:
    """Access by node (row `r` of part `p` is `starts[p] + r`) and by record id."""

    def __init__(self, context: RunContext, state: RunState, live: LiveStep) -> None:
        self._context, self._state, self._live = context, state, live
        self._position = context.live.steps.index(live)
        self.starts = np.cumsum([0, *(settled.part.rows for settled in state.parts)], dtype=np.int64)
        self._walk = lru_cache(maxsize=OPEN_PARTS)(self._walk_part)

    @cached_property
    def signals(self) -> pa.Table:
        """What the step said of every document it saw, with `node` and `record_id`."""
        tables = [self._signals_of(number) for number in range(len(self._state.parts))]
        empty = pa.schema(
            [pa.field("node", pa.int64()), pa.field("record_id", RECORD_ID), *NearDuplicates.signals]
        ).empty_table()
        return pa.concat_tables([empty, *tables])

    def at(self, node: int) -> Side:
        """The document of a node."""
        if node >= self.starts[-1]:
            return self._indexed(node)
        number = int(np.searchsorted(self.starts, node, side="right")) - 1
        row = node - int(self.starts[number])
        state = self._walk(number)
        meta = state.meta.slice(row, 1).to_pylist()[0]
        text = state.text.current()[row].as_py()
        return Side(meta["record_id"].hex(), meta["uri"], meta["title"] or "", text)

    def by_id(self, record_id: bytes) -> Side:
        """The document with a record id, of this corpus or of an older one."""
        row = _row_of(record_id, self._ids)
        if row is not None:
            return self.at(self.signals["node"][row].as_py())
        for start, table in self._index_tables():
            row = _row_of(record_id, fixed_bytes(table["record_id"]))
            if row is not None:
                return self._indexed(start + row)
        raise InvariantError(f"no document of this corpus or of its indexes has the record id {record_id.hex()}")

    @cached_property
    def _ids(self) -> NDArray[np.uint8]:
        return fixed_bytes(self.signals["record_id"])

    def _indexed(self, node: int) -> Side:
        for start, table in self._index_tables():
            if start <= node < start + table.num_rows:
                row = table.slice(node - start, 1).to_pylist()[0]
                return Side(row["record_id"].hex(), row["uri"], "", "")
        raise InvariantError(f"no document of this corpus or of its indexes has the number {node}")

    def _index_tables(self) -> list[tuple[int, pa.Table]]:
        step = self._live.step
        assert isinstance(step, NearDuplicates)
        tables = [table for index in step.indexes for table in index.documents]
        starts = extend(self.starts, [table.num_rows for table in tables])[len(self.starts) - 1 : -1]
        return list(zip(starts.tolist(), tables, strict=True))

    def _walk_part(self, number: int) -> Walk:
        part = self._state.parts[number].part
        steps = self._context.live.steps[: self._position]
        return walk(self._context, part, steps, self._state.corpus_keys, measure=False)

    def _signals_of(self, number: int) -> pa.Table:
        part = self._state.parts[number].part
        folder = self._context.directory.parts / part.name
        artifact = find(folder, self._live.label, self._state.corpus_keys[self._live.label])
        if artifact is None:
            raise StorageError(
                f"part {part.name} has lost what {self._live.label} said of it. Remedy: run the same recipe again"
            )
        state = self._walk(number)
        alive = np.flatnonzero(state.alive)
        columns = {
            "node": pa.array(alive + self.starts[number]),
            "record_id": state.meta["record_id"].take(pa.array(alive)).combine_chunks(),
        }
        said = read_table(artifact)
        return pa.table({**columns, **{name: said[name] for name in NearDuplicates.signals.names}})


def _row_of(record_id: bytes, ids: NDArray[np.uint8]) -> int | None:
    """The first row that has a record id; `ids` is uint8 [rows, bytes]."""
    found = np.flatnonzero(ids.view(f"V{len(record_id)}").ravel() == np.frombuffer(record_id, f"V{len(record_id)}"))
    return int(found[0]) if len(found) else None
