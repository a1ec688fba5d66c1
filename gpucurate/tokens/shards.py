"""Writing shards: one task a shard, the same bytes whoever writes them and in whatever order.

A shard is an array of separators into which the documents are copied, saved as .npy; memory is bounded by one shard.
Every file is written under a temporary name and renamed; shards.json comes last.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from gpucurate.core.compiled import kernel
from gpucurate.core.digests import canonical_json, digest_file
from gpucurate.core.documents import RECORD_ID
from gpucurate.core.errors import InvariantError, UserError
from gpucurate.core.text_buffers import Offsets, read_only
from gpucurate.store.atomic import atomic_file, storage_errors, write_bytes
from gpucurate.tokens import description, remainder
from gpucurate.tokens.description import Description, OtherFile, ShardFile
from gpucurate.tokens.encode import open_tokens, tokens_table
from gpucurate.tokens.packing import REMAINDER, ShardPlan, ShardTask
from gpucurate.tokens.remainder import CARRIED_PART, write_remainder

SHARD_NAME = re.compile(r"shard-\d{5,}\.npy")
INDEX_SCHEMA = pa.schema(
    [
        pa.field("record_id", RECORD_ID, nullable=False),
        pa.field("shard", pa.int32(), nullable=False),  # -1: in the remainder
        pa.field("start", pa.int64(), nullable=False),  # first token, counted within the flat shard
        pa.field("length", pa.int64(), nullable=False),  # tokens, separator not counted
        pa.field("offset", pa.int64(), nullable=False),  # first token, counted within the document
    ]
)


@dataclass(frozen=True, slots=True)
class ShardEntry:
    """A shard that is written."""

    number: int
    rows: int
    tokens: int
    digest: str


def shard_name(number: int) -> str:
    """File name of a shard."""
    return f"shard-{number:05d}.npy"


def begin_shards(plan: ShardPlan, directory: Path) -> None:
    """Remove shards.json before a shard it describes is replaced.

    Raises UserError if the plan begins with a file in `directory`, which finishing would replace.
    """
    if plan.carried is not None and plan.carried.parent.resolve() == directory.resolve():
        raise UserError(
            f"shards.begin_with: {plan.carried} lies in the directory that this run writes to. "
            "Remedy: choose another --out, or move the file"
        )
    with storage_errors(directory):
        (directory / description.NAME).unlink(missing_ok=True)


def write_shard(task: ShardTask, token_files: Sequence[Path], directory: Path) -> ShardEntry:
    """Write one shard; `token_files[p]` holds the tokens of part p (see `encode.open_tokens`).

    Raises StorageError, and InvariantError where a token file is not the one the plan was made from.
    """
    shard = np.full(int(np.prod(task.shape)), task.separator, task.dtype)
    for part in np.unique(task.part).tolist():
        path = _token_file(part, task.carried, token_files)
        stored = open_tokens(path)
        mine = np.flatnonzero(task.part == part)
        row, offset, length = task.row[mine], task.offset[mine], task.length[mine]
        source = stored.offsets[row] + offset
        if stored.tokens.dtype != shard.dtype or (source + length > stored.offsets[row + 1]).any():
            raise InvariantError(f"{path} does not hold the tokens that shard {task.number} was planned with")
        copy_runs(read_only(stored.tokens), source, shard, task.start[mine], length)
    path = directory / shard_name(task.number)
    with atomic_file(path) as temporary:
        with temporary.open("wb") as file:
            header = {"descr": task.dtype, "fortran_order": False, "shape": task.shape}
            np.lib.format.write_array_header_1_0(file, header)
            file.write(shard.data)
        digest = digest_file(temporary)
    rows = task.shape[0] if len(task.shape) == 2 else 0
    return ShardEntry(task.number, rows, len(shard), digest)


def _token_file(part: int, carried: Path | None, token_files: Sequence[Path]) -> Path:
    return carried if part == CARRIED_PART and carried is not None else token_files[part]


@kernel
def copy_runs(
    source: NDArray[Any], source_starts: Offsets, target: NDArray[Any], target_starts: Offsets, lengths: Offsets
) -> None:
    """Copy many short runs from one array to another."""
    for i in range(len(lengths)):
        begin, start = source_starts[i], target_starts[i]
        for j in range(lengths[i]):
            target[start + j] = source[begin + j]


def finish_shards(
    plan: ShardPlan, entries: Sequence[ShardEntry], token_files: Sequence[Path], directory: Path
) -> Description:
    """Write index, remainder and shards.json, and remove shards of an earlier plan.

    `entries` in any order.  Raises InvariantError unless they are exactly the plan's shards.
    """
    ordered = sorted(entries, key=lambda entry: entry.number)
    expected = [(number, plan.shard_tokens(number)) for number in range(plan.shard_count)]
    if [(entry.number, entry.tokens) for entry in ordered] != expected:
        raise InvariantError(f"{len(ordered)} shards were written, {plan.shard_count} are in the plan")
    index = _write_index(plan, directory / description.INDEX)
    left_over = _write_remainder(plan, token_files, directory / remainder.NAME)
    row = plan.config.length + 1
    in_stream = max(plan.account.in_shards - 1, 0) // plan.config.length
    content = Description(
        format=plan.config.format,
        length=plan.config.length,
        dtype=plan.dtype,
        tokenizer=json.loads(canonical_json(plan.tokenizer)),
        separator=plan.separator,
        shuffle=plan.config.shuffle,
        seed=plan.config.seed,
        rows=plan.account.in_shards // row if plan.config.format == "rows" else in_stream,
        tokens=plan.account.in_shards,
        capacity=plan.capacity,
        account=asdict(plan.account),
        shards=tuple(
            ShardFile(file=shard_name(e.number), rows=e.rows, tokens=e.tokens, digest=e.digest) for e in ordered
        ),
        index=index,
        remainder=left_over,
    )
    _remove_strangers(directory, {file.file for file in content.shards}, left_over is not None)
    write_bytes(directory / description.NAME, content.to_bytes())
    return content


def _write_index(plan: ShardPlan, path: Path) -> OtherFile:
    """One row group a shard, so that a reader finds a shard's documents without reading the others'."""
    rows = 0
    with atomic_file(path) as temporary:
        with pq.ParquetWriter(temporary, INDEX_SCHEMA, compression="zstd", compression_level=1) as writer:
            for number in [*range(plan.shard_count), REMAINDER]:
                table = _index_of(plan, number)
                rows += len(table)
                if len(table):
                    writer.write_table(table, row_group_size=len(table))
        digest = digest_file(temporary)
    return OtherFile(file=path.name, rows=rows, digest=digest)


def _index_of(plan: ShardPlan, number: int) -> pa.Table:
    pieces = plan.pieces(number)
    shard = np.full(len(pieces.document), number, np.int32)
    columns = [plan.record_ids.take(pa.array(pieces.document)), shard, pieces.start, pieces.length, pieces.offset]
    return pa.table([pa.array(column) for column in columns], schema=INDEX_SCHEMA)


def _write_remainder(plan: ShardPlan, token_files: Sequence[Path], path: Path) -> OtherFile | None:
    """The carried remainder, or None if nothing is carried."""
    if not plan.account.carried_out:
        return None
    ends = plan.begins + plan.tokens  # of the documents' own tokens; a separator stands there
    documents = np.flatnonzero(ends >= plan.account.in_shards)
    tokens: list[NDArray[Any]] = []
    first_offset = 0
    for i in documents.tolist():
        part, row = int(plan.part[i]), int(plan.row[i])
        stored = open_tokens(_token_file(part, plan.carried, token_files))
        packed = max(0, plan.account.in_shards - int(plan.begins[i]))
        if packed or i == 0:
            first_offset = packed + (plan.first_offset if i == 0 else 0)
        tokens.append(stored.tokens[stored.offsets[row] + packed : stored.offsets[row + 1]])
    offsets = np.concatenate([[0], np.cumsum([len(run) for run in tokens])]).astype(np.int64)
    table = tokens_table(plan.record_ids.take(pa.array(documents)), np.concatenate(tokens), offsets)
    with atomic_file(path) as temporary:
        write_remainder(table, first_offset, plan.tokenizer, temporary)
        digest = digest_file(temporary)
    return OtherFile(file=path.name, rows=len(table), digest=digest)


def _remove_strangers(directory: Path, shards: set[str], keep_remainder: bool) -> None:
    with storage_errors(directory):
        for path in directory.iterdir():
            if SHARD_NAME.fullmatch(path.name) and path.name not in shards:
                path.unlink()
        if not keep_remainder:
            (directory / remainder.NAME).unlink(missing_ok=True)
