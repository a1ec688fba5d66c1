"""A file of a snapshot, as sources and what lists files for them both know it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class InputFile:
    """One file of a snapshot.  `digest` is BLAKE3 of its bytes, or `etag:...` for a remote object.

    `name` is what documents call the file: its path below the directory or glob that the recipe named, so that it is
    the same on every machine; `url` is where it lies on this one.
    """

    url: str
    size: int
    digest: str
    name: str = ""
    retrieved: datetime | None = None  # when `gpucurate fetch` brought it, by its ledger
