"""Files that are either whole or not there: written under a temporary name, synced, renamed."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from gpucurate.core.errors import StorageError

TEMPORARY = ".tmp-"  # prefix of names that never count as output


@contextlib.contextmanager
def atomic_file(path: Path, final_name: Callable[[Path], Path] | None = None) -> Iterator[Path]:
    """Give a temporary path beside `path`; when the block ends well, sync it and rename it into place.

    The name itself is not synced: one that a power cut takes back is work to do again, never a file that looks whole.

    `final_name` may choose another name once the content is there (names that carry a digest).  On any failure the
    temporary file is removed.  Raises StorageError, naming the file and the remedy, where the machine refuses (full
    disk, permissions).
    """
    temporary = path.with_name(f"{TEMPORARY}{os.getpid()}-{secrets.token_hex(4)}-{path.name}")
    with storage_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            yield temporary
            sync_file(temporary)
            temporary.replace(final_name(temporary) if final_name else path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def write_bytes(path: Path, content: bytes) -> None:
    """Write a small file atomically."""
    with atomic_file(path) as temporary:
        temporary.write_bytes(content)


def sync_file(path: Path) -> None:
    """Have the operating system put a file's bytes on the disk."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def sync_directory(path: Path) -> None:
    """Have the operating system put a directory's names on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def storage_errors(path: Path) -> Iterator[None]:
    """Turn OSError into StorageError with a remedy."""
    try:
        yield
    except OSError as error:
        remedy = {
            errno.ENOSPC: "free some space and run the same command again; finished work is kept",
            errno.EDQUOT: "raise the quota and run the same command again; finished work is kept",
            errno.EACCES: "make the directory writable or choose another --out",
            errno.EROFS: "choose an --out on a writable file system",
        }.get(error.errno or 0, "run the same command again once the cause is mended; finished work is kept")
        raise StorageError(f"cannot write {path}: {error.strerror or error}. Remedy: {remedy}") from error


def remove_tree(directory: Path) -> None:
    """Delete a directory and all in it, if it is there.  Raises StorageError."""
    if directory.exists():
        with storage_errors(directory):
            shutil.rmtree(directory)


def remove_temporaries(directory: Path) -> int:
    """Delete what killed writers left below `directory`; only for the holder of its lock.  Returns how many."""
    leftovers = [path for path in directory.rglob(f"{TEMPORARY}*") if path.is_file()]
    for path in leftovers:
        path.unlink(missing_ok=True)
    return len(leftovers)
