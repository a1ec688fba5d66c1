"""Packing: which tokens of which document lie where, decided before a byte is copied.

Documents in their final order, a separator after each, make one stream; rows and shards are cuts of it.  A document
without tokens adds nothing, not even a separator.  The plan is pure arithmetic over counts and never sees a token.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpucurate.core.documents import RECORD_ID
from gpucurate.core.errors import InvariantError
from gpucurate.core.text_buffers import Offsets
from gpucurate.tokens.config import ShardsConfig
from gpucurate.tokens.encode import one_array
from gpucurate.tokens.remainder import CARRIED_PART, Carried, open_remainder
from gpucurate.tokens.shuffle import corpus_order, shuffled_order
from gpucurate.tokens.tokenizer import Tokenizer

REMAINDER = -1  # shard number of what did not fill a row
INDEX_OF_DOCUMENTS = pa.schema(
    [
        pa.field("record_id", RECORD_ID, nullable=False),
        pa.field("part", pa.int32(), nullable=False),  # which token file
        pa.field("row", pa.int32(), nullable=False),  # in it
        pa.field("tokens", pa.int64(), nullable=False),
    ]
)


@dataclass(frozen=True, slots=True)
class PackingAccount:
    """Where every token went.  Counts of tokens, except for the two of documents."""

    documents: int  # of this run, with tokens
    empty_documents: int  # without
    document_tokens: int
    separators: int  # one a document
    carried_in: int  # begun with, separators included
    padding: int
    in_shards: int
    dropped: int
    carried_out: int

    def check(self) -> None:
        """Raise InvariantError unless what came in equals what went out."""
        came = self.document_tokens + self.separators + self.carried_in + self.padding
        went = self.in_shards + self.dropped + self.carried_out
        if came != went or self.separators != self.documents:
            raise InvariantError(f"token account does not reconcile: {came} in, {went} out ({asdict(self)})")


class Pieces(NamedTuple):
    """Runs of document tokens within a shard, in its order; a document has at most one in a shard."""

    document: NDArray[np.int64]  # place in the stream's order
    offset: NDArray[np.int64]  # first token, counted within the document
    start: NDArray[np.int64]  # where it lies, counted within the flat shard
    length: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ShardTask:
    """Everything that writing one shard needs; small enough to travel."""

    number: int
    shape: tuple[int, ...]
    dtype: str
    separator: int
    part: NDArray[np.int32]  # per piece
    row: NDArray[np.int32]
    offset: NDArray[np.int64]  # within the row's stored tokens
    start: NDArray[np.int64]
    length: NDArray[np.int64]
    carried: Path | None  # the file behind part `CARRIED_PART`


@dataclass(frozen=True, slots=True)
class ShardPlan:
    """The stream and its cuts.  Arrays are per document, in the order of the stream, carried ones first."""

    config: ShardsConfig
    tokenizer: dict[str, object]
    dtype: str
    separator: int
    record_ids: pa.Array
    part: NDArray[np.int32]
    row: NDArray[np.int32]
    begins: NDArray[np.int64]  # position in the stream
    tokens: NDArray[np.int64]
    carried: Path | None  # the file behind part `CARRIED_PART`
    first_offset: int  # tokens of the first document that an earlier run has already packed
    capacity: int  # tokens of a full shard
    account: PackingAccount

    @property
    def shard_count(self) -> int:
        """How many shards there are; none where the stream fills no row."""
        return -(-self.account.in_shards // self.capacity)

    @property
    def stream_tokens(self) -> int:
        """Length of the stream, separators included, padding not."""
        return int(self.begins[-1] + self.tokens[-1]) + 1 if len(self.tokens) else 0

    def shard_tokens(self, number: int) -> int:
        """Tokens in a shard."""
        return min(self.capacity, self.account.in_shards - number * self.capacity)

    def pieces(self, number: int) -> Pieces:
        """What lies in a shard, or in the remainder if `number` is `REMAINDER`."""
        if number == REMAINDER:
            begin, end = self.account.in_shards, self.stream_tokens
        else:
            begin = number * self.capacity
            end = begin + self.shard_tokens(number)
        first = max(int(np.searchsorted(self.begins, begin, "right")) - 1, 0)
        document = np.arange(first, int(np.searchsorted(self.begins, end, "left")))
        start = np.maximum(self.begins[document], begin)
        length = np.minimum(self.begins[document] + self.tokens[document], end) - start
        filled = length > 0
        document, start, length = document[filled], start[filled], length[filled]
        offset = start - self.begins[document] + np.where(document == 0, self.first_offset, 0)
        return Pieces(document, offset, start - begin, length)

    def task(self, number: int) -> ShardTask:
        """What `write_shard` needs for one shard."""
        pieces = self.pieces(number)
        tokens = self.shard_tokens(number)
        row = self.config.length + 1
        stored = pieces.offset - np.where(pieces.document == 0, self.first_offset, 0)
        return ShardTask(
            number,
            (tokens,) if self.config.format == "stream" else (tokens // row, row),
            self.dtype,
            self.separator,
            self.part[pieces.document],
            self.row[pieces.document],
            stored,
            pieces.start,
            pieces.length,
            self.carried,
        )


def plan_shards(index: pa.Table, config: ShardsConfig, tokenizer: Tokenizer) -> ShardPlan:
    """Order the documents of `index` (schema `INDEX_OF_DOCUMENTS`) and decide where each goes.

    Takes 0.4 µs and 55 bytes a document (measured on 5 million).  Raises UserError where `config.begin_with` does not
    fit this tokenizer, InputError where it cannot be read.
    """
    part = one_array(index["part"]).to_numpy()
    row = one_array(index["row"]).to_numpy()
    tokens = one_array(index["tokens"]).to_numpy()
    record_ids = one_array(index["record_id"])
    order = shuffled_order(record_ids, part, row, config.seed) if config.shuffle else corpus_order(part, row)
    order = order[tokens[order] > 0]
    documents = (record_ids.take(pa.array(order)), part[order], row[order], tokens[order])
    path = Path(config.begin_with).absolute() if config.begin_with else None
    carried = open_remainder(path, tokenizer.identity()) if path else None
    counted = documents[3]
    if carried is not None:
        documents = _after_carried(carried, documents)
    begins = _begins(documents[3])
    carried_in = carried.stream_tokens if carried is not None else 0
    capacity, account = _account(config, counted, len(index) - len(counted), carried_in)
    account.check()
    return ShardPlan(
        config,
        tokenizer.identity(),
        tokenizer.dtype.newbyteorder("<").str,
        tokenizer.separator,
        *documents[:3],
        begins,
        documents[3],
        path,
        carried.first_offset if carried is not None else 0,
        capacity,
        account,
    )


Documents = tuple[pa.Array, NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]


def _after_carried(carried: Carried, documents: Documents) -> Documents:
    lengths = np.diff(carried.tokens.offsets)
    count = len(lengths)
    return (
        pa.concat_arrays([carried.tokens.record_ids, documents[0]]),
        np.concatenate([np.full(count, CARRIED_PART, np.int32), documents[1]]),
        np.concatenate([np.arange(count, dtype=np.int32), documents[2]]),
        np.concatenate([lengths, documents[3]]),
    )


def _begins(tokens: NDArray[np.int64]) -> Offsets:
    begins = np.zeros(len(tokens), np.int64)
    np.cumsum(tokens[:-1] + 1, out=begins[1:])
    return begins


def _account(
    config: ShardsConfig, tokens: NDArray[np.int64], empty: int, carried_in: int
) -> tuple[int, PackingAccount]:
    """Tokens of a full shard, and the account."""
    document_tokens, documents = int(tokens.sum()), len(tokens)
    stream = carried_in + document_tokens + documents
    if config.format == "stream":
        capacity, left, padding = config.size, 0, 0
    else:
        row = config.length + 1
        capacity, left = config.size // row * row, stream % row
        padding = row - left if left and config.remainder == "pad" else 0
    if padding:
        left = 0
    lost = {"dropped": 0, "carried_out": 0} | {"carried_out" if config.remainder == "carry" else "dropped": left}
    return capacity, PackingAccount(
        documents, empty, document_tokens, documents, carried_in, padding, stream + padding - left, **lost
    )
