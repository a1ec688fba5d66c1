"""The ledger `.fetch.jsonl` beside fetched files: which file came from where, when, and how it was verified.

One JSON object a line, appended and synced before the file gets its final name; the last line about a file holds.
"""

from __future__ import annotations

import json
import os
import threading
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from gpucurate.core.errors import InputError
from gpucurate.store.atomic import storage_errors

LEDGER = ".fetch.jsonl"  # hidden, so that no source takes it for data


@dataclass(frozen=True, slots=True)
class Entry:
    """A fetched file.  `verified` says by what: `sha1:...`, `md5:...` or `length`; `mark` is the server's ETag or time
    of last change."""

    file: str  # path below the directory
    url: str
    size: int
    retrieved: str  # ISO 8601, UTC
    verified: str
    mark: str | None


class Ledger:
    """The ledger of one directory; safe to use from several threads of one process."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / LEDGER
        self._lock = threading.Lock()
        self.entries = read_ledger(directory)

    def holds(self, file: str, url: str) -> bool:
        """True if this file came from this URL and is still there at its full size."""
        entry = self.entries.get(file)
        path = self._path.parent / file
        return entry is not None and entry.url == url and path.is_file() and path.stat().st_size == entry.size

    def add(self, entry: Entry) -> None:
        """Append an entry and have it on disk before returning."""
        with self._lock, storage_errors(self._path), self._path.open("ab+") as ledger:
            ledger.seek(0, os.SEEK_END)
            if ledger.tell():
                ledger.seek(-1, os.SEEK_END)
                if ledger.read(1) != b"\n":  # a line cut short by a kill
                    ledger.write(b"\n")
            ledger.write(json.dumps(asdict(entry)).encode() + b"\n")
            ledger.flush()
            os.fsync(ledger.fileno())
            self.entries[entry.file] = entry


def read_ledger(directory: Path) -> dict[str, Entry]:
    """Entries by file, none if there is no ledger.  Lines that a kill cut short are left out: their files have no
    final name yet.  Raises InputError if the ledger cannot be read."""
    entries: dict[str, Entry] = {}
    try:
        lines = (directory / LEDGER).read_bytes().splitlines()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise InputError(f"cannot read {directory / LEDGER}: {error.strerror or error}") from error
    for line in lines:
        try:
            entry = Entry(**json.loads(line))
        except (ValueError, TypeError):
            continue
        entries[entry.file] = entry
    return entries


def timestamp() -> str:
    """Now, as the ledger writes it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def retrieval_time(path: Path) -> datetime | None:
    """When a local file was fetched, by the nearest ledger above it that knows it; None if none does."""
    for directory in path.parents:
        if (directory / LEDGER).is_file():
            entry = read_ledger(directory).get(path.relative_to(directory).as_posix())
            if entry is not None and entry.size == path.stat().st_size:
                return datetime.fromisoformat(entry.retrieved)
    return None
