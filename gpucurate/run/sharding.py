"""From settled parts to shards: plan once, then one task a shard.

A small file holds the key of the plan that the shard files follow; under the same plan a file that exists is whole and
stays, under another one all are removed before the first is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from gpucurate.core.digests import digest_file
from gpucurate.core.errors import InputError
from gpucurate.run.executors import Executor
from gpucurate.run.live import RunContext
from gpucurate.run.progress import Progress
from gpucurate.run.settle import INDEX, Settled
from gpucurate.store.artifacts import Artifact, task_key
from gpucurate.store.atomic import storage_errors, write_bytes
from gpucurate.tokens import description, remainder
from gpucurate.tokens.packing import ShardPlan, ShardTask, plan_shards
from gpucurate.tokens.reader import map_shard
from gpucurate.tokens.shards import SHARD_NAME, ShardEntry, begin_shards, finish_shards, shard_name, write_shard
from gpucurate.tokens.tokenizer import load_tokenizer

PLAN = ".plan"
VERSION = 1


def make_shards(
    context: RunContext, settled: Sequence[Settled], tokenizer_file: str | None, execute: Executor, progress: Progress
) -> None:
    """Write the shards of the survivors, or what of them is missing."""
    live, directory = context.live, context.directory.shards
    assert live.tokens is not None
    assert live.shards is not None
    tokenizer = load_tokenizer(live.tokens, context.directory.root / tokenizer_file if tokenizer_file else None)
    token_files = [context.directory.root / s.tokens for s in settled if s.tokens]
    inputs = [Artifact.at(path).digest for path in token_files]
    inputs += [Artifact.at(context.directory.root / s.decisions).digest for s in settled]
    settings = {"shards": live.shards.model_dump(mode="json"), "tokenizer": tokenizer.identity()}
    if live.shards.begin_with:
        try:
            inputs.append(digest_file(live.shards.begin_with))
        except OSError as error:
            raise InputError(f"shards.begin_with: cannot read {live.shards.begin_with}: {error.strerror}") from error
    key = task_key("shards", VERSION, settings, inputs)
    if _follows(directory, key) and _complete(directory):
        return
    index = pa.concat_tables([INDEX.empty_table(), *(s.index for s in settled)])
    repeated = index.num_rows - pc.count_distinct(index["record_id"]).as_py()
    if repeated:
        progress.say(
            f"{repeated} documents have the record id of another: the same content under the same address, read twice. "
            "The step exact_duplicates keeps one of them"
        )
    plan: ShardPlan = plan_shards(index, live.shards, tokenizer)
    begin_shards(plan, directory)
    _follow(directory, key)
    tasks = [plan.task(number) for number in range(plan.shard_count)]
    entries: list[ShardEntry] = []
    with progress.stage("write shards", len(tasks)) as bar:
        for _, entry in execute.unordered(partial(shard, token_files=token_files, directory=directory), tasks):
            entries.append(entry)
            bar.advance(0)
    finish_shards(plan, entries, token_files, directory)


def shard(task: ShardTask, token_files: Sequence[Path], directory: Path) -> ShardEntry:
    """Write one shard unless it is there."""
    path = directory / shard_name(task.number)
    if not _is_array(path, task.shape):
        return write_shard(task, token_files, directory)
    rows = task.shape[0] if len(task.shape) == 2 else 0
    return ShardEntry(task.number, rows, int(np.prod(task.shape)), digest_file(path))


def _follows(directory: Path, key: str) -> bool:
    plan = directory / PLAN
    return plan.exists() and plan.read_bytes() == key.encode()


def _complete(directory: Path) -> bool:
    """True if no file that shards.json names is gone or cut short; changed bytes are for verification to find."""
    try:
        content = description.read_description(directory)
        for number in range(len(content.shards)):
            map_shard(directory, content, number)
    except InputError:
        return False
    others = [content.index, content.remainder] if content.remainder else [content.index]
    return all(_holds(directory / other.file, other.digest) for other in others)


def _holds(path: Path, digest: str) -> bool:
    return path.exists() and digest_file(path) == digest


def _is_array(path: Path, shape: tuple[int, ...]) -> bool:
    """True for a file that holds an array of that shape; False if it is gone or damaged since."""
    try:
        return bool(np.load(path, mmap_mode="r", allow_pickle=False).shape == shape)
    except (OSError, ValueError, EOFError):
        return False


def remove_shards(directory: Path) -> None:
    """Remove what a run wrote for a recipe that asked for shards, now that it asks for none."""
    with storage_errors(directory):
        (directory / description.NAME).unlink(missing_ok=True)  # first: what it describes is about to go
        for path in directory.iterdir() if directory.is_dir() else ():
            if path.name in (description.INDEX, remainder.NAME, PLAN) or SHARD_NAME.fullmatch(path.name):
                path.unlink()


def _follow(directory: Path, key: str) -> None:
    """Make sure that every shard file in the directory follows this plan."""
    if _follows(directory, key):
        return
    with storage_errors(directory):
        directory.mkdir(parents=True, exist_ok=True)
        for path in directory.iterdir():
            if SHARD_NAME.fullmatch(path.name):
                path.unlink()
    write_bytes(directory / PLAN, key.encode())
