"""A unit of a dump as a flow of decoded pieces, whatever the file is packed in and encoded as.

Plain and bzip2 files in UTF-8 can be read from any byte; others flow from their beginning.  Pieces go on beyond the
unit's end until the reader stops, so that its last page can be finished.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from gpucurate.sources.bzip2 import Block, read_blocks
from gpucurate.sources.contract import InputFile, Unit
from gpucurate.sources.decompress import CompressedStream, compression_of, damage_of, open_compressed, read_on

READ_BYTES = 1 << 20
HEAD_BYTES = 1 << 12  # in which a byte order mark or an XML declaration must stand
END_TAG = b"</mediawiki"
ENDING_BYTES = 1024  # the end tag and white space or a comment behind it
MARKS = (  # XML 1.0, appendix F: byte order marks, then how `<` looks without one
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (codecs.BOM_UTF8, "utf-8"),
    (b"<\0", "utf-16-le"),
    (b"\0<", "utf-16-be"),
)
BYTEWISE = ("iso8859", "cp", "koi8", "gb", "big5", "euc", "shift_jis")  # what a declaration in ASCII can truly name
DECLARED = re.compile(rb"<\?xml[^>]*?\sencoding\s*=\s*[\"']([A-Za-z][\w.\-]*)[\"']")


class Piece(NamedTuple):
    """Decoded bytes.  `position` is where they stand in the stored file: exactly byte for byte if `exact`, else the
    start of the block that holds them, or None where a file has no such places."""

    data: bytes
    position: int | None
    exact: bool
    owned: bool


class Gap(NamedTuple):
    """Bytes that could not be decoded, or are missing at the end."""

    position: int
    detail: str
    owned: bool


class Form(NamedTuple):
    """How a file holds its XML."""

    compression: str
    encoding: str

    @property
    def cuttable(self) -> bool:
        """True if reading may begin at any byte."""
        return self.compression in ("none", "bzip2") and self.encoding == "utf-8"


def form_of(stored: BinaryIO, file: InputFile) -> Form:
    """Told by the file's first bytes; `stored` is then back at its beginning."""
    compression = compression_of(file.url, read_on(stored, 8, 0))
    stored.seek(0)
    if compression == "bzip2":  # a block is the least that can be decoded
        blocks = read_blocks(stored, 0, file.size)
        head = next((part.data[:HEAD_BYTES] for part in blocks if isinstance(part, Block)), b"")
    else:
        head = open_compressed(stored, compression).read(HEAD_BYTES)
    stored.seek(0)
    return Form(compression, _encoding_of(head))


def _encoding_of(head: bytes) -> str:
    """Python's name for the encoding; `utf-8` where nothing else is said."""
    for mark, encoding in MARKS:
        if head.startswith(mark):
            return encoding
    declared = DECLARED.match(head)
    try:
        encoding = codecs.lookup(declared[1].decode()).name if declared else "utf-8"
    except LookupError:
        return "utf-8"  # what is not will be told page by page
    return encoding if encoding.startswith(BYTEWISE) else "utf-8"


def read_pieces(stored: BinaryIO, unit: Unit, form: Form, framed: bool) -> Iterator[Piece | Gap]:
    """Pieces of the unit, then those beyond it (not owned) up to the end of the file.

    If `framed`, the file began as a whole export does, and a last gap tells if it does not end as one.
    """
    ending = b""
    if not form.cuttable:
        pieces = _whole(stored, unit, form)
    elif form.compression == "bzip2":
        pieces = _bzip2(stored, unit)
    else:
        stored.seek(max(0, unit.start - ENDING_BYTES))
        ending = read_on(stored, unit.start - stored.tell(), unit.start)
        pieces = _plain(stored, unit)
    last: Piece | Gap | None = None
    for last in pieces:
        yield last
        if isinstance(last, Piece):
            ending = (ending + last.data[-ENDING_BYTES:])[-ENDING_BYTES:]
    telling = unit.start == 0 or len(ending) > 2 * len(END_TAG)
    if framed and telling and isinstance(last, Piece) and last.owned and END_TAG not in ending:
        yield Gap(unit.file.size, "the file is cut short: the export has no end", True)


def _plain(stored: BinaryIO, unit: Unit) -> Iterator[Piece]:
    stored.seek(unit.start)
    at = unit.start
    while data := read_on(stored, READ_BYTES if at >= unit.stop else min(READ_BYTES, unit.stop - at), at):
        yield Piece(data, at, True, at < unit.stop)
        at += len(data)


def _bzip2(stored: BinaryIO, unit: Unit) -> Iterator[Piece | Gap]:
    for part in read_blocks(stored, unit.start, unit.stop):
        if isinstance(part, Block):
            yield Piece(part.data, part.position, False, part.owned)
        else:
            yield Gap(part.position, part.detail, part.owned)


def _whole(stored: BinaryIO, unit: Unit, form: Form) -> Iterator[Piece | Gap]:
    stream: BinaryIO | CompressedStream = open_compressed(stored, form.compression)
    decoder = codecs.getincrementaldecoder(form.encoding)("replace") if form.encoding != "utf-8" else None
    at = 0
    while data := read_on(stream, READ_BYTES, at):  # type: ignore[arg-type]
        at += len(data)
        yield Piece(decoder.decode(data).encode() if decoder else data, None, False, True)
    if damage := damage_of(stream):
        yield Gap(unit.file.size, damage, True)
