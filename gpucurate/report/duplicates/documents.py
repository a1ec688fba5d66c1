"""Documents as the step saw them: its signals by node, and texts fetched for the few that are shown."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import pyarrow as pa

from gpucurate.run.live import LiveStep, RunContext
from gpucurate.run.state import RunState
from gpucurate.run.walk import Walk, walk
from gpucurate.steps.near_duplicates import NearDuplicates
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
            [pa.field("node", pa.int64()), pa.field("record_id", pa.binary(16)), *NearDuplicates.signals]
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
        ids = np.frombuffer(b"".join(self.signals["record_id"].to_pylist()), "V16")
        found = np.flatnonzero(ids == np.frombuffer(record_id, "V16"))
        if len(found):
            return self.at(self.signals["node"][int(found[0])].as_py())
        for node, table in self._index_tables():
            rows = np.flatnonzero(np.array(table["record_id"].to_pylist(), object) == record_id)
            if len(rows):
                return self._indexed(node + int(rows[0]))
        return Side(record_id.hex(), "", "", "")

    def _indexed(self, node: int) -> Side:
        for start, table in self._index_tables():
            if start <= node < start + table.num_rows:
                row = table.slice(node - start, 1).to_pylist()[0]
                return Side(row["record_id"].hex(), row["uri"], "", "")
        return Side("", "", "", "")

    def _index_tables(self) -> list[tuple[int, pa.Table]]:
        step = self._live.step
        assert isinstance(step, NearDuplicates)
        tables = [table for index in step.indexes for table in index.documents]
        starts = int(self.starts[-1]) + np.cumsum([0, *(table.num_rows for table in tables)])
        return list(zip(starts.tolist(), tables, strict=False))

    def _walk_part(self, number: int) -> Walk:
        part = self._state.parts[number].part
        steps = self._context.live.steps[: self._position]
        return walk(self._context, part, steps, self._state.corpus_keys, measure=False)

    def _signals_of(self, number: int) -> pa.Table:
        part = self._state.parts[number].part
        folder = self._context.directory.parts / part.name
        artifact = find(folder, self._live.label, self._state.corpus_keys[self._live.label])
        assert artifact is not None
        state = self._walk(number)
        alive = np.flatnonzero(state.alive)
        columns = {
            "node": pa.array(alive + self.starts[number]),
            "record_id": state.meta["record_id"].take(pa.array(alive)).combine_chunks(),
        }
        said = read_table(artifact)
        return pa.table({**columns, **{name: said[name] for name in NearDuplicates.signals.names}})
