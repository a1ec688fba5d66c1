"""Artifacts: immutable files named by what they are made from and what they contain.

`parts/<part>/<stage>@<key>.<digest>.<suffix>`: `key` is the task's (step, version, configuration, inputs), `digest`
the content's.  A finished task is found again by name alone, without opening a file or asking a database.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.ipc as ipc
import pyarrow.parquet as pq

from gpucurate.core.digests import digest_file, digest_settings
from gpucurate.core.errors import StorageError
from gpucurate.store.atomic import atomic_file

OWNER_ONLY = 0o600
NAME_DIGITS = 24  # hex digits of key and digest in names: 96 bits each
ENTRY = b"gpucurate.entry"  # schema metadata: what made this artifact


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file on disk that is whole.  `digest` is the first `NAME_DIGITS` hex digits of BLAKE3 over its bytes."""

    path: Path
    key: str
    digest: str

    @classmethod
    def at(cls, path: Path) -> Artifact:
        """The artifact a path names."""
        key, digest, _ = path.name.split("@", 1)[1].split(".")
        return cls(path, key, digest)

    @property
    def stage(self) -> str:
        """The step or stage that made it."""
        return self.path.name.split("@", 1)[0]


def task_key(stage: str, version: int, settings: object, inputs: list[str]) -> str:
    """Key of a task: digest over stage, its version, what configures it, and the digests of its inputs, in order."""
    return digest_settings({"stage": stage, "version": version, "settings": settings, "inputs": inputs})[:NAME_DIGITS]


def find(directory: Path, stage: str, key: str) -> Artifact | None:
    """The artifact of this task if a run has finished it."""
    for path in directory.glob(f"{stage}@{key}.*"):
        return Artifact.at(path)
    return None


def write_table(
    directory: Path,
    stage: str,
    key: str,
    table: pa.Table,
    entry: Mapping[str, object],
    *,
    mapped: bool = False,
    restricted: bool = False,
) -> Artifact:
    """Write a table as Parquet (zstd), or as an uncompressed Arrow file where readers map it into memory.

    A `restricted` one can be read by its owner only.

    `entry` goes into the schema's metadata; it must not hold anything that differs between two runs of one task,
    since equal tasks give equal bytes.  Raises StorageError.
    """
    table = table.replace_schema_metadata({ENTRY: json.dumps(entry, sort_keys=True)})

    def fill(path: Path) -> None:
        if restricted:
            path.touch(OWNER_ONLY)  # before the first byte is in it
        if mapped:
            with ipc.new_file(path, table.schema) as writer:
                writer.write_table(table.combine_chunks())
        else:
            pq.write_table(table, path, compression="zstd", compression_level=1)

    return _write(directory, stage, key, "arrow" if mapped else "parquet", fill)


def write_content(directory: Path, stage: str, key: str, suffix: str, content: bytes) -> Artifact:
    """Write an artifact that is no table.  Raises StorageError."""

    def fill(path: Path) -> None:
        path.write_bytes(content)

    return _write(directory, stage, key, suffix, fill)


def _write(directory: Path, stage: str, key: str, suffix: str, fill: Callable[[Path], None]) -> Artifact:
    """Fill a file and name it by its key and content."""
    digest = ""

    def name_by_content(temporary: Path) -> Path:
        nonlocal digest
        digest = digest_file(temporary)[:NAME_DIGITS]
        return directory / f"{stage}@{key}.{digest}.{suffix}"

    with atomic_file(directory / f"{stage}@{key}.{suffix}", name_by_content) as temporary:
        fill(temporary)
    return Artifact(directory / f"{stage}@{key}.{digest}.{suffix}", key, digest)


def read_table(artifact: Artifact, columns: list[str] | None = None) -> pa.Table:
    """Read an artifact; Arrow files are mapped, not read.  Raises StorageError naming the damaged file."""
    try:
        if artifact.path.suffix == ".arrow":
            table = ipc.open_file(pa.memory_map(str(artifact.path))).read_all()
            return table.select(columns) if columns is not None else table
        return pq.read_table(artifact.path, columns=columns, memory_map=True)
    except (OSError, pa.ArrowInvalid, pa.ArrowException) as error:
        raise StorageError(
            f"cannot read {artifact.path}: {error}. Remedy: delete that file and run the same command again"
        ) from error


def read_rows(artifact: Artifact) -> int:
    """Number of rows, without reading them."""
    if artifact.path.suffix == ".arrow":
        return int(read_table(artifact).num_rows)
    return int(pq.read_metadata(artifact.path).num_rows)


def read_entry(artifact: Artifact) -> dict[str, object]:
    """The metadata an artifact was written with."""
    if artifact.path.suffix == ".arrow":
        metadata = ipc.open_file(pa.memory_map(str(artifact.path))).schema.metadata
    else:
        metadata = pq.read_schema(artifact.path).metadata
    entry: dict[str, object] = json.loads((metadata or {}).get(ENTRY, b"{}"))
    return entry
