"""An output directory: whose recipe it holds, where things lie in it, and the lock that keeps a second run out."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpucurate.core.errors import StorageError, UserError
from gpucurate.store.atomic import storage_errors, write_bytes

FORMAT = 2  # documents have the columns of core.documents.SCHEMA_VERSION 2
MARK = "gpucurate.json"  # its presence makes a directory ours
LOCK = ".lock"


@dataclass(frozen=True, slots=True)
class OutputDirectory:
    """Names inside `--out DIR`; nothing outside this class spells them."""

    root: Path

    @property
    def units(self) -> Path:
        """What reading each unit of a source gave, one JSON file a unit."""
        return self.root / "units"

    @property
    def parts(self) -> Path:
        """Artifacts by part."""
        return self.root / "parts"

    @property
    def corpus(self) -> Path:
        """Artifacts that span all parts: gathered rows, the trained tokenizer."""
        return self.root / "corpus"

    @property
    def scratch(self) -> Path:
        """What a comparison needs on its way, by part; nothing is left here by a run that finished."""
        return self.root / "scratch"

    @property
    def shards(self) -> Path:
        """The product."""
        return self.root / "shards"

    @property
    def report(self) -> Path:
        """Funnel and account."""
        return self.root / "report"

    def relative(self, path: Path) -> str:
        """A path as the manifest writes it."""
        return path.relative_to(self.root).as_posix()


def open_directory(path: str | Path) -> tuple[OutputDirectory, dict[str, Any]]:
    """An existing output directory and its mark; raises UserError if it is not one."""
    root = Path(path)
    mark = root / MARK
    if not mark.is_file():
        raise UserError(f"{root} is not an output directory of gpucurate (it holds no {MARK})")
    try:
        content: dict[str, Any] = dict(json.loads(mark.read_bytes()))
        number, _ = content["format"], content["recipe"]["name"]
    except (ValueError, TypeError, KeyError) as error:
        raise StorageError(f"{mark} is damaged ({error}). Remedy: run into a new directory") from error
    if number != FORMAT:
        raise UserError(
            f"{root} was written in format {number}, this version reads format {FORMAT}. "
            "Remedy: use the version of gpucurate named in it, or run into a new directory"
        )
    return OutputDirectory(root), content


def prepare_directory(path: str | Path, recipe: dict[str, Any], code: str) -> tuple[OutputDirectory, list[str]]:
    """Create or reopen an output directory for this recipe; returns it and what changed in the recipe since.

    Raises UserError if the directory holds something else or belongs to a recipe of another name.
    """
    root = checked_root(path)
    changes = recipe_changes(root, recipe)
    write_bytes(root / MARK, json.dumps({"format": FORMAT, "code": code, "recipe": recipe}, indent=1).encode())
    return OutputDirectory(root), changes


def recipe_changes(root: Path, recipe: dict[str, Any]) -> list[str]:
    """What changed since the last run in the directory, if there was one; raises UserError for another recipe's."""
    if not (root / MARK).is_file():
        return []
    old = open_directory(root)[1]["recipe"]
    if old["name"] != recipe["name"]:
        raise UserError(
            f"{root} holds the output of recipe {old['name']!r}, this recipe is {recipe['name']!r}. "
            "Remedy: choose another --out, or give the recipe the same name if it is a new state of the same corpus"
        )
    return describe_changes(old, recipe)


def checked_root(path: str | Path) -> Path:
    """The directory `path` names, touched by nothing yet.

    Raises UserError if it is a URL, a file, or a directory that holds something else.
    """
    if "://" in str(path):
        raise UserError(f"--out {path} is a URL; expected a local directory")
    root = Path(path)
    if root.exists() and not root.is_dir():
        raise UserError(f"--out {root} is a file; expected a directory")
    with storage_errors(root):
        if root.is_dir() and not (root / MARK).is_file() and any(p.name != LOCK for p in root.iterdir()):
            raise UserError(f"{root} is not empty and not an output directory of gpucurate; choose a new --out")
    return root


@contextlib.contextmanager
def locked(root: Path) -> Iterator[None]:
    """Hold the directory for one run; the operating system frees it when the holder dies, however it dies.

    Raises UserError naming the holder if another run has it.
    """
    with storage_errors(root / LOCK):
        root.mkdir(parents=True, exist_ok=True)
        file = (root / LOCK).open("a+")
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            file.seek(0)
            raise UserError(
                f"{root} is in use by another run ({file.read().strip() or 'unknown holder'}). "
                "Remedy: wait for it, stop it, or choose another --out"
            ) from error
        file.truncate(0)
        file.write(f"process {os.getpid()} on {socket.gethostname()}")
        file.flush()
        yield


def describe_changes(old: object, new: object, place: str = "") -> list[str]:
    """Lines `key.path: old → new` for every difference between two pieces of plain data."""
    if isinstance(old, dict) and isinstance(new, dict):
        lines: list[str] = []
        for key in [*old, *(k for k in new if k not in old)]:
            lines += describe_changes(old.get(key), new.get(key), f"{place}.{key}" if place else str(key))
        return lines
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        pairs = zip(old, new, strict=True)
        return [line for n, (a, b) in enumerate(pairs) for line in describe_changes(a, b, f"{place}.{n}")]
    return [] if old == new else [f"{place}: {json.dumps(old)} → {json.dumps(new)}"]
