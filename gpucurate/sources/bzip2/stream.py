"""The blocks of a file from any byte on, in order, and the holes that damage left between them.

Blocks are chained: each ends where the next block's magic stands, or the end of its stream and the head of the next.
Where the chain breaks, a search for the next magic takes it up again.
"""

from __future__ import annotations

import bz2
import io
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

import numpy as np

from gpucurate.core.text_buffers import Bytes
from gpucurate.sources.bzip2.block import BlockDecoder, Flaw
from gpucurate.sources.bzip2.entropy import BLOCK_SYMBOLS, MAX_CODE_BITS, PADDING
from gpucurate.sources.bzip2.magics import BLOCK, MAGIC_BITS, STREAM_END, find_magics
from gpucurate.sources.decompress import read_on

READ_BYTES = 4 << 20
LONGEST_BLOCK = BLOCK_SYMBOLS * MAX_CODE_BITS // 8 + 65_536  # bytes, if every symbol had the longest code
HEADER = b"BZh"
HEADER_BYTES = 4  # with the level, which need not be known
STREAM_END_BITS = MAGIC_BITS + 32  # with a checksum over all its blocks, each of which has been checked
FILE_END = -1


class Block(NamedTuple):
    """A good block: the byte its magic begins in, its text, and whether that byte is in the range asked for."""

    position: int
    data: bytes
    owned: bool


class Hole(NamedTuple):
    """A place where blocks are missing or broken; it belongs to the range that owns the block before it."""

    position: int
    detail: str
    owned: bool


def read_blocks(stream: BinaryIO, start: int, stop: int) -> Iterator[Block | Hole]:
    """Blocks of a seekable bzip2 file from byte `start` on, far beyond `stop`: it is the caller who ends it.

    Blocks whose magic begins in [start, stop) are owned.  Read up to the first that is not, so as to see every hole.
    For any cut of a file into ranges, each good block and each hole is owned by exactly one.  A magic that stands
    inside a good block by chance costs nothing.  Raises InputError if the file cannot be read on.
    """
    window = _Window(stream, start)
    decoder = BlockDecoder()
    bit, chained = (8 * HEADER_BYTES, True) if start == 0 else (8 * start, False)
    owned = start == 0
    broken: tuple[int, str] | None = None
    while True:
        at = _follow(window, bit) if chained else _search(window, bit)
        if at == FILE_END:
            break
        if at is None:
            broken, chained = (bit >> 3, "no block and no end of a stream stands there"), False
            continue
        window.need(at >> 3, LONGEST_BLOCK)
        result = decoder.decode(window.data, at - 8 * window.base, 8 * window.size)
        if isinstance(result, Flaw):
            if chained:
                broken = at >> 3, f"a block stands there, but {result.value}"
            bit, chained = at + 1, False
            continue
        if broken:
            yield Hole(broken[0], f"bzip2 data is damaged from byte {broken[0]} to byte {at >> 3}: {broken[1]}", owned)
            broken = None
        owned = start <= at >> 3 < stop
        yield Block(at >> 3, result[0], owned)
        bit, chained = result[1] + 8 * window.base, True
    if broken:
        yield Hole(broken[0], f"bzip2 data is cut or damaged from byte {broken[0]} to the end: {broken[1]}", owned)


def warm() -> None:
    """Compile the kernels, or load them from the cache."""
    packed = bz2.compress(b"warm")
    for start in (0, 1):
        list(read_blocks(io.BytesIO(packed), start, len(packed)))


class _Window:
    """The part of the file that is looked at: `size` bytes from offset `base`, and PADDING zeros."""

    def __init__(self, stream: BinaryIO, base: int) -> None:
        stream.seek(base)
        self.base = base
        self.size = 0
        self.data: Bytes = np.zeros(PADDING, np.uint8)
        self._stream = stream

    def need(self, byte: int, count: int) -> None:
        """Forget what lies before `byte` and have [byte, byte + count), as far as the file goes."""
        while self.base + self.size < byte + count:
            new = read_on(self._stream, READ_BYTES, self.base + self.size)
            if not new:
                return
            kept = self.data[max(0, byte - self.base) : self.size]
            self.base += self.size - len(kept)
            self.data = np.concatenate([kept, np.frombuffer(new, np.uint8), np.zeros(PADDING, np.uint8)])
            self.size = len(kept) + len(new)

    def bytes_at(self, byte: int, count: int) -> bytes:
        """Up to `count` bytes; fewer at the end of the file."""
        self.need(byte, count)
        return self.data[byte - self.base : min(byte - self.base + count, self.size)].tobytes()

    def magic_at(self, bit: int) -> int:
        """The 48 bits at `bit`; zeros stand beyond the end of the file."""
        seven = int.from_bytes(self.bytes_at(bit >> 3, 7).ljust(7, b"\0"))
        return seven >> (8 - bit % 8) & (1 << MAGIC_BITS) - 1


def _follow(window: _Window, bit: int) -> int | None:
    """Where the next block begins if the one before ended at `bit`; FILE_END; None if the chain breaks at `bit`."""
    magic = window.magic_at(bit)
    while magic == STREAM_END:
        byte = (bit + STREAM_END_BITS + 7) >> 3
        while (ahead := window.bytes_at(byte, HEADER_BYTES)) and not ahead.strip(b"\0"):
            byte += len(ahead)  # padding between streams or behind the last
        byte += len(ahead) - len(ahead.lstrip(b"\0"))
        ahead = window.bytes_at(byte, HEADER_BYTES)
        if not ahead and byte <= window.base + window.size:
            return FILE_END
        if not ahead.startswith(HEADER):
            return None
        bit = 8 * (byte + HEADER_BYTES)
        magic = window.magic_at(bit)
    return bit if magic == BLOCK else None


def _search(window: _Window, bit: int) -> int:
    """The first magic of a block at or after `bit`; FILE_END if there is none."""
    while True:
        window.need(bit >> 3, READ_BYTES)
        begin = max(0, (bit >> 3) - window.base)  # looking for a stream's head has gone a few bytes ahead
        starts, ends_stream = find_magics(window.data[begin : window.size])
        starts = starts[~ends_stream] + 8 * (window.base + begin)
        later = starts[starts >= bit]
        if len(later):
            return int(later[0])
        if window.base + window.size < (bit >> 3) + READ_BYTES:
            return FILE_END
        bit = 8 * (window.base + window.size - 6)  # a magic may lie across the edge
