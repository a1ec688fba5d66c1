"""Archive files to records, in the order of the file: fastwarc while all is well, the lenient reader from there on.

Nothing that can be read is passed over, what cannot becomes a `Damage` with its place, and no exception of a codec or
parser escapes.  What a record holds is not looked at here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from gpucurate.sources.contract import InputFile
from gpucurate.sources.decompress import compression_of
from gpucurate.sources.files import open_input
from gpucurate.sources.warc.grammar import ARC, HEADER_BYTES, WARC
from gpucurate.sources.warc.lenient import lenient_records
from gpucurate.sources.warc.pieces import MEMBER_MAGIC, stored_pieces
from gpucurate.sources.warc.record import Damage, Record, first_values

LZ4_MAGIC = b"\x04\x22\x4d\x18"
WARC_MAGIC = b"WARC/"
BEGINNINGS = {"none": WARC_MAGIC, "lz4": LZ4_MAGIC, **MEMBER_MAGIC}
READ_BYTES = 1 << 20


def read_archive(file: InputFile, limit: int, start: int = 0) -> Iterator[Record | Damage]:
    """Records of a WARC or ARC file, plain or compressed (gzip; zstd and lz4 for WARC).

    A record's block holds at most `limit` bytes.  With `start`, the position of a record from an earlier reading,
    those before it are passed over where the file can be entered there.  Raises InputError if it cannot be opened.
    """
    with open_input(file) as stream:
        head = stream.read(len(LZ4_MAGIC))
        compression = "lz4" if head == LZ4_MAGIC else compression_of(file.name, head)
        compression = compression if compression in BEGINNINGS else "none"  # no archive comes as bzip2
        if not head:
            return
        if start and not _begins_at(file, start, compression):
            start = 0
        # lz4 and zstd are for fastwarc alone to open (zstd with the dictionary in the file), and never hold ARC.
        first = _first_bytes(stream, compression, start) if compression in ("none", "gzip") else WARC_MAGIC
        by_name = compression_of(file.name, b"")
        if compression == "none" and BEGINNINGS.get(by_name, WARC_MAGIC) in first and not first.startswith(WARC_MAGIC):
            compression = by_name  # junk stands before the first member
            first = _first_bytes(stream, compression, start)
        if first.startswith(WARC_MAGIC):
            yield from _fast_then_lenient(file, stream, compression, limit, start)
        else:
            grammar = ARC if ARC.start.search(first) and not WARC.start.search(first) else WARC
            yield from lenient_records(stored_pieces(stream, start, compression), grammar, limit)


def _fast_then_lenient(
    file: InputFile, stream: BinaryIO, compression: str, limit: int, start: int
) -> Iterator[Record | Damage]:
    given = 0
    held: Record | None = None  # given away only when the next one begins where it should: lengths may be wrong
    whole, doubt = True, ""
    try:
        for record, whole in _fastwarc_records(file, stream, compression, limit, start):
            if held is not None:
                yield held
                given += 1
            held = record
            if not whole:
                doubt = f"record of {record.length} bytes is cut short"
                break
    except OSError as error:
        doubt = str(error)
    if held is not None and whole and (not doubt or compression == "lz4"):
        yield held
    if compression == "lz4":
        if doubt:
            yield Damage(held.position if held else 0, f"lz4 stream is damaged here, the rest is not read: {doubt}")
        return
    enters = held is not None and _begins_at(file, held.position, compression)
    pieces = stored_pieces(stream, held.position if held and enters else start, compression)
    if doubt:
        yield from _after(0 if enters else given, lenient_records(pieces, WARC, limit))
    elif enters and compression != "none":  # fastwarc does not miss the end of a last member, nor see a last few bytes
        yield from (Damage(piece.offset, piece.gap, piece.lost) for piece in pieces if piece.gap)


def _after(known: int, items: Iterator[Record | Damage]) -> Iterator[Record | Damage]:
    """`items` without the first `known` records, which were given away before."""
    for item in items:
        if known and isinstance(item, Record):
            known -= 1
        else:
            yield item


def _fastwarc_records(
    file: InputFile, stream: BinaryIO, compression: str, limit: int, start: int
) -> Iterator[tuple[Record, bool]]:
    """Records, and whether all that their header promises was there.  Raises OSError where fastwarc does."""
    from fastwarc.warc import ArchiveIterator

    stream.seek(start)
    own_positions = True  # until the second record shows that fastwarc's positions are no record's beginning
    for ordinal, found in enumerate(ArchiveIterator(stream, parse_http=False, max_header_len=HEADER_BYTES)):
        if ordinal == 1:
            own_positions = _begins_at(file, found.stream_pos, compression)
        headers = first_values(found.headers.to_tuples())
        missing = found.content_length
        block = found.reader.read(min(missing, limit)) if missing else b""
        missing -= len(block)
        while missing and (beyond := found.reader.read(min(missing, READ_BYTES))):
            missing -= len(beyond)
        whole = not missing and "content-length" in headers
        yield Record(found.stream_pos if own_positions else ordinal, headers, block, found.content_length), whole


def _first_bytes(stream: BinaryIO, compression: str, start: int) -> bytes:
    return next((piece.data for piece in stored_pieces(stream, start, compression) if piece.data), b"")


def _begins_at(file: InputFile, position: int, compression: str) -> bool:
    """True if a member, or an uncompressed record, begins at this byte of the stored file."""
    magic = BEGINNINGS[compression]
    with open_input(file) as stream:
        stream.seek(position)
        return stream.read(len(magic)) == magic
