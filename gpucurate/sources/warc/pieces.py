"""Stored bytes to decoded pieces, going on behind a damaged place at the next compressed member.

A gap in the pieces is told as one, so that nobody joins what was never together.  Memory stays at one piece.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

import zstandard

from gpucurate.core.errors import InputError
from gpucurate.sources.decompress import CODECS, Decoder

MEMBER_MAGIC = {"gzip": b"\x1f\x8b\x08", "zstd": b"\x28\xb5\x2f\xfd"}
PLAIN_BYTES = 64 << 10
CODEC_ERRORS = (OSError, EOFError, ValueError, zlib.error, zstandard.ZstdError)


class Piece(NamedTuple):
    """Decoded bytes; `offset` is where they stand in the stored file (`exact`) or the member they were decoded from.

    With a `gap` there is no data: `lost` stored bytes at `offset` could not be decoded.
    """

    offset: int
    data: bytes
    gap: str | None = None
    lost: int = 0
    exact: bool = False


def stored_pieces(stream: BinaryIO, start: int, compression: str) -> Iterator[Piece]:
    """Everything from byte `start` on that can be decoded; `compression` is `none`, `gzip` or `zstd`.

    Raises InputError if the disk or network fails; for no damage of the bytes themselves.
    """
    stream.seek(start)
    if compression == "none":
        offset = start
        while data := _read(stream, PLAIN_BYTES):
            yield Piece(offset, data, exact=True)
            offset += len(data)
    else:
        yield from _Members(stream, start, compression).pieces()


class _Members:
    """Compressed members one after another, each found by its magic number."""

    def __init__(self, stream: BinaryIO, start: int, compression: str) -> None:
        self._stream = stream
        self._compression = compression
        self._magic = MEMBER_MAGIC[compression]
        self._codec = CODECS[compression]
        self._stored = b""  # read and not yet decoded
        self._offset = start  # of the first of them
        self._sound_until = start  # everything before was decoded, or told as lost
        self._trouble = f"bytes that are no {compression} member"  # what would be wrong with the bytes from there on

    def pieces(self) -> Iterator[Piece]:
        """Data and gaps, in the order of the file; places with nothing between them that decodes are one gap."""
        while self._seek_member():
            yield from self._member()
        yield from self._gap(self._offset)

    def _seek_member(self) -> bool:
        """Go to the next magic number; False, and to the end, if there is none."""
        while (at := self._stored.find(self._magic)) < 0:
            self._pass(max(0, len(self._stored) - len(self._magic) + 1))
            more = self._more()
            if not more:
                self._pass(len(self._stored))
                return False
            self._stored += more
        self._pass(at)
        return True

    def _pass(self, count: int) -> None:
        padding = self._sound_until == self._offset and not self._stored[:count].strip(b"\0")
        self._stored, self._offset = self._stored[count:], self._offset + count
        if padding:
            self._sound_until = self._offset

    def _gap(self, until: int) -> Iterator[Piece]:
        if until > self._sound_until:
            yield Piece(self._sound_until, b"", self._trouble, until - self._sound_until)
        self._sound_until = until
        self._trouble = f"bytes that are no {self._compression} member"

    def _member(self) -> Iterator[Piece]:
        """Decode the member here up to its end or its damage."""
        start, decoder = self._offset, self._codec.decoder()
        while True:
            try:
                data = decoder.decompress(self._stored)
            except CODEC_ERRORS as error:
                self._found(start, f"damaged {self._compression} member: {error}")
                if self._offset == start:  # do not find the same beginning again
                    self._stored, self._offset = self._stored[1:], self._offset + 1
                return
            if data or decoder.eof:
                yield from self._gap(start)
            if data:
                yield Piece(start, data)
            self._advance(decoder)
            if decoder.eof:
                self._sound_until = self._offset
                return
            self._stored = self._more()
            if not self._stored:
                self._found(start, f"{self._compression} member is cut short by the end of the file")
                return

    def _found(self, start: int, trouble: str) -> None:
        if self._sound_until == start:  # else something is wrong already, and that came first
            self._trouble = trouble

    def _advance(self, decoder: Decoder) -> None:
        rest = decoder.unused_data if decoder.eof else b""
        self._offset += len(self._stored) - len(rest)
        self._stored = rest

    def _more(self) -> bytes:
        return _read(self._stream, self._codec.slice_bytes)


def _read(stream: BinaryIO, size: int) -> bytes:
    try:
        return stream.read(size)
    except OSError as error:
        raise InputError(f"cannot read on in {getattr(stream, 'name', 'the input')}: {error}") from error
