"""The snapshot: which files a source's paths mean, with size, digest and name, in an order that never varies.

A path is a local file, directory or glob, or an fsspec URL.  Nothing here looks inside a file.
"""

from __future__ import annotations

import io
import os
from collections.abc import Sequence

from gpucurate.core.errors import InputError
from gpucurate.sources import local_files, remote_files
from gpucurate.sources.input_file import InputFile


def snapshot(paths: Sequence[str], suffixes: tuple[str, ...] = ()) -> list[InputFile]:
    """Files meant by `paths`, each once, sorted by name.

    A directory means the files below it whose names end with one of `suffixes` (all files if none are given), hidden
    ones left out.  A name is the path below the directory or glob that was named, or the base name of a file.  Where
    two have the same, the later in `paths` goes by more of its path, so that adding a path renames nothing.
    Raises InputError for a path that matches nothing, cannot be read, or is no regular file.
    """
    by_place: dict[str, tuple[str, str]] = {}
    for path in paths:
        expand = remote_files.expand if is_remote(path) else local_files.expand
        for url, name in expand(path, suffixes):
            by_place.setdefault(url if is_remote(url) else os.path.realpath(url), (url, name))
    by_name: dict[str, str] = {}
    for url, name in by_place.values():
        by_name[_unused(name, url, by_name)] = url
    return [_describe(by_name[name], name) for name in sorted(by_name)]


def open_input(file: InputFile) -> io.BufferedReader:
    """Open for reading from the start; seekable.  A remote file is read on after a lost connection.

    Raises InputError if it cannot be opened, or is no longer the file of the snapshot (a local file: by its size).
    """
    return remote_files.open_checked(file) if is_remote(file.url) else local_files.open_checked(file)


def is_remote(path: str) -> bool:
    """True for URLs of anything but the local disk.  Raises InputError for chained fsspec URLs."""
    if "::" in path and "://" in path:
        raise InputError(f"cannot read {path}: chained URLs are not supported. Remedy: unpack the archive first")
    return "://" in path and not path.startswith(local_files.SCHEME)


def _unused(name: str, url: str, taken: dict[str, str]) -> str:
    parents = url[: -len(name)].rstrip("/").split("/") if url.endswith(name) else [url]
    while name in taken and parents:
        name = f"{parents.pop()}/{name}"
    return name


def _describe(url: str, name: str) -> InputFile:
    size, digest = remote_files.describe(url) if is_remote(url) else local_files.describe(url)
    return InputFile(url, size, digest, name)
