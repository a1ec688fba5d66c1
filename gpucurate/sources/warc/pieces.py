"""Stored bytes to decoded pieces, going on behind a damaged place at the next compressed member.

A gap in the pieces is told as one, so that nobody joins what was never together.  Memory stays at one piece.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

import zstandard

from gpucurate.sources.decompress import CODECS

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
    """Everything from byte `start` on that can be decoded; `compression` as `compression_of` names it."""
    stream.seek(start)
    if compression == "none":
        offset = start
        while data := stream.read(PLAIN_BYTES):
            yield Piece(offset, data, exact=True)
            offset += len(data)
    else:
        yield from _members(stream, start, compression)


def _members(stream: BinaryIO, start: int, compression: str) -> Iterator[Piece]:
    magic, codec, decoder = MEMBER_MAGIC[compression], CODECS[compression], None
    stored, offset = b"", start  # bytes read and not yet decoded, and where the first of them stands
    member = lost_from = start
    trouble = ""  # what stands between the last good byte and here
    while True:
        if decoder is None:
            at = stored.find(magic)
            if at >= 0:
                if trouble and offset + at > lost_from:
                    yield Piece(lost_from, b"", trouble, offset + at - lost_from)
                offset, stored, trouble = offset + at, stored[at:], ""
                member, decoder = offset, codec.decoder()
            else:
                kept = stored[max(0, len(stored) - len(magic) + 1) :]
                if not trouble and stored[: len(stored) - len(kept)].strip(b"\0"):
                    trouble = f"bytes that are no {compression} member"
                offset, stored = offset + len(stored) - len(kept), kept
                more = stream.read(codec.slice_bytes)
                if not more:
                    break
                stored += more
                continue
        try:
            data = decoder.decompress(stored)
        except CODEC_ERRORS as error:
            trouble, lost_from, decoder = f"damaged {compression} member: {error}", member, None
            skipped = 1 if member == offset else 0  # do not find the same beginning again
            offset, stored = offset + skipped, stored[skipped:]
            continue
        if data:
            yield Piece(member, data)
        if decoder.eof:
            rest = decoder.unused_data
            offset, stored, decoder = offset + len(stored) - len(rest), rest, None
            lost_from, trouble = offset, ""
            continue
        offset += len(stored)
        stored = stream.read(codec.slice_bytes)
        if not stored:
            yield Piece(member, b"", f"{compression} member is cut short by the end of the file", offset - member)
            return
    if trouble or stored.strip(b"\0"):
        lost = offset + len(stored) - lost_from
        yield Piece(lost_from, b"", trouble or f"bytes that are no {compression} member", lost)
