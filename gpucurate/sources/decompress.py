"""Reading compressed streams that may be cut or damaged: what stands before the damage is kept, the damage is told.

Every source of gzip, bzip2 or zstandard files reads through here, in bounded memory however well a file compresses.
No codec error may escape; a disk or network that fails while reading is an InputError.
"""

from __future__ import annotations

import bz2
import io
import zlib
from collections.abc import Callable
from typing import BinaryIO, NamedTuple, Protocol, cast

import zstandard

from gpucurate.core.errors import InputError

READ_BYTES = 1 << 20
Deflate = type(zlib.decompressobj())  # zlib gives its type no name
BURST_BYTES = 16 << 20  # what one call of the bzip2 decoder may give: 40 bytes can hold a block of 45 MB of zeros
SUFFIXES = {".gz": "gzip", ".bz2": "bzip2", ".zst": "zstd", ".zstd": "zstd"}
MAGICS = {"gzip": b"\x1f\x8b", "bzip2": b"BZh", "zstd": b"\x28\xb5\x2f\xfd"}
ZSTD_SKIPPABLE = b"\x2a\x4d\x18"  # after one byte 0x50-0x5f (RFC 8878, 3.1.2)


class Decoder(Protocol):
    """What the decompressors of bz2, zlib and zstandard share: they decode one member and keep what follows it."""

    @property
    def eof(self) -> bool:
        """True once the member has ended."""
        ...

    @property
    def unused_data(self) -> bytes:
        """The end of what was last given, if the member ended before it."""
        ...

    def decompress(self, data: bytes, /) -> bytes:
        """Decode the next piece."""
        ...


class Codec(NamedTuple):
    """How to decode one kind of stream.

    `slice_bytes` of input are decoded at a time: the memory bound (deflate expands 1,032 times, zstandard gives up to
    128 KiB for 4 bytes) and, but for gzip, the most that is lost before a damaged place.
    """

    decoder: Callable[[], Decoder]
    slice_bytes: int


class _Bzip2Decoder:
    """BZ2Decompressor with a bound on what one call gives."""

    def __init__(self) -> None:
        self._inner = bz2.BZ2Decompressor()

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    @property
    def needs_input(self) -> bool:
        return self._inner.needs_input

    def decompress(self, data: bytes, /) -> bytes:
        return self._inner.decompress(data, BURST_BYTES)


CODECS = {
    "gzip": Codec(lambda: zlib.decompressobj(wbits=31), 1 << 16),
    "bzip2": Codec(_Bzip2Decoder, 1 << 12),
    "zstd": Codec(lambda: zstandard.ZstdDecompressor(max_window_size=1 << 31).decompressobj(), 1 << 12),
}


def compression_of(url: str, head: bytes) -> str:
    """`none`, `gzip`, `bzip2` or `zstd`: by the first bytes, since names lie; by suffix where they are too few."""
    if head[1:4] == ZSTD_SKIPPABLE and head[0] >> 4 == 5:
        return "zstd"
    for name, magic in MAGICS.items():
        if head.startswith(magic):
            return name
    by_suffix = next((name for suffix, name in SUFFIXES.items() if url.endswith(suffix)), "none")
    return by_suffix if by_suffix != "none" and MAGICS[by_suffix].startswith(head) else "none"


def read_on(stream: BinaryIO, size: int, position: int) -> bytes:
    """Read up to `size` bytes; an OSError becomes an InputError that says how far reading got."""
    try:
        return stream.read(size)
    except OSError as error:
        name = getattr(stream, "name", "the input")
        raise InputError(f"cannot read on in {name} after {position} bytes: {error}") from error


