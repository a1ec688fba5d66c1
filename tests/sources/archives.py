"""Small archives for the tests, written by hand so that each byte of them can be wrong on purpose."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable
from pathlib import Path

import zstandard

from gpucurate.sources.contract import InputFile, Unit

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": lambda data: gzip.compress(data, mtime=0),
    ".zst": zstandard.ZstdCompressor(write_checksum=True).compress,
}


def warc_record(
    kind: str,
    uri: str,
    block: bytes,
    *,
    length: int | None = None,
    content_type: str = "application/http; msgtype=response",
    extra: str = "",
) -> bytes:
    """A WARC/1.0 record; `length` is what its header claims, if not the truth."""
    identity = f"<urn:x:{kind}:{uri}>"
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: {identity}\r\nWARC-Date: 2024-05-18T01:58:10Z\r\n"
        f"WARC-Target-URI: {uri}\r\nContent-Type: {content_type}\r\n{extra}"
        f"Content-Length: {len(block) if length is None else length}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def http(body: bytes, *, status: str = "200 OK", content_type: str = "text/html", extra: str = "") -> bytes:
    """An HTTP response."""
    return f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\n{extra}\r\n".encode() + body


def page(word: str, paragraphs: int = 3) -> bytes:
    """HTML that every engine draws text from, different for each word."""
    text = "".join(
        f"<p>The {word} stood in paragraph {n} of a long article that nobody had read before it was written.</p>"
        for n in range(paragraphs)
    )
    return f"<html><head><title>On {word}</title></head><body><article>{text}</article></body></html>".encode()


def unit_of(path: Path, source: str = "web") -> Unit:
    """The whole file as a unit."""
    size = path.stat().st_size
    return Unit(source, InputFile(str(path), size, "test", path.name), 0, size)


def write_unit(path: Path, data: bytes | Iterable[bytes]) -> Unit:
    """Write and describe a file."""
    path.write_bytes(data if isinstance(data, bytes) else b"".join(data))
    return unit_of(path)
