"""Tokens of one part: a row a document, ids in one flat array behind it.

Tokens are made once and stay as they are; separators, order and rows belong to the shards.  The file is uncompressed
Arrow, so that a shard can take its documents from many parts by memory map.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.ipc as ipc
from numpy.typing import NDArray

from gpucurate.core.documents import RECORD_ID
from gpucurate.core.errors import InvariantError, StorageError
from gpucurate.core.text_buffers import Offsets
from gpucurate.tokens.tokenizer import Tokenizer, Tokens


def tokens_schema(dtype: np.dtype[Any]) -> pa.Schema:
    """`record_id` and `tokens`, a large_list of uint16 or uint32."""
    ids = pa.large_list(pa.field("item", pa.from_numpy_dtype(dtype), nullable=False))
    return pa.schema([pa.field("record_id", RECORD_ID, nullable=False), pa.field("tokens", ids, nullable=False)])


def encode_part(documents: pa.Table, tokenizer: Tokenizer) -> pa.Table:
    """Tokens of `documents` (columns `record_id` and `text`), in their order; schema `tokens_schema`.

    Raises InvariantError if a text is null.
    """
    texts = one_array(documents["text"]).cast(pa.large_string())
    if texts.null_count:
        raise InvariantError(f"{texts.null_count} documents without text reached the tokenizer")
    return tokens_table(one_array(documents["record_id"]), *tokenizer.encode(texts))


def tokens_table(record_ids: pa.Array, tokens: Tokens, offsets: Offsets) -> pa.Table:
    """Flat ids and offsets as a table of schema `tokens_schema`, without copying."""
    schema = tokens_schema(tokens.dtype)
    lists = pa.LargeListArray.from_arrays(pa.array(offsets), pa.array(tokens), type=schema.field("tokens").type)
    return pa.table([record_ids, lists], schema=schema)


class PartTokens(NamedTuple):
    """A part's tokens in memory or mapped: ids of row i are `tokens[offsets[i]:offsets[i + 1]]`."""

    record_ids: pa.Array
    tokens: NDArray[Any]  # uint16 or uint32
    offsets: Offsets


def part_tokens(table: pa.Table) -> PartTokens:
    """View a table of schema `tokens_schema`."""
    lists = one_array(table["tokens"])
    return PartTokens(one_array(table["record_id"]), lists.values.to_numpy(), np.asarray(lists.offsets, np.int64))


def write_tokens(table: pa.Table, path: Path) -> None:
    """Write as uncompressed Arrow; the same table gives the same bytes."""
    with ipc.new_file(path, table.schema) as writer:
        writer.write_table(table.combine_chunks())


def open_tokens(path: Path) -> PartTokens:
    """Map a file that `write_tokens` wrote.  Raises StorageError naming it."""
    try:
        return part_tokens(ipc.open_file(pa.memory_map(str(path))).read_all())
    except (OSError, pa.ArrowException, KeyError) as error:
        raise StorageError(
            f"cannot read tokens from {path}: {error}. Remedy: delete that file and run the same command again"
        ) from error


def one_array(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    """A column as a single array, copied only if it has several chunks."""
    if isinstance(column, pa.ChunkedArray):
        return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    return column
