"""HTTP responses as archives hold them: header, then a body that may be chunked and compressed, or only claims to be.

What can be decoded is, what cannot is taken as it stands, since servers and archive writers both declare wrongly.
Sizes are bounded; nothing here raises for any bytes.
"""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import brotli
import zstandard

from gpucurate.sources.warc.record import first_values

HEAD_END = re.compile(rb"\r?\n\r?\n")
STATUS_LINE = re.compile(rb"HTTP/\d(?:\.\d)?[ \t]+(\d{3})(?!\d)")
CHUNK_LINE = re.compile(rb"\s*([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\n]{0,1000})?\r?\n")
LONGEST_HEAD = 256 << 10
LAYERS_AT_MOST = 4  # of Content-Encoding that are undone
CODED_BYTES = 1 << 10  # decoded at a time: the most that is lost before a damaged place
GZIP_MAGIC = b"\x1f\x8b\x08"


@dataclass(frozen=True, slots=True)
class Response:
    """`status` is None where no status line stands; `headers` have lower-case names, the first of a name counts.

    `body` is decoded; a byte more than the limit says that it is longer than that.  `whole` is False if it ended
    before its encoding did.
    """

    status: int | None
    headers: Mapping[str, str]
    body: bytes
    whole: bool = True

    @property
    def media_type(self) -> str:
        """`text/html` and the like in lower case; empty if undeclared."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def charset(self) -> str | None:
        """The `charset` parameter of Content-Type, as written."""
        return charset_parameter(self.headers.get("content-type", ""))

    @property
    def last_modified(self) -> datetime | None:
        """Last-Modified in whole seconds, or None if it is missing or no date."""
        try:
            date = parsedate_to_datetime(self.headers.get("last-modified", ""))
            return (date.replace(tzinfo=UTC) if date.tzinfo is None else date).astimezone(UTC)
        except (ValueError, OverflowError, IndexError, TypeError):
            return None


def parse_response(block: bytes, limit: int) -> Response:
    """Read a block of `application/http`; its body decoded, at most `limit` + 1 bytes of it."""
    status, headers, start = _head(block)
    body, whole = _decode_body(block[start:], headers, limit)
    return Response(status, headers, body, whole)


def parse_head(block: bytes) -> Response:
    """Status and headers alone; the body is empty."""
    status, headers, _ = _head(block)
    return Response(status, headers, b"")


def charset_parameter(content_type: str) -> str | None:
    """The charset in a Content-Type value, quoted or not; None if there is none."""
    found = re.search(r"charset\s*=\s*[\"']?([A-Za-z0-9._:+\-]{1,60})", content_type, re.IGNORECASE)
    return found[1] if found else None


def _head(block: bytes) -> tuple[int | None, dict[str, str], int]:
    """Status, headers, and where the body begins; a block without a status line is all body."""
    status = STATUS_LINE.match(block)
    if status is None:
        return None, {}, 0
    end = HEAD_END.search(block, 0, LONGEST_HEAD)
    stop = end.start() if end else min(len(block), LONGEST_HEAD)
    lines = block[:stop].decode("latin-1").splitlines()[1:]
    fields = ((name, value) for name, colon, value in (line.partition(":") for line in lines) if colon)
    return int(status[1]), first_values(fields), end.end() if end else len(block)


def _decode_body(body: bytes, headers: Mapping[str, str], limit: int) -> tuple[bytes, bool]:
    whole = True
    if "chunked" in headers.get("transfer-encoding", "").lower():
        body, whole = _join_chunks(body)
    layers = [name.strip().lower() for name in headers.get("content-encoding", "").split(",")]
    for layer in reversed(layers[:LAYERS_AT_MOST]):
        body, decoded_whole = _undo(layer, body, limit)
        whole = whole and decoded_whole
    if body.startswith(GZIP_MAGIC):  # undeclared, or once more than declared
        body, decoded_whole = _undo("gzip", body, limit)
        whole = whole and decoded_whole
    return body[: limit + 1], whole or len(body) > limit


def _join_chunks(body: bytes) -> tuple[bytes, bool]:
    """RFC 9112, section 7.1.  A body that does not begin with a chunk is no chunked body; from a wrong chunk on the
    rest is taken as it stands."""
    pieces: list[bytes] = []
    at = 0
    while (line := CHUNK_LINE.match(body, at)) is not None:
        size = int(line[1], 16)
        if size == 0:
            return b"".join(pieces), True
        pieces.append(body[line.end() : line.end() + size])
        at = line.end() + size
    if pieces:
        return b"".join([*pieces, body[at:].removeprefix(b"\r\n")]), False
    return body, True


def _undo(layer: str, body: bytes, limit: int) -> tuple[bytes, bool]:
    """One layer of Content-Encoding undone, up to `limit` + 1 bytes; the body as it stands if it is not so encoded."""
    if layer in ("gzip", "x-gzip"):
        return _inflate(body, limit, zlib.MAX_WBITS | 16) or (body, True)
    if layer == "deflate":  # RFC 9110 means zlib, some servers send it bare
        return _inflate(body, limit, zlib.MAX_WBITS) or _inflate(body, limit, -zlib.MAX_WBITS) or (body, True)
    if layer == "br":
        return _unbrotli(body, limit) or (body, True)
    if layer == "zstd":
        return _unzstd(body, limit) or (body, True)
    return body, True


def _inflate(body: bytes, limit: int, window_bits: int) -> tuple[bytes, bool] | None:
    decoder = zlib.decompressobj(window_bits)
    decoded = bytearray()
    try:
        for at in range(0, len(body), CODED_BYTES):
            decoded += decoder.decompress(body[at : at + CODED_BYTES], limit + 1 - len(decoded))
            if decoder.eof or len(decoded) > limit:
                return bytes(decoded), decoder.eof
    except zlib.error:
        pass  # what came before stands
    return (bytes(decoded), False) if decoded else None


def _unbrotli(body: bytes, limit: int) -> tuple[bytes, bool] | None:
    decoder = brotli.Decompressor()
    decoded = bytearray()
    try:
        for at in range(0, len(body), CODED_BYTES):
            decoded += decoder.process(body[at : at + CODED_BYTES], output_buffer_limit=limit + 1 - len(decoded))
            if decoder.is_finished() or len(decoded) > limit:
                return bytes(decoded), decoder.is_finished()
    except brotli.error:
        pass
    return (bytes(decoded), False) if decoded else None


def _unzstd(body: bytes, limit: int) -> tuple[bytes, bool] | None:
    decoded = bytearray()
    reader = zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(io.BytesIO(body))
    try:
        while len(decoded) <= limit and (piece := reader.read(min(1 << 16, limit + 1 - len(decoded)))):
            decoded += piece
    except zstandard.ZstdError:
        return (bytes(decoded), False) if decoded else None
    return (bytes(decoded), len(decoded) <= limit) if decoded else None
