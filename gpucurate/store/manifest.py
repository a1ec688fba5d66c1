"""The manifest: one JSON line for every artifact, saying what made it from what, and at what cost.

It is a Merkle graph: `inputs` are digests of other artifacts or of snapshot files, so that tracing a shard row back to
its raw record is walking the lines.  A torn or damaged line (the writer was killed) is ignored; its artifact is
still found by name and gets its line again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from gpucurate.store.atomic import storage_errors, write_bytes

MANIFEST = "manifest.jsonl"


@dataclass(frozen=True, slots=True)
class Entry:
    """One artifact.  `path` is relative to the output directory; `seconds` is what making it took, on one core."""

    stage: str
    key: str
    part: str
    path: str
    digest: str
    rows: int
    bytes: int
    inputs: tuple[str, ...] = ()
    seconds: float = 0.0
    code: str = ""  # version of gpucurate
    environment: str = ""  # digest of Python and library versions
    counts: dict[str, int] = field(default_factory=dict)


class Manifest:
    """The entries of an output directory, by path; appended as tasks finish."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / MANIFEST
        self._entries: dict[str, Entry] = {}
        for entry in _whole_entries(self._path):
            self._entries[entry.path] = entry

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries.values())

    def at(self, path: str) -> Entry:
        """The entry of an artifact, by its path relative to the output directory; raises KeyError."""
        return self._entries[path]

    def add(self, entries: Iterable[Entry]) -> None:
        """Append entries that are new and put them on the disk.  Raises StorageError."""
        fresh = [entry for entry in entries if entry.path not in self._entries]
        if not fresh:
            return
        with storage_errors(self._path), self._path.open("ab") as file:
            if file.tell() and not _ends_with_newline(self._path):
                file.write(b"\n")
            file.writelines(map(_line, fresh))
            file.flush()
            os.fsync(file.fileno())
        self._entries.update({entry.path: entry for entry in fresh})

    def discard_damaged(self) -> list[str]:
        """Forget artifacts that are gone, delete those of another size than was written; returns their paths.

        For the holder of the directory's lock, before a run: what is gone is made again if the run needs it.  Bytes
        that changed without changing their number are for verification to find.  Raises StorageError.
        """
        sizes = {path: _size(self._path.parent / path) for path in self._entries}
        damaged = [path for path, size in sizes.items() if size != self._entries[path].bytes]
        if damaged:
            for path in damaged:
                with storage_errors(self._path.parent / path):
                    (self._path.parent / path).unlink(missing_ok=True)
                del self._entries[path]
            write_bytes(self._path, b"".join(map(_line, self._entries.values())))
        return damaged


def _size(path: Path) -> int | None:
    """Bytes of a file; None if it is gone."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return None


def _line(entry: Entry) -> bytes:
    return json.dumps(asdict(entry), sort_keys=True).encode() + b"\n"


def _whole_entries(path: Path) -> Iterator[Entry]:
    if not path.exists():
        return
    for line in path.read_bytes().split(b"\n"):
        try:
            content = dict(json.loads(line))
            yield Entry(**{**content, "inputs": tuple(content["inputs"])})
        except (ValueError, TypeError, KeyError):
            continue  # the torn tail of a killed run, a damaged line, or the empty piece after the last newline


def _ends_with_newline(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"
