"""Reading compressed streams that may be cut or damaged: what stands before the damage is kept, the damage is told.

`open_compressed` never lets EOFError, zlib.error or OSError from a codec escape to a source.
"""

from __future__ import annotations

import bz2
import io
import zlib
from collections.abc import Callable
from typing import BinaryIO, Protocol

import zstandard

READ_BYTES = 1 << 20
SUFFIXES = {".gz": "gzip", ".bz2": "bzip2", ".zst": "zstd", ".zstd": "zstd"}
MAGICS = ((b"\x1f\x8b", "gzip"), (b"BZh", "bzip2"), (b"\x28\xb5\x2f\xfd", "zstd"))


class Decoder(Protocol):
    """What bz2, zlib and zstandard decompressors share."""

    @property
    def eof(self) -> bool:
        """True once the member has ended."""
        ...

    @property
    def unused_data(self) -> bytes:
        """What was given beyond the end of the member."""
        ...

    def decompress(self, data: bytes, /) -> bytes:
        """Decode the next piece."""
        ...


DECODERS: dict[str, Callable[[], Decoder]] = {
    "gzip": lambda: zlib.decompressobj(wbits=31),
    "bzip2": bz2.BZ2Decompressor,
    "zstd": lambda: zstandard.ZstdDecompressor(max_window_size=1 << 31).decompressobj(),
}


def compression_of(url: str, head: bytes) -> str:
    """`none`, `gzip`, `bzip2` or `zstd`: by the first bytes, since names lie; by suffix if the file is empty."""
    for magic, name in MAGICS:
        if head.startswith(magic):
            return name
    if head:
        return "none"
    return next((name for suffix, name in SUFFIXES.items() if url.endswith(suffix)), "none")


class CompressedStream(io.RawIOBase):
    """Decoded bytes of a stream of one or more members.

    `damage` is None until a cut or a damaged place is met; then it says where, and the stream ends there.
    """

    def __init__(self, stream: BinaryIO, compression: str) -> None:
        super().__init__()
        self._stream = stream
        self._new_decoder = DECODERS[compression]
        self._decoder = self._new_decoder()
        self._compression = compression
        self._begun = False  # has the current member any input yet
        self._ready = memoryview(b"")
        self._read = 0
        self.damage: str | None = None

    def readable(self) -> bool:
        """Always True."""
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """Fill `buffer` with up to its length of decoded bytes; 0 at the end or at the damage."""
        while not self._ready:
            if self.damage is not None or not self._decode_more():
                return 0
        count = min(len(buffer), len(self._ready))
        buffer[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count

    def _decode_more(self) -> bool:
        piece = self._decoder.unused_data if self._decoder.eof else b""
        if self._decoder.eof:
            self._decoder, self._begun = self._new_decoder(), False
        if not piece:
            piece = self._stream.read(READ_BYTES)
            self._read += len(piece)
        if not piece:
            if self._begun:
                self.damage = f"{self._compression} stream is cut short after {self._read} bytes"
            return False
        if not self._begun and not piece.strip(b"\0"):
            return True  # zero padding between or after members
        try:
            self._ready = memoryview(self._decoder.decompress(piece))
            self._begun = True
        except (OSError, EOFError, ValueError, zlib.error, zstandard.ZstdError) as error:
            kind = "damaged" if self._begun or not self._any_member() else "followed by bytes of another kind"
            self.damage = f"{self._compression} stream is {kind} near byte {self._read - len(piece)}: {error}"
            return False
        return True

    def _any_member(self) -> bool:
        return self._read > READ_BYTES


def open_compressed(stream: BinaryIO, compression: str) -> BinaryIO | CompressedStream:
    """Wrap a raw stream; `compression` as `compression_of` names it.  Plain streams are given back as they are."""
    return stream if compression == "none" else CompressedStream(stream, compression)
