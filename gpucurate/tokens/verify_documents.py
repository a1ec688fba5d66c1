"""Every document's tokens, collected from the shards again, against its text.

Tokens are decoded and compared with the text; where that differs (a vocabulary that normalises, a document cut by a
dropped remainder) the text is encoded again and compared with the tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from gpucurate.core.text_buffers import Offsets, read_only
from gpucurate.tokens.description import Description
from gpucurate.tokens.encode import one_array, open_tokens
from gpucurate.tokens.packing import REMAINDER
from gpucurate.tokens.reader import map_shard
from gpucurate.tokens.shards import copy_runs
from gpucurate.tokens.shuffle import id_bytes
from gpucurate.tokens.tokenizer import Tokenizer
from gpucurate.tokens.verify_index import IndexRows

Ids = NDArray[np.bytes_]  # record ids, see `shuffle.id_bytes`


def differing_documents(
    directory: Path, content: Description, index: IndexRows, documents: Iterable[pa.Table], tokenizer: Tokenizer
) -> Iterator[str]:
    """Documents whose tokens are not those of their text, that are in no shard, or that should not be in one."""
    packed = _Packed(directory, content, index)
    for table in documents:
        texts = one_array(table["text"]).cast(pa.large_string())
        ids = id_bytes(one_array(table["record_id"]))
        found = packed.find(ids)
        there, absent = np.flatnonzero(found >= 0), np.flatnonzero(found < 0)
        _, offsets = tokenizer.encode(texts.take(pa.array(absent)))
        for i in absent[np.diff(offsets) > 0]:
            yield f"document {ids[i].ljust(16, bytes(1)).hex()}: survived, but is in no shard"
        yield from _differing(packed, found[there], texts.take(pa.array(there)), tokenizer)
    for document in np.flatnonzero(~packed.seen).tolist():
        yield f"{packed.place(document)}: in the shards, but not among the surviving documents"


def _differing(packed: _Packed, documents: NDArray[np.int64], texts: pa.Array, tokenizer: Tokenizer) -> Iterator[str]:
    tokens, offsets = packed.collect(documents)
    equal = pc.equal(tokenizer.decode(tokens, offsets), texts.cast(pa.large_binary()))
    doubtful = np.flatnonzero(~np.asarray(equal, bool))
    again, again_offsets = tokenizer.encode(texts.take(pa.array(doubtful)))
    for n, i in enumerate(doubtful.tolist()):
        have, want = tokens[offsets[i] : offsets[i + 1]], again[again_offsets[n] : again_offsets[n + 1]]
        whole = want[: len(have)] if packed.cut[documents[i]] else want
        if not np.array_equal(have, whole) or len(want) != packed.tokens[documents[i]]:
            common = min(len(have), len(whole))
            place = int(np.argmax(np.append(have[:common] != whole[:common], True)))
            yield (
                f"{packed.place(int(documents[i]))}: its tokens are not those of its text from token {place} on "
                f"({len(have)} tokens in the shards, {len(want)} in the text)"
            )


class _Packed:
    """The documents of this run that the index knows, by place in the stream."""

    def __init__(self, directory: Path, content: Description, index: IndexRows) -> None:
        self._directory, self._content, self._index = directory, content, index
        starts = index.document_starts()
        own = index.position[starts] >= content.account["carried_in"]
        self._first = starts[own]  # index row of the first piece
        self._last = np.append(starts[1:], len(index.shard))[own]
        self._ids = id_bytes(index.record_ids.take(pa.array(self._first)))
        self._order = np.argsort(self._ids, kind="stable")
        self._sorted = self._ids[self._order]
        self.seen = np.zeros(len(self._first), np.bool_)
        in_remainder = index.shard[self._last - 1] == REMAINDER
        self.tokens = np.add.reduceat(index.length, self._first) if len(self._first) else np.zeros(0, np.int64)
        self.cut = in_remainder & (content.account["dropped"] > 0)

    def place(self, document: int) -> str:
        """A document in words."""
        return self._index.place(int(self._first[document]))

    def find(self, ids: Ids) -> NDArray[np.int64]:
        """The document of each id, -1 where there is none left: every document is given out once."""
        low, high = (np.searchsorted(self._sorted, ids, side) for side in ("left", "right"))
        _, inverse, counts = np.unique(ids, return_inverse=True, return_counts=True)
        single = (high - low == 1) & (counts[inverse] == 1)
        found = np.full(len(ids), -1, np.int64)
        found[single] = self._order[low[single]]
        found[single] = np.where(self.seen[found[single]], -1, found[single])
        for i in np.flatnonzero((high > low) & ~single):  # equal ids: one document after another
            free = [document for document in self._order[low[i] : high[i]].tolist() if not self.seen[document]]
            found[i] = free[0] if free else -1
            self.seen[free[:1]] = True
        self.seen[found[found >= 0]] = True
        return found

    def collect(self, documents: NDArray[np.int64]) -> tuple[NDArray[Any], Offsets]:
        """Tokens of these documents from shards and remainder, one after another, and where each begins.

        What a dropped remainder took is missing.
        """
        counts = self._last[documents] - self._first[documents]
        ends = np.cumsum(counts)
        rows = np.repeat(self._first[documents] - (ends - counts), counts) + np.arange(ends[-1] if len(ends) else 0)
        owner = np.repeat(np.arange(len(documents)), counts)
        shard, start, length = self._index.shard[rows], self._index.start[rows], self._index.length[rows]
        if self._content.remainder is None:
            length = np.where(shard == REMAINDER, 0, length)
        target = np.cumsum(length) - length
        tokens = np.zeros(int(length.sum()), self._content.dtype)
        for number in np.unique(shard[length > 0]).tolist():
            mine = np.flatnonzero(shard == number)
            source, begin = self._source(number, start[mine])
            copy_runs(read_only(source), begin, tokens, target[mine], length[mine])
        offsets = np.zeros(len(documents) + 1, np.int64)
        np.cumsum(np.bincount(owner, length, len(documents)).astype(np.int64), out=offsets[1:])
        return tokens, offsets

    def _source(self, number: int, start: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """A shard's or the remainder's flat tokens, and where in them these starts are."""
        if number != REMAINDER:
            return map_shard(self._directory, self._content, number).reshape(-1), start
        assert self._content.remainder is not None  # or the lengths would have been zero
        stored = open_tokens(self._directory / self._content.remainder.file)
        documents = stored.offsets[:-1] + np.arange(len(stored.record_ids))  # where each begins, with separators
        return stored.tokens, start - (np.searchsorted(documents, start, "right") - 1)
