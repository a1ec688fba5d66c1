"""Files on the local disk: what a path means, and what a file is called, measures and holds.

Nothing that was meant may be left out in silence: what cannot be listed or read is an InputError naming it.
"""

from __future__ import annotations

import glob
import io
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from gpucurate.core.digests import digest_file
from gpucurate.core.errors import InputError
from gpucurate.sources.input_file import InputFile

SCHEME = "file://"
WILDCARDS = "*?["


def expand(path: str, suffixes: tuple[str, ...]) -> list[tuple[str, str]]:
    """(absolute path, name below what `path` names) of each file that it means, sorted."""
    try:
        named = Path(path.removeprefix(SCHEME)).expanduser().absolute()  # links keep the names they were given
    except RuntimeError as error:
        raise InputError(f"cannot read {path}: {error}") from error
    try:
        if os.path.lexists(named):
            names, root = (_below(named, suffixes), named) if named.is_dir() else ([named], named.parent)
        elif any(sign in path for sign in WILDCARDS):
            names, root = _matching(path, named), _fixed_part(named)
        else:
            raise InputError(f"no such file or directory: {path}")
    except OSError as error:
        raise _unreadable(path, error) from error
    return [(_as_text(name), name.relative_to(root).as_posix()) for name in sorted(names)]


def describe(url: str) -> tuple[int, str]:
    """Size in bytes and BLAKE3 digest; `empty` stands for the digest of no bytes."""
    try:
        status = Path(url).stat()
        if not stat.S_ISREG(status.st_mode):
            raise InputError(f"{url} is not a regular file, but {_kind(status.st_mode)}")
        with Path(url).open("rb"):  # says why it cannot be read, which a memory map does not
            return status.st_size, digest_file(url) if status.st_size else "empty"
    except OSError as error:
        if Path(url).is_symlink() and not Path(url).exists():
            raise InputError(f"{url} is a link to {os.readlink(url)}, which does not exist") from error  # noqa: PTH115
        raise _unreadable(url, error) from error


def open_checked(file: InputFile) -> io.BufferedReader:
    """Open a file of the snapshot, whose size must still be the same."""
    try:
        stream = Path(file.url).open("rb")  # noqa: SIM115  the caller closes it
        size = os.fstat(stream.fileno()).st_size
    except OSError as error:
        raise _unreadable(file.url, error) from error
    if size != file.size:
        stream.close()
        raise InputError(
            f"{file.url} has changed since the run listed it: {file.size} bytes then, {size} now. "
            "Remedy: run again when nothing writes to it"
        )
    return stream


def _below(directory: Path, suffixes: tuple[str, ...]) -> list[Path]:
    names = [name for name in _walk(directory) if not suffixes or name.name.endswith(suffixes)]
    if not names:
        kinds = f" whose names end in {', '.join(suffixes)}" if suffixes else ""
        raise InputError(f"directory {directory} holds no files{kinds}. Remedy: name the files by a glob")
    return names


def _walk(directory: Path) -> Iterator[Path]:
    """Files below, hidden ones left out, links to directories followed but no directory entered twice."""

    def fail(error: OSError) -> None:
        raise _unreadable(str(error.filename), error) from error

    entered: set[tuple[int, int]] = set()
    for parent, directories, names in os.walk(directory, onerror=fail, followlinks=True):
        status = Path(parent).stat()
        if (status.st_dev, status.st_ino) in entered:
            directories.clear()
            continue
        entered.add((status.st_dev, status.st_ino))
        directories[:] = sorted(name for name in directories if not name.startswith("."))
        yield from (Path(parent) / name for name in names if not name.startswith("."))


def _matching(path: str, pattern: Path) -> list[Path]:
    matches = [Path(match) for match in glob.glob(str(pattern), recursive=True)]  # noqa: PTH207  that one lists hidden files
    files = [match for match in matches if not match.is_dir()]
    if not files and matches:
        raise InputError(f"{path} matches directories only. Remedy: {path.rstrip('/')}/**")
    if not files:
        raise InputError(f"no file matches {path}")
    return files


def _fixed_part(pattern: Path) -> Path:
    """The directory before the first component with a wildcard."""
    fixed = Path(pattern.anchor)
    for part in pattern.parts[1:]:
        if any(sign in part for sign in WILDCARDS):
            break
        fixed = fixed / part
    return fixed


def _as_text(path: Path) -> str:
    try:
        str(path).encode()
    except UnicodeEncodeError as error:
        raise InputError(f"the file name {str(path)!a} is not UTF-8. Remedy: rename the file") from error
    return str(path)


def _kind(mode: int) -> str:
    kinds = {stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket", stat.S_IFDIR: "a directory"}
    return kinds.get(stat.S_IFMT(mode), "a device")


def _unreadable(url: str, error: OSError) -> InputError:
    return InputError(f"cannot read {url}: {error.strerror or error}")
