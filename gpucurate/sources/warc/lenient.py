"""The lenient reader: records out of decoded pieces whose headers, lengths and joints may be wrong.

It finds headers by how they look, believes a declared length only if something ends there, and goes on behind what it
cannot read.  It never holds more than one record's limit and a piece in memory.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpucurate.sources.warc.grammar import HEADER_BYTES, Grammar, Header
from gpucurate.sources.warc.pieces import Piece
from gpucurate.sources.warc.record import Damage, Record

FILLER = b"\r\n \t\0"
LINE_BYTES = 18_000  # longest line that may be a record's first: an ARC header


def lenient_records(pieces: Iterator[Piece], grammar: Grammar, limit: int) -> Iterator[Record | Damage]:
    """Records and damages in the order of the file; blocks hold at most `limit` bytes."""
    window, ordinal = Window(pieces), 0
    while window.next_run():
        while (header := _next_header(window, grammar)) is not None:
            yield from window.losses("bytes that belong to no record")
            position = window.offset if window.at_offset else ordinal
            yield _take(window, grammar, header, limit, position)
            ordinal += 1
        yield from window.losses("bytes that belong to no record")
        if window.gap is not None:
            yield Damage(window.gap.offset, window.gap.gap or "", window.gap.lost)


class Window:
    """The decoded bytes from the reader's place on, up to the next gap; grows at the end, is dropped at the front."""

    def __init__(self, pieces: Iterator[Piece]) -> None:
        self.data = bytearray()
        self.gap: Piece | None = None  # what ended the current run
        self._pieces = pieces
        self._marks: list[tuple[int, Piece]] = []  # (index in data, the piece that begins there), ascending
        self._lost = 0
        self._lost_at = 0

    def next_run(self) -> bool:
        """Go behind the last gap; False at the end of the file."""
        self.gap = None
        return self.more() or self.gap is not None

    def more(self) -> bool:
        """Take another piece; False at a gap or the end, with `gap` set if it is one."""
        piece = None if self.gap is not None else next(self._pieces, None)
        if piece is None or piece.gap is not None:
            self.gap = self.gap or piece
            return False
        if piece.exact or not self._marks or self._marks[-1][1].offset != piece.offset:
            self._marks.append((len(self.data), piece._replace(data=b"")))
        self.data += piece.data
        return True

    @property
    def offset(self) -> int:
        """Where the front of the window stands in the stored file, to the byte or to the compressed member."""
        index, piece = self._marks[0]
        return piece.offset - index if piece.exact else piece.offset

    @property
    def at_offset(self) -> bool:
        """True if something begins exactly at `offset`, not somewhere in the member there."""
        index, piece = self._marks[0]
        return piece.exact or index == 0

    def drop(self, count: int) -> None:
        """Pass over `count` bytes that were read."""
        del self.data[:count]
        self._marks = [(index - count, piece) for index, piece in self._marks]
        while len(self._marks) > 1 and self._marks[1][0] <= 0:
            del self._marks[0]

    def lose(self, count: int) -> None:
        """Pass over `count` bytes that nothing claims; white space and padding between records are no loss."""
        filler = count - len(self.data[:count].lstrip(FILLER))
        self.drop(filler)
        if lost := self.data[: count - filler].rstrip(FILLER):
            if not self._lost:
                self._lost_at = self.offset
            self._lost += len(lost)
        self.drop(count - filler)

    def disown(self, count: int) -> None:
        """Count the last `count` bytes that were dropped as lost."""
        if count and not self._lost:
            self._lost_at = self.offset
        self._lost += count

    def losses(self, why: str) -> Iterator[Damage]:
        """What was lost since the last call, as one damage."""
        if self._lost:
            yield Damage(self._lost_at, f"{self._lost} {why}", self._lost)
        self._lost = 0


def _next_header(window: Window, grammar: Grammar) -> Header | None:
    """The header that the front of the window is then at; None at the end of the run."""
    while True:
        found = grammar.start.search(window.data)
        if found is None:
            window.lose(max(0, len(window.data) - LINE_BYTES))
            if not window.more():
                window.lose(len(window.data))
                return None
            continue
        window.lose(found.start())
        header = grammar.parse(window.data)
        while header is None and len(window.data) < HEADER_BYTES and window.more():
            header = grammar.parse(window.data)
        if header is not None:
            return header
        window.lose(found.end() - found.start())


def _take(window: Window, grammar: Grammar, header: Header, limit: int, position: int) -> Record | Damage:
    """The block that belongs to `header`, which stands at the front of the window."""
    window.drop(header.size)
    while len(window.data) < min(header.length, limit) + 4 and window.more():
        pass
    data = window.data
    if header.length <= len(data) and grammar.separator.match(data, header.length):
        block = bytes(data[: min(header.length, limit)])
        window.drop(header.length)
        return Record(position, header.fields, block, header.length)
    return _take_up_to_next(window, grammar, header, limit, position)


def _take_up_to_next(window: Window, grammar: Grammar, header: Header, limit: int, position: int) -> Record | Damage:
    """The declared length leads nowhere, or beyond the limit: the block goes up to the next header."""
    block, length = bytearray(), 0
    while (end := grammar.boundary.search(window.data)) is None:
        # Keep back one line's length: the boundary may straddle two pieces.
        ready = max(0, len(window.data) - LINE_BYTES)
        block += window.data[: min(ready, limit - len(block))]
        length += ready
        window.drop(ready)
        if not window.more():
            break
    rest = end.start() if end is not None else len(window.data)
    block += window.data[: min(rest, limit - len(block))]
    length += rest
    window.drop(rest)
    if end is None and length < header.length:
        uri = header.fields.get("warc-target-uri")
        return Damage(position, f"record is cut short: {length} of {header.length} bytes are there", length, uri)
    if end is None:  # nothing follows, so the declared length is the best there is
        window.disown(length - header.length)
        return Record(position, header.fields, bytes(block[: header.length]), header.length)
    return Record(position, header.fields, bytes(block), length, repaired=length != header.length)
