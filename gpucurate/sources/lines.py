"""Cutting a stream of bytes into lines, by byte range: a reader of [start, stop) owns the lines that begin in it.

However a file is cut into ranges, each line is read once, by one reader.  Memory is bounded by the longest line that
is allowed, plus one block.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from gpucurate.core.errors import InputError
from gpucurate.sources.decompress import CompressedStream

READ_BYTES = 1 << 20
BOM = b"\xef\xbb\xbf"


class Line(NamedTuple):
    """One line without its end (LF or CRLF), nor a byte order mark before it.

    `position` is the byte offset of the line in the stream, `size` its length there without the LF; `data` is None if
    it is longer than allowed.  `ended` is False for a last line that no LF follows.
    """

    position: int
    size: int
    data: bytes | None
    ended: bool = True


def read_lines(
    stream: BinaryIO | CompressedStream, name: str, start: int = 0, stop: int | None = None, longest: int = 1 << 62
) -> Iterator[Line]:
    """Lines that begin in [start, stop) of `stream`, which stands at its first byte; to its end if `stop` is None.

    Raises InputError as `read_blocks` does.
    """
    at = start
    if start:
        stream.seek(start - 1)
        at = start - 1
    skipping = start > 0  # up to the first line that begins in the range
    begun: list[bytes] = []  # pieces of a line longer than a block
    begun_bytes = 0
    for block in read_blocks(stream, name):
        pieces = block.split(b"\n")
        rest = pieces.pop()
        for piece in pieces:
            size = begun_bytes + len(piece)
            if begun_bytes:
                begun.append(piece)
                piece = b"".join(begun)
                begun, begun_bytes = [], 0
            if skipping:
                skipping = False
            elif stop is not None and at >= stop:
                return
            else:
                yield Line(at, size, _bare(piece) if size <= longest else None)
            at += size + 1
        begun_bytes += len(rest)
        if begun_bytes <= longest and not skipping:
            begun.append(rest)
        else:
            begun = []
    if begun_bytes and not skipping and (stop is None or at < stop):
        yield Line(at, begun_bytes, _bare(b"".join(begun)) if begun_bytes <= longest else None, ended=False)


def _bare(line: bytes) -> bytes:
    return line.removesuffix(b"\r").removeprefix(BOM)


def read_blocks(stream: BinaryIO | CompressedStream, name: str) -> Iterator[bytes]:
    """The rest of a stream in pieces.  Raises InputError naming the file, `name`, if the disk fails."""
    while True:
        try:
            block = stream.read(READ_BYTES)
        except OSError as error:
            raise InputError(f"cannot read on in {name}: {error.strerror or error}") from error
        if not block:
            return
        yield block
