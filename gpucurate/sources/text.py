"""Text files: one document a file, or one a line or paragraph, plain or compressed.

The encoding is UTF-8, or what a byte order mark says; a file or piece in any other is put aside, never guessed at.
"""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from itertools import groupby
from typing import BinaryIO, Literal

from pydantic import Field

from gpucurate.core.digests import digest16
from gpucurate.core.documents import DocumentRow, QuarantineRow
from gpucurate.core.reasons import Reason, Verdict
from gpucurate.recipe.model import SourceConfig
from gpucurate.sources.chunk import ChunkBuilder
from gpucurate.sources.contract import Chunk, Source, Unit
from gpucurate.sources.decompress import CompressedStream, compression_of, damage_of, open_compressed
from gpucurate.sources.files import open_input
from gpucurate.sources.lines import Line, read_blocks, read_lines

WIDE = ("utf-16", "utf-32")
MARKS = (  # UTF-32 first: its little-endian mark begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class TextConfig(SourceConfig):
    """Text files."""

    split: Literal["none", "lines", "paragraphs"] = Field(
        "none", description="What is a document: the file, each line, or each run of lines between blank ones."
    )
    max_record_bytes: int = Field(1 << 30, gt=0, description="Largest document that is read; others are put aside.")


class TextFiles(Source[TextConfig]):
    """`position` is 0 for a file, else the byte offset of the piece in the decompressed file; the
    URI is the file's name, with `#position` for a piece."""

    kind = "text"
    version = 1
    config_type = TextConfig
    reasons = tuple(
        Reason(code, meaning, verdict=Verdict.QUARANTINE)
        for code, meaning in {
            "text.encoding": "the file or piece is not UTF-8, nor what its byte order mark says",
            "text.too_long": "the file or piece is longer than max_record_bytes",
            "text.damaged": "the compressed file is cut short or damaged here",
        }.items()
    )

    def read(self, unit: Unit) -> Iterator[Chunk]:
        """Documents of one file."""
        builder = ChunkBuilder(self.name)
        with open_input(unit.file) as stored:
            stream = open_compressed(stored, compression_of(unit.file.name, stored.peek()))
            buffered = io.BufferedReader(stream) if isinstance(stream, CompressedStream) else stored
            encoding = _encoding(buffered.peek())
            for piece in self._pieces(buffered, encoding, unit):
                self._add(builder, unit.file.name, piece, encoding, cut=damage_of(stream) is not None)
                if builder.full:
                    yield builder.close()
            damage = damage_of(stream)
        if damage is not None:
            builder.quarantine(QuarantineRow(unit.file.name, unit.file.size, "text.damaged", damage))
        if not builder.empty:
            yield builder.close()

    def _pieces(self, stream: BinaryIO, encoding: str, unit: Unit) -> Iterator[Line]:
        """Raw documents in the encoding of the file, as lines of any length."""
        longest = self.config.max_record_bytes
        if self.config.split == "none":
            yield _whole(stream, unit.file.url, longest)
        elif encoding in WIDE:
            yield Line(0, unit.file.size, None)
        elif self.config.split == "lines":
            yield from (line for line in read_lines(stream, unit.file.url, longest=longest) if not _is_blank(line))
        else:
            yield from _paragraphs(read_lines(stream, unit.file.url, longest=longest), longest)

    def _add(self, builder: ChunkBuilder, file: str, piece: Line, encoding: str, cut: bool) -> None:
        """Put a piece into the chunk, as a document or aside."""

        def put_aside(reason: str, detail: str) -> None:
            builder.quarantine(QuarantineRow(file, piece.position, reason, detail, piece.size))

        if piece.data is None and encoding in WIDE and self.config.split != "none":
            return put_aside("text.encoding", f"{encoding} cannot be split. Remedy: iconv -f {encoding} -t utf-8")
        if piece.data is None:
            return put_aside("text.too_long", f"{piece.size} bytes, max_record_bytes is {self.config.max_record_bytes}")
        try:
            text = codecs.getincrementaldecoder(encoding)().decode(piece.data, final=piece.ended or not cut)
        except UnicodeDecodeError as error:
            return put_aside("text.encoding", f"byte {error.start} is not {encoding}: {error.reason}")
        uri = file if self.config.split == "none" else f"{file}#{piece.position}"
        row = DocumentRow(uri, text, digest16(piece.data), piece.size, file, piece.position)
        row.retrieved, row.license = self.config.retrieved, self.config.license
        row.license_evidence = "recipe" if self.config.license else None
        return builder.document(row)


def _encoding(head: bytes) -> str:
    return next((encoding for mark, encoding in MARKS if head.startswith(mark)), "utf-8")


def _whole(stream: BinaryIO, url: str, longest: int) -> Line:
    """The whole stream as one piece; what is longer than allowed is measured only."""
    pieces: list[bytes] = []
    size = 0
    for block in read_blocks(stream, url):
        size += len(block)
        if size <= longest:
            pieces.append(block)
        else:
            pieces.clear()
    return Line(0, size, b"".join(pieces) if size <= longest else None, ended=False)


def _is_blank(line: Line) -> bool:
    return line.data is not None and (not line.data or line.data.isspace())


def _paragraphs(lines: Iterator[Line], longest: int) -> Iterator[Line]:
    """Runs of lines that are not blank, joined by LF."""
    for blank, group in groupby(lines, _is_blank):
        if not blank:
            yield _joined(group, longest)


def _joined(lines: Iterator[Line], longest: int) -> Line:
    first = next(lines)
    pieces, size, fits = [first.data or b""], first.size, first.data is not None
    for line in lines:
        size += 1 + line.size
        fits = fits and line.data is not None and size <= longest
        if fits:
            pieces.append(line.data or b"")
        else:
            pieces.clear()
    return Line(first.position, size, b"\n".join(pieces) if fits else None)
