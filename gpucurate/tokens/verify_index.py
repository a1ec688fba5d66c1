"""The index, read whole and followed from the first token of the stream to the last.

Rows must chain without gap or overlap: a document's next piece begins where the last ended, the next document begins
one separator further on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from gpucurate.tokens.description import Description
from gpucurate.tokens.encode import one_array
from gpucurate.tokens.packing import REMAINDER
from gpucurate.tokens.shuffle import id_bytes

Int64s = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class IndexRows:
    """Columns of index.parquet, and where each row's tokens begin in the whole stream."""

    record_ids: pa.Array
    shard: NDArray[np.int32]
    start: Int64s
    length: Int64s
    offset: Int64s
    position: Int64s

    def place(self, row: int) -> str:
        """A row in words."""
        shard = "the remainder" if self.shard[row] == REMAINDER else f"shard {self.shard[row]}"
        return f"{shard}, token {self.start[row]}, document {self.record_ids[row].as_py().hex()}"

    def document_starts(self) -> Int64s:
        """Index rows at which a document begins: not a piece that goes on in the next shard."""
        ends = self.position + self.length
        return np.flatnonzero(np.concatenate([[True], self.position[1:] != ends[:-1]])[: len(self.shard)])


def read_index(directory: Path, content: Description) -> IndexRows:
    """Read all of the index; its digest has been checked before."""
    table = pq.read_table(directory / content.index.file)
    ids, shard, start, length, offset = (one_array(column) for column in table.columns)
    shards, starts = shard.to_numpy(), start.to_numpy()
    base = np.where(shards == REMAINDER, content.tokens, shards.astype(np.int64) * content.capacity)
    return IndexRows(ids, shards, starts, length.to_numpy(), offset.to_numpy(), base + starts)


def broken_chain(index: IndexRows, content: Description) -> Iterator[str]:
    """Where the index does not cover each token once, and where it disagrees with the account."""
    account = content.account
    stream = account["document_tokens"] + account["separators"] + account["carried_in"]
    if len(index.shard) != content.index.rows:
        yield f"index.parquet: {len(index.shard)} rows, shards.json says {content.index.rows}"
    if not len(index.shard):
        if stream > min(account["carried_in"], 1):
            yield f"index.parquet: empty, but {stream} tokens were packed"
        return
    unknown = np.flatnonzero((index.shard < REMAINDER) | (index.shard >= len(content.shards)))
    if len(unknown):
        yield f"index.parquet: {index.place(int(unknown[0]))}: there is no such shard"
        return
    ends = index.position + index.length
    limits = np.array([shard.tokens for shard in content.shards] + [stream - content.tokens], np.int64)
    outside = (index.length <= 0) | (index.start < 0) | (index.start + index.length > limits[index.shard])
    yield from (f"index.parquet: {index.place(row)}: lies outside its shard" for row in np.flatnonzero(outside)[:10])
    same = index.position[1:] == ends[:-1]
    ids = id_bytes(index.record_ids)
    goes_on = (ids[1:] == ids[:-1]) & (index.offset[1:] == (index.offset + index.length)[:-1])
    begins = (index.position[1:] == ends[:-1] + 1) & (index.offset[1:] == 0)
    for row in np.flatnonzero(~np.where(same, goes_on, begins))[:10] + 1:
        yield f"index.parquet: {index.place(row)}: does not follow on what is before it"
    dangling = 1 if account["carried_in"] else 0  # a carried document of which only the separator was left
    if not 0 <= index.position[0] <= dangling or ends[-1] + 1 != stream:
        yield f"index.parquet: covers tokens {index.position[0]} to {ends[-1] + 1} of {stream}"
    own = index.document_starts()
    own = own[index.position[own] >= account["carried_in"]]
    tokens = int(index.length[own[0] :].sum()) if len(own) else 0
    if (len(own), tokens) != (account["documents"], account["document_tokens"]):
        yield (
            f"index.parquet: {len(own)} documents with {tokens} tokens, the account has {account['documents']} "
            f"with {account['document_tokens']}"
        )


def uncovered_positions(index: IndexRows, shard: int, tokens: int) -> Int64s:
    """Positions in a flat shard that no document covers, ascending."""
    rows = np.flatnonzero(index.shard == shard)
    covered = np.zeros(tokens + 1, np.int8)
    np.add.at(covered, np.clip(index.start[rows], 0, tokens), 1)
    np.add.at(covered, np.clip(index.start[rows] + index.length[rows], 0, tokens), -1)
    return np.flatnonzero(np.cumsum(covered[:-1], dtype=np.int8) == 0)
