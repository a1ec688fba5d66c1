"""shards.json: what a directory of shards holds, so that it can be read and checked without the run that made it.

Written last, so that its presence means the shards are complete; its own digest stands in it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from gpucurate.core.digests import digest_settings
from gpucurate.core.errors import InputError
from gpucurate.recipe.model import Block

NAME = "shards.json"
INDEX = "index.parquet"
VERSION = 1


class ShardFile(Block):
    """One shard: `tokens` in its array, `rows` of it (0 in a stream), BLAKE3 of the file."""

    file: str
    rows: int
    tokens: int
    digest: str


class OtherFile(Block):
    """The index or the remainder: rows of its table, BLAKE3 of the file."""

    file: str
    rows: int
    digest: str


class Description(Block):
    """The content of shards.json.  `tokenizer` is its identity, `account` as `packing.PackingAccount`."""

    version: Literal[1] = 1
    format: Literal["rows", "stream"]
    length: int
    dtype: str
    tokenizer: dict[str, Any]
    separator: int
    shuffle: bool
    seed: int
    rows: int  # that the reader gives
    tokens: int  # in all shards
    capacity: int  # tokens of a full shard
    account: dict[str, int]
    shards: tuple[ShardFile, ...]
    index: OtherFile
    remainder: OtherFile | None

    def to_bytes(self) -> bytes:
        """The file: one line a key, sorted, with a digest over all of it."""
        content = self.model_dump(mode="json")
        content["digest"] = digest_settings(content)
        return (json.dumps(content, sort_keys=True, indent=1, ensure_ascii=False) + "\n").encode()


def find_shards(directory: str | Path) -> Path:
    """The directory with shards.json: `directory`, or `shards` below it.  Raises InputError if there is none."""
    root = Path(directory)
    for candidate in (root, root / "shards"):
        if (candidate / NAME).is_file():
            return candidate
    what = "holds no finished shards" if root.is_dir() else "is not a directory"
    raise InputError(
        f"{directory} {what} ({NAME} is not there). Remedy: name the --out directory of a run that has finished"
    )


def read_description(directory: Path) -> Description:
    """Read shards.json.  Raises InputError where it is damaged or of another version."""
    path = directory / NAME
    try:
        raw = path.read_bytes()
        content = dict(json.loads(raw))
        content.pop("digest", None)
        description = Description.model_validate(content)
    except (OSError, ValueError, TypeError, ValidationError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"{path} cannot be read: {reason}. Remedy: make the shards again") from error
    if description.to_bytes() != raw:
        raise InputError(f"{path} is damaged (its digest differs). Remedy: make the shards again")
    return description
