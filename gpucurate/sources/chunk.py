"""Collecting records into a chunk, with books kept as they come.

A source adds each record exactly once, under one of three verbs: document, drop, quarantine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import pyarrow as pa

from gpucurate.core.documents import DocumentRow, QuarantineRow, documents_table, quarantine_table
from gpucurate.core.tally import Tally
from gpucurate.sources.contract import CHUNK_BYTES, Chunk

Extract = Callable[[Sequence[DocumentRow]], pa.Array]


class ChunkBuilder:
    """Rows of one chunk; `full` says when to close it and start the next.

    `limit` is in raw bytes; one record larger than that makes a chunk of its own.
    """

    def __init__(self, source: str, limit: int = CHUNK_BYTES) -> None:
        self.source = source
        self.limit = limit
        self.counts: Counter[str] = Counter()
        self._documents: list[DocumentRow] = []
        self._quarantined: list[QuarantineRow] = []
        self._dropped: dict[str, Tally] = {}
        self._entered = Tally()

    def document(self, row: DocumentRow) -> None:
        """A record that became a document; its text may still be raw if `close` is given an extractor."""
        self._enter(row.raw_bytes)
        self._documents.append(row)

    def drop(self, reason: str, raw_bytes: int) -> None:
        """A record that by its nature is no document: a redirect, a request, another namespace."""
        self._enter(raw_bytes)
        self._dropped[reason] = self._dropped.get(reason, Tally()) + Tally(1, raw_bytes)

    def quarantine(self, row: QuarantineRow) -> None:
        """A record that should have been a document and could not be read."""
        self._enter(row.raw_bytes)
        self._quarantined.append(row)

    @property
    def full(self) -> bool:
        """True once the raw bytes reach the limit."""
        return self._entered.bytes >= self.limit

    @property
    def empty(self) -> bool:
        """True if nothing was added."""
        return self._entered.documents == 0 and not self.counts

    def close(self, text: pa.Array | None = None) -> Chunk:
        """The chunk; the builder is empty again.  `text` replaces the rows' texts (large_string, one a document)."""
        chunk = Chunk(
            documents_table(self.source, self._documents, text),
            quarantine_table(self.source, self._quarantined),
            self._entered,
            dict(sorted(self._dropped.items())),
            dict(sorted(self.counts.items())),
        )
        self.__init__(self.source, self.limit)  # type: ignore[misc]
        return chunk

    @property
    def rows(self) -> list[DocumentRow]:
        """The documents so far, for batch extraction before `close`."""
        return self._documents

    def _enter(self, raw_bytes: int) -> None:
        self._entered = self._entered + Tally(1, raw_bytes)
