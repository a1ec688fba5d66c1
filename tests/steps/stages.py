"""A corpus-scope step run in memory: every stage at once, tables as the runner would hand them on."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.ipc as ipc

from gpucurate.steps.comparison import PartDocuments, Piece, Range
from gpucurate.steps.contract import CorpusStep, Edit


class MemoryStages:
    """`Stages` over the surviving documents of parts; every stage is made at once, scratch too."""

    def __init__(self, parts: Sequence[pa.Table], survivors: Sequence[np.ndarray[Any, Any]] | None = None) -> None:
        self.starts = np.cumsum([0, *(part.num_rows for part in parts)], dtype=np.int64)
        rows = survivors or [np.arange(part.num_rows) for part in parts]
        self.parts = [
            part_documents(n, self.starts, part, alive) for n, (part, alive) in enumerate(zip(parts, rows, strict=True))
        ]
        self.tables: dict[str, pa.Table] = {}
        self.made: list[str] = []  # stages in the order they were made

    def over_parts(
        self, name: str, method: Any, settings: Any, *groups: Any, device: bool = False, rated: bool = False
    ) -> list[Piece]:
        return self._keep(name, [method(part, *self.opened(groups)) for part in self.parts])

    def over_pieces(self, name: str, method: Any, settings: Any, pieces: Any, *, device: bool = False) -> list[Piece]:
        return self._keep(name, [method(n, self.tables[piece.path]) for n, piece in enumerate(pieces)])

    def over_ranges(
        self, name: str, method: Any, settings: Any, ranges: Sequence[Range], *groups: Any, device: bool = False
    ) -> list[Piece]:
        return self._keep(name, [method(r, self.starts, *self.opened(groups)) for r in ranges])

    scratch_over_parts: Any = over_parts
    scratch_over_pieces: Any = over_pieces

    def opened(self, groups: Sequence[Sequence[Piece]]) -> list[list[pa.Table]]:
        return [[self.tables[piece.path] for piece in group] for group in groups]

    def _keep(self, name: str, tables: list[pa.Table]) -> list[Piece]:
        self.made.append(name)
        pieces = []
        for number, table in enumerate(tables):
            path = f"{name}-{number}"
            self.tables[path] = through_a_file(table)
            pieces.append(Piece(path, table.num_rows))
        return pieces


def part_documents(number: int, starts: Any, part: pa.Table, alive: Any) -> PartDocuments:
    documents = part.take(pa.array(alive))
    meta = documents.drop_columns(["text"])
    return PartDocuments(number, starts, alive.astype(np.int32), meta, lambda: documents["text"].combine_chunks())


def through_a_file(table: pa.Table) -> pa.Table:
    sink = io.BytesIO()
    with ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table.combine_chunks())
    return ipc.open_file(pa.py_buffer(sink.getvalue())).read_all().combine_chunks()


def answers(step: CorpusStep[Any], stages: MemoryStages) -> pa.Table:
    """What the step says of every document of the corpus, in order, null where it says nothing."""
    said = pa.concat_tables(stages.tables[piece.path] for piece in step.compare(stages))
    nodes = said["node"].to_numpy()
    assert len(np.unique(nodes)) == len(nodes)
    place = np.full(int(stages.starts[-1]), -1, np.int64)
    place[nodes] = np.arange(len(nodes))
    return said.select(step.signals.names).take(pa.array(place, mask=place < 0))


def edits(step: CorpusStep[Any], stages: MemoryStages) -> list[Edit]:
    """What the step changes in every part, as the runner would ask it after `compare`."""
    said = answers(step, stages)
    edits = []
    for part in stages.parts:
        rows = part.rows + int(part.starts[part.number])
        edits.append(step.edit(part, said.take(pa.array(rows))))
    return edits
