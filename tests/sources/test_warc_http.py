from __future__ import annotations

import gzip
import io
import random
import resource
import zlib
from collections.abc import Callable

import brotli
import pytest
import zstandard
from fastwarc.warc import ArchiveIterator as FastIterator
from hypothesis import given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from gpucurate.sources.warc.http import charset_parameter, parse_head, parse_response
from tests.sources.archives import http, page, warc_record

LIMIT = 1 << 20
BODY = page("kettle", 400)
Coding = Callable[[bytes], bytes]


def bare_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


CODINGS: dict[str, Coding] = {
    "identity": bytes,
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.compress,
}


def chunked(data: bytes, extension: bytes = b"") -> bytes:
    pieces = [data[at : at + 999] for at in range(0, len(data), 999)]
    return b"".join(b"%x%s\r\n%s\r\n" % (len(piece), extension, piece) for piece in pieces) + b"0\r\n\r\n"


@pytest.mark.parametrize("coding", CODINGS)
@pytest.mark.parametrize("in_chunks", [False, True])
def test_codings(coding: str, in_chunks: bool) -> None:
    body = CODINGS[coding](BODY)
    extra = f"content-encoding: {coding.upper()}\r\n" + ("Transfer-Encoding: chunked\r\n" if in_chunks else "")
    response = parse_response(http(chunked(body, b" ; ext=1") if in_chunks else body, extra=extra), LIMIT)
    assert (response.status, response.body, response.whole) == (200, BODY, True)


@pytest.mark.parametrize("coding", ["identity", "gzip", "deflate"])
@pytest.mark.parametrize("in_chunks", [False, True])
def test_as_warcio_and_fastwarc_decode(coding: str, in_chunks: bool) -> None:
    body = CODINGS[coding](BODY)
    extra = f"Content-Encoding: {coding}\r\n" + ("Transfer-Encoding: chunked\r\n" if in_chunks else "")
    block = http(chunked(body) if in_chunks else body, extra=extra)
    archive = warc_record("response", "http://a.org/", block)
    (theirs,) = [record.content_stream().read() for record in ArchiveIterator(io.BytesIO(archive))]
    (fast,) = [record.reader.read() for record in FastIterator(io.BytesIO(archive), auto_decode="all")]
    assert parse_response(block, LIMIT).body == theirs == fast


@pytest.mark.parametrize(
    ("declared", "truth"),
    [
        ("gzip", bytes),
        ("deflate", bytes),
        ("br", bytes),
        ("zstd", bytes),
        ("br", gzip.compress),
        ("", gzip.compress),
        ("gzip", lambda body: gzip.compress(gzip.compress(body))),
        ("gzip, br", lambda body: brotli.compress(gzip.compress(body))),
        ("deflate", bare_deflate),
        ("utf-8", bytes),
        ("bogus, gzip", gzip.compress),
    ],
)
def test_wrong_declarations(declared: str, truth: Coding) -> None:
    response = parse_response(http(truth(BODY), extra=f"Content-Encoding: {declared}\r\n"), LIMIT)
    assert (response.body, response.whole) == (BODY, True)


def test_what_only_claims_to_be_chunked() -> None:
    response = parse_response(http(BODY, extra="Transfer-Encoding: chunked\r\n"), LIMIT)
    assert (response.body, response.whole) == (BODY, True)


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_a_cut_body_gives_what_stands_before_the_cut(coding: str) -> None:
    whole = CODINGS[coding](random.Random(3).randbytes(50_000))
    response = parse_response(http(whole[:30_000], extra=f"Content-Encoding: {coding}\r\n"), LIMIT)
    assert not response.whole
    assert len(response.body) > 28_000
    assert random.Random(3).randbytes(50_000).startswith(response.body)


def test_chunks_that_end_or_go_wrong() -> None:
    extra = "Transfer-Encoding: chunked\r\n"
    cut = parse_response(http(chunked(BODY)[:-600], extra=extra), LIMIT)
    assert BODY.startswith(cut.body)
    assert not cut.whole
    wrong = parse_response(http(b"5\r\nhello\r\nzz\r\nworld", extra=extra), LIMIT)
    assert (wrong.body, wrong.whole) == (b"hellozz\r\nworld", False)
    assert parse_response(http(b"0\r\n\r\n", extra=extra), LIMIT).body == b""


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_bombs_stop_at_the_limit(coding: str) -> None:
    bomb = brotli.compress(bytes(1 << 28), quality=1) if coding == "br" else CODINGS[coding](bytes(1 << 28))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    response = parse_response(http(bomb, extra=f"Content-Encoding: {coding}\r\n"), LIMIT)
    assert len(response.body) == LIMIT + 1
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 << 10


@pytest.mark.parametrize(
    ("line", "status"),
    [
        (b"HTTP/1.1 200 OK\r\n", 200),
        (b"HTTP/1.0 200\r\n", 200),
        (b"HTTP/2 404\n", 404),
        (b"HTTP/1.1  301  Moved\r\n", 301),
        (b"HTTP/1.1 200", 200),
        (b"HTTP/1.1 20\r\n", None),
        (b"HTTP/1.1 2000\r\n", None),
        (b"<html>", None),
        (b"", None),
        (b"ICY 200 OK\r\n", None),
    ],
)
def test_status_lines(line: bytes, status: int | None) -> None:
    assert parse_head(line + b"X: y\r\n\r\nbody").status == status
    assert parse_head(line).status == status


def test_headers() -> None:
    block = (
        b'HTTP/1.1 200 OK\nCONTENT-TYPE: Text/HTML; Charset="Windows-1251"\n'
        b"last-modified: Sat, 02 Feb 2008 19:40:44 GMT"
        b"\nno colon here\nContent-Type: image/png\n\nbody\n\nmore"
    )
    response = parse_response(block, LIMIT)
    assert (response.media_type, response.charset) == ("text/html", "Windows-1251")
    assert str(response.last_modified) == "2008-02-02 19:40:44+00:00"
    assert response.body == b"body\n\nmore"


@pytest.mark.parametrize("value", ["", "never", "Sat, 99 Foo 2008", "0", "\x00"])
def test_dates_that_are_none(value: str) -> None:
    assert parse_head(http(b"", extra=f"Last-Modified: {value}\r\n")).last_modified is None


def test_charset_parameters() -> None:
    assert charset_parameter("text/html; charset = 'utf-8'") == "utf-8"
    assert charset_parameter("text/html;charset=") is None
    assert charset_parameter("text/html") is None


def test_a_header_without_end_is_no_body() -> None:
    assert parse_response(b"HTTP/1.1 200 OK\r\nX: " + b"y" * 300_000, LIMIT).body == b""


@given(
    st.binary(max_size=300),
    st.sampled_from(["gzip", "deflate", "br", "zstd", "gzip, gzip", ",,,", "identity"]),
    st.booleans(),
    st.sampled_from([b"", b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"a\r\n", b"ffffffff\r\n"]),
)
def test_no_bytes_raise(body: bytes, coding: str, in_chunks: bool, start: bytes) -> None:
    extra = f"Content-Encoding: {coding}\r\n" + ("Transfer-Encoding: chunked\r\n" if in_chunks else "")
    assert parse_response(http(start + body, extra=extra), 50).status == 200
    assert isinstance(parse_response(body, 50).body, bytes)