class CompressedStream(io.RawIOBase):
    """Decoded bytes of a stream of one or more members; zero padding between and after them is skipped.

    `damage` is None until a cut or a damaged place is met; then it says where, and the stream ends there.  Reads may
    give less than was asked for; wrap it in io.BufferedReader to read lines.  The stream below stays open.
    """

    def __init__(self, stream: BinaryIO, compression: str) -> None:
        super().__init__()
        self._stream = stream
        self._compression = compression
        self._codec = CODECS[compression]
        self._decoder = self._codec.decoder()
        self._begun = False  # has the current member any input yet
        self._members = 0  # that ended well
        self._piece = b""  # compressed bytes as read; `_at` says how many of them the decoder has taken
        self._at = 0
        self._piece_start = 0  # where the piece stands in the stream
        self._slice_start = 0  # and what was last taken from it
        self._ready = memoryview(b"")
        self.damage: str | None = None

    def readable(self) -> bool:
        """Always True."""
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """Fill `buffer` with up to its length of decoded bytes; 0 at the end or at the damage."""
        ready = self._take(len(buffer))
        buffer[: len(ready)] = ready
        return len(ready)

    def read(self, size: int = -1, /) -> bytes:
        """Up to `size` decoded bytes, all of them if it is negative; empty at the end or at the damage."""
        return self.readall() if size < 0 else bytes(self._take(size))

    def readall(self) -> bytes:
        """Everything up to the end or the damage."""
        return b"".join(iter(lambda: bytes(self._take(READ_BYTES)), b""))

    def _take(self, size: int) -> memoryview:
        while not self._ready and self.damage is None and self._decode():
            pass
        taken, self._ready = self._ready[:size], self._ready[size:]
        return taken

    def _decode(self) -> bool:
        """Decode one slice into `_ready`, which may stay empty; False at the end of the stream or at the damage."""
        if self._decoder.eof:
            self._at -= len(self._decoder.unused_data)
            self._decoder, self._begun, self._members = self._codec.decoder(), False, self._members + 1
        data = self._next_slice() if getattr(self._decoder, "needs_input", True) else None
        if data == b"":
            if self._begun:
                self.damage = f"{self._compression} stream is cut short after {self._piece_start} bytes"
            return False
        if not self._begun and data is not None:
            data = data.lstrip(b"\0")
            if not data:
                return True
        before = self._decoder.copy() if isinstance(self._decoder, Deflate) else None
        try:
            self._ready = memoryview(self._decoder.decompress(data or b""))
            self._begun = True
        except (OSError, EOFError, ValueError, zlib.error, zstandard.ZstdError) as error:
            self._ready = memoryview(_salvage(before, data or b"") if before else b"")
            kind = "damaged" if self._begun or not self._members else "followed by bytes of another kind"
            self.damage = f"{self._compression} stream is {kind} near byte {self._slice_start}: {error}"
        return True

    def _next_slice(self) -> bytes:
        """Compressed bytes the decoder has not had; empty at the end."""
        if self._at == len(self._piece):
            self._piece_start += len(self._piece)
            self._piece, self._at = read_on(self._stream, READ_BYTES, self._piece_start), 0
        self._slice_start = self._piece_start + self._at
        data = self._piece[self._at : self._at + self._codec.slice_bytes]
        self._at += len(data)
        return data


def _salvage(decoder: Decoder, data: bytes) -> bytes:
    """What a deflate decoder gives before the byte of `data` that it fails at, found by bisection on its copies."""
    kept = b""
    step = 1 << len(data).bit_length()
    while step := step >> 1:
        trial = cast(Decoder, decoder.copy())  # type: ignore[attr-defined]
        try:
            kept += trial.decompress(data[:step])
        except zlib.error:
            continue
        decoder, data = trial, data[step:]
    return kept


def open_compressed(stream: BinaryIO, compression: str) -> BinaryIO | CompressedStream:
    """Wrap a raw stream; `compression` as `compression_of` names it.  Plain streams are given back as they are."""
    return stream if compression == "none" else CompressedStream(stream, compression)


def damage_of(stream: BinaryIO | CompressedStream) -> str | None:
    """What was found damaged so far, for a stream from `open_compressed`; plain streams are never damaged."""
    return stream.damage if isinstance(stream, CompressedStream) else None
