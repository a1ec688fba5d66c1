"""Verification of shards: read everything again and say, precisely, what is wrong.

First the files against their digests, then the index against itself and the shards, then every document's tokens
against its text.  Nothing is repaired, and nothing that the run kept in memory is believed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa

from gpucurate.core.digests import canonical_json, digest_file
from gpucurate.core.errors import InputError, InvariantError
from gpucurate.tokens.description import Description, OtherFile, ShardFile, read_description
from gpucurate.tokens.packing import PackingAccount
from gpucurate.tokens.reader import map_shard
from gpucurate.tokens.shards import SHARD_NAME
from gpucurate.tokens.tokenizer import Tokenizer
from gpucurate.tokens.verify_documents import differing_documents
from gpucurate.tokens.verify_index import IndexRows, broken_chain, read_index, uncovered_positions

MOST_PROBLEMS = 100


def verify_shards(directory: Path, documents: Iterable[pa.Table], tokenizer: Tokenizer) -> list[str]:
    """Everything that is wrong with the shards in `directory`, a line each, at most 100; an empty list is a pass.

    `documents` are tables with `record_id` and `text` of all documents that went into the shards, in any order.
    """
    problems = list(islice(_problems(directory, documents, tokenizer), MOST_PROBLEMS + 1))
    if len(problems) > MOST_PROBLEMS:
        problems[-1] = f"... and more; only the first {MOST_PROBLEMS} are listed"
    return problems


def _problems(directory: Path, documents: Iterable[pa.Table], tokenizer: Tokenizer) -> Iterator[str]:
    try:
        content = read_description(directory)
    except InputError as error:
        yield str(error)
        return
    damaged = [*_damaged_files(directory, content), *_wrong_description(content, tokenizer)]
    yield from damaged
    if damaged:
        return  # what follows would only repeat it
    index = read_index(directory, content)
    broken = list(broken_chain(index, content))
    for number in range(len(content.shards)):
        broken += _wrong_tokens(directory, content, index, number)
    yield from broken
    if not broken:
        yield from differing_documents(directory, content, index, documents, tokenizer)


def _damaged_files(directory: Path, content: Description) -> Iterator[str]:
    """Files that are missing, differ from their digest, or belong to no one."""
    files: list[ShardFile | OtherFile] = [*content.shards, content.index]
    files += [content.remainder] if content.remainder else []
    for file in files:
        path = directory / file.file
        if not path.is_file():
            yield f"{path}: missing. Remedy: run the same recipe again"
        elif digest_file(path) != file.digest:
            yield (
                f"{path}: its bytes are not those that were written (digest differs). "
                "Remedy: delete that file and run the same recipe again"
            )
    known = {shard.file for shard in content.shards}
    for path in sorted(directory.iterdir()):
        if SHARD_NAME.fullmatch(path.name) and path.name not in known:
            yield f"{path}: a shard that shards.json does not know"


def _wrong_description(content: Description, tokenizer: Tokenizer) -> Iterator[str]:
    if canonical_json(content.tokenizer) != canonical_json(tokenizer.identity()):
        yield f"shards.json: made by tokenizer {content.tokenizer}, the recipe's is {tokenizer.identity()}"
    if np.dtype(content.dtype) != tokenizer.dtype or content.separator != tokenizer.separator:
        yield f"shards.json: {content.dtype}, separator {content.separator} do not fit {tokenizer.name}"
    if sum(shard.tokens for shard in content.shards) != content.tokens:
        yield f"shards.json: its shards do not add up to {content.tokens} tokens"
    if any(shard.tokens != content.capacity for shard in content.shards[:-1]):
        yield f"shards.json: a shard before the last does not hold {content.capacity} tokens"
    try:
        account = PackingAccount(**content.account)
        account.check()
    except (TypeError, InvariantError) as error:
        yield f"shards.json: {error}"
        return
    if account.in_shards != content.tokens:
        yield f"shards.json: {content.tokens} tokens in shards, {account.in_shards} in the account"


def _wrong_tokens(directory: Path, content: Description, index: IndexRows, number: int) -> Iterator[str]:
    """Shape, ids outside the vocabulary, and places that no document covers but that are no separator."""
    name = content.shards[number].file
    try:
        flat = map_shard(directory, content, number).reshape(-1)
    except InputError as error:
        yield str(error)
        return
    size = int(content.tokenizer["size"])
    if len(flat) and int(flat.max()) >= size:
        place = int(np.argmax(flat >= size))
        yield f"{name}: token {place} is id {flat[place]}, the vocabulary has {size}"
    free = uncovered_positions(index, number, len(flat))
    wrong = free[flat[free] != content.separator]
    if len(wrong):
        yield f"{name}: token {wrong[0]} belongs to no document and is no separator ({len(wrong)} such)"
    inside = int(np.count_nonzero(flat == content.separator)) - (len(free) - len(wrong))
    if inside:
        yield f"{name}: {inside} separators stand inside documents"
