"""The snapshot: which files a source's paths mean, with size and digest, in an order that never varies.

Paths are fsspec URLs; local ones may be files, directories or globs.  Nothing here looks inside a file.
"""

from __future__ import annotations

import stat
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, cast

import fsspec
from fsspec.core import url_to_fs

from gpucurate.core.digests import digest_file
from gpucurate.core.errors import InputError
from gpucurate.sources.contract import InputFile


def snapshot(paths: Sequence[str], suffixes: tuple[str, ...] = ()) -> list[InputFile]:
    """Files meant by `paths`, each once, sorted by URL.

    A directory means the files below it whose names end with one of `suffixes` (all files if none are given), hidden
    ones left out.  Raises InputError naming the path that matches nothing or cannot be read.
    """
    found: dict[str, InputFile] = {}
    for path in paths:
        for url in _expand(path, suffixes):
            found[url] = _describe(url)
    return [found[url] for url in sorted(found)]


def open_input(file: InputFile) -> BinaryIO:
    """Open for reading from the start; raises InputError with the reason in the machine's words."""
    try:
        if "://" not in file.url:
            return Path(file.url).open("rb")
        return cast(BinaryIO, fsspec.open(file.url, "rb").open())
    except OSError as error:
        raise InputError(f"cannot read {file.url}: {error.strerror or error}") from error


def _expand(path: str, suffixes: tuple[str, ...]) -> list[str]:
    remote = "://" in path
    try:
        filesystem, plain = url_to_fs(path) if remote else (fsspec.filesystem("file"), path)
    except (ImportError, ValueError) as error:
        raise InputError(f"cannot read {path}: {error}. Remedy: pip install 'gpucurate[remote]'") from error
    if any(sign in plain for sign in "*?["):
        names = filesystem.glob(plain)
        names = [name for name in names if filesystem.isfile(name)]
        if not names:
            raise InputError(f"no file matches {path}")
    elif filesystem.isdir(plain):
        names = [n for n in filesystem.find(plain) if _wanted(n, plain, suffixes)]
        if not names:
            kinds = f" ending in {', '.join(suffixes)}" if suffixes else ""
            raise InputError(f"directory {path} holds no files{kinds}")
    elif filesystem.exists(plain):
        names = [plain]
    else:
        raise InputError(f"no such file or directory: {path}")
    return [filesystem.unstrip_protocol(n) if remote else str(n) for n in names]


def _wanted(name: str, directory: str, suffixes: tuple[str, ...]) -> bool:
    below = name[len(directory) :] if name.startswith(directory) else name
    return not any(part.startswith(".") for part in below.split("/")) and (not suffixes or name.endswith(suffixes))


def _describe(url: str) -> InputFile:
    if "://" in url:
        filesystem, plain = url_to_fs(url)
        info = filesystem.info(plain)
        mark = info.get("ETag") or info.get("etag") or info.get("md5Hash") or f"size:{info.get('size')}"
        return InputFile(url, int(info.get("size") or 0), f"etag:{str(mark).strip(chr(34))}")
    try:
        status = Path(url).stat()
        if not stat.S_ISREG(status.st_mode):
            raise InputError(f"{url} is not a regular file")
        return InputFile(url, status.st_size, digest_file(url) if status.st_size else "empty")
    except OSError as error:
        raise InputError(f"cannot read {url}: {error.strerror or error}") from error
