"""Files behind fsspec URLs (http, https, s3, gs, ...): which of them a URL means, and how versions are told apart.

The packages behind the protocols are optional and each has exceptions of its own; none of them leaves this module.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, cast

import fsspec

from gpucurate.core.errors import InputError, MissingExtra, RecipeError
from gpucurate.sources.input_file import InputFile
from gpucurate.sources.remote_stream import ATTEMPTS, BLOCK_BYTES, RemoteStream, in_words, pause, remote_errors

MARKS = ("ETag", "etag", "md5Hash", "blob_id")  # of S3 and the web, GCS's two, the Hugging Face hub
PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})  # HTTP states that may be over soon (RFC 9110, RFC 6585)
PACKAGES = {"http": "aiohttp", "https": "aiohttp", "s3": "s3fs", "s3a": "s3fs", "gs": "gcsfs", "gcs": "gcsfs"}


def expand(path: str, suffixes: tuple[str, ...]) -> list[tuple[str, str]]:
    """(URL, name below what `path` names) of each file that it means, sorted.  On the web, a directory is a page of
    links whose URL ends with a slash, and names leave the query out."""
    with _reported(path):
        filesystem, plain = _filesystem(path)
        filesystem.invalidate_cache()
        web = path.startswith(("http://", "https://"))
        wildcards = "*" if web else "*?["
        if any(sign in plain for sign in wildcards):
            root = plain[: min(plain.find(sign) for sign in wildcards if sign in plain)].rpartition("/")[0]
            names = _matching(filesystem, plain, root)
        elif path.endswith("/") if web else not filesystem.isfile(plain):
            root, names = plain.rstrip("/"), _below(filesystem, plain, suffixes)
        else:
            root, names = plain.rpartition("/")[0], [plain]
        if not names:
            raise InputError(f"no file matches {path}")
        urls = [str(filesystem.unstrip_protocol(name)) for name in names]
    below = [_name_below(root, name.partition("?")[0] if web else name) for name in names]
    return sorted(zip(urls, below, strict=True))


def describe(url: str) -> tuple[int, str]:
    """Size in bytes, and `etag:` with what the store calls this version of the file.

    Without any such mark that is size and time of change, so that a file changed in place is noticed even then.
    """
    with _reported(url):
        filesystem, plain = _filesystem(url)
        info = _patient_info(filesystem, plain)
    if info.get("size") is None:
        raise InputError(f"cannot read {url}: the server does not tell its size. Remedy: download it first")
    mark = next((info[name] for name in MARKS if info.get(name)), None)
    changed = info.get("LastModified") or info.get("mtime") or info.get("created") or ""
    return int(info["size"]), f"etag:{str(mark).strip(chr(34))}" if mark else f"etag:{info['size']} bytes {changed}"


def open_checked(file: InputFile) -> io.BufferedReader:
    """Open a file of the snapshot, which must still be the same version."""
    filesystem, plain = _filesystem(file.url)
    filesystem.invalidate_cache()
    if describe(file.url) != (file.size, file.digest):
        raise InputError(f"{file.url} has changed since the run listed it. Remedy: run again")

    def open_at(offset: int) -> BinaryIO:
        stream = cast(BinaryIO, filesystem.open(plain, "rb", block_size=BLOCK_BYTES))
        if offset and stream.seekable():
            stream.seek(offset)
        elif offset:
            _skip(stream, offset)
        return stream

    return io.BufferedReader(cast(io.RawIOBase, RemoteStream(file.url, file.size, open_at)), BLOCK_BYTES)


def _filesystem(url: str) -> tuple[Any, str]:
    protocol = url.partition("://")[0]
    try:
        filesystem, plain = fsspec.core.url_to_fs(url)
    except ImportError as error:
        raise MissingExtra(f"reading {url}", PACKAGES.get(protocol, str(error)), "remote") from error
    except ValueError as error:
        raise RecipeError(f"cannot read {url}: {error}") from error
    return filesystem, str(plain)


def _patient_info(filesystem: Any, plain: str) -> dict[str, Any]:
    """What the store says of a file; where a listing just said it, nothing is asked again."""
    for attempt in range(ATTEMPTS):
        try:
            return cast(dict[str, Any], filesystem.info(plain))
        except remote_errors() as error:
            status = getattr(error.__cause__ or error, "status", None)
            if attempt + 1 == ATTEMPTS or not (status in PASSING or isinstance(error, (TimeoutError, ConnectionError))):
                raise
        pause(attempt)
    raise AssertionError("the last attempt returns or raises")


def _matching(filesystem: Any, pattern: str, root: str) -> list[str]:
    matches = filesystem.glob(pattern, detail=True).items()
    return [name for name, info in matches if info["type"] != "directory" and _wanted(_name_below(root, name), ())]


def _below(filesystem: Any, directory: str, suffixes: tuple[str, ...]) -> list[str]:
    names = [name for name in filesystem.find(directory) if _wanted(_name_below(directory, name), suffixes)]
    if not names and not filesystem.exists(directory):
        raise FileNotFoundError(directory)
    if not names and suffixes:
        raise InputError(f"directory {directory} holds no files whose names end in {', '.join(suffixes)}")
    return names


def _wanted(name: str, suffixes: tuple[str, ...]) -> bool:
    hidden = any(part.startswith(".") for part in name.split("/"))
    return not hidden and not name.endswith("/") and (not suffixes or name.endswith(suffixes))


def _name_below(root: str, name: str) -> str:
    return name[len(root) :].lstrip("/") if name.startswith(root) else name.rpartition("/")[2]


def _skip(stream: BinaryIO, count: int) -> None:
    while count:
        piece = stream.read(min(count, BLOCK_BYTES))
        if not piece:
            return
        count -= len(piece)


@contextmanager
def _reported(url: str) -> Iterator[None]:
    """Whatever a protocol's package raises, as an InputError that names the URL."""
    try:
        yield
    except FileNotFoundError as error:  # which the web's filesystem raises for everything, with the truth as cause
        raise InputError(f"cannot find {url}: {error.__cause__ or 'no such file or directory'}") from error
    except remote_errors() as error:
        raise InputError(f"cannot read {url}: {in_words(error)}") from error
