"""Splitting pieces of a dump into pages, at the level of bytes and in constant memory.

`<page>` and `</page>` cannot stand in a page's text, which is escaped.  A page belongs to the unit in whose pieces its
tag begins; one that never ends, or runs into damage, is given as broken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from gpucurate.sources.wikipedia.pieces import Gap, Piece
from gpucurate.sources.wikipedia.revisions import keep_newest

START = re.compile(rb"<page[\s>]")
END = b"</page>"
TAG_BYTES = 8  # longer than the part of a tag that can stand at the end of a piece
COMPACT_BYTES = 32 << 20  # after so many, an unfinished page's older revisions are forgotten
LONGEST_PAGE = 1 << 30  # with one revision


class RawPage(NamedTuple):
    """From `<page` to `</page>`; `position` as in the pieces, or the page's number where they have none."""

    position: int
    data: bytes


class BrokenPage(NamedTuple):
    """A page that begins and does not end."""

    position: int
    detail: str
    size: int  # bytes of XML that are there


def split_pages(pieces: Iterable[Piece | Gap]) -> Iterator[RawPage | BrokenPage | Gap]:
    """Pages that begin in owned pieces, and owned gaps between them, in the order of the file."""
    window = _Window()
    for piece in pieces:
        if isinstance(piece, Gap):
            if window.in_page:
                yield window.broken("damage cuts the page off")
            if not piece.owned:
                return
            yield piece
            window.take(len(window.data))
            continue
        window.append(piece)
        while window.in_page or window.find_start():
            end = window.data.find(END, window.searched)
            again = START.search(window.data, window.searched, len(window.data) if end < 0 else end)
            if again:
                yield window.broken("the page has no end tag", again.start())
            elif end >= 0:
                yield window.page(end + len(END))
            else:
                window.wait()
                if len(window.data) > LONGEST_PAGE:
                    yield window.broken(f"the page is longer than {LONGEST_PAGE} bytes")
                break
        if not window.in_page and not window.owned:
            return
    if window.in_page:
        yield window.broken("the file ends inside the page")


class _Window:
    """The bytes that are looked at: from the start of a page if inside one, else the end of the last piece."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.in_page = False
        self.searched = 0  # no tag that matters begins before
        self._begin = 0  # of the data, counted over all pieces
        self._pieces: list[tuple[int, Piece]] = []  # with the begin of each; the first holds the data's first byte
        self._pages = 0
        self._compact_at = COMPACT_BYTES

    @property
    def owned(self) -> bool:
        """True if the data's first byte is the unit's own."""
        return self._pieces[0][1].owned

    def append(self, piece: Piece) -> None:
        self._pieces.append((self._begin + len(self.data), piece._replace(data=b"")))
        self.data += piece.data
        self._forget_pieces()

    def take(self, count: int) -> bytes:
        """Move on by `count` bytes, which are returned."""
        taken = bytes(memoryview(self.data)[:count])
        del self.data[:count]
        self._begin += count
        self.searched = 0
        self._forget_pieces()
        return taken

    def find_start(self) -> bool:
        """Go to the start of the next page; True if there is one and it is the unit's own."""
        start = START.search(self.data, self.searched)
        self.take(start.start() if start else max(0, len(self.data) - TAG_BYTES))
        self.in_page = start is not None and self.owned
        self.searched = TAG_BYTES if self.in_page else 0
        return self.in_page

    def wait(self) -> None:
        """More bytes are needed to find the end of the page."""
        if len(self.data) > self._compact_at:
            self._compact()
        self.searched = max(TAG_BYTES, len(self.data) - TAG_BYTES)

    def page(self, size: int) -> RawPage:
        """The page, which takes `size` bytes."""
        position = self._end_page()
        return RawPage(position, self.take(size))

    def broken(self, detail: str, size: int | None = None) -> BrokenPage:
        """The page, of which there are `size` bytes: all of the data if that is not said."""
        position = self._end_page()
        size = len(self.data) if size is None else size
        self.take(size)
        return BrokenPage(position, detail, size)

    def _end_page(self) -> int:
        begin, piece = self._pieces[0]
        number, self._pages = self._pages, self._pages + 1
        self.in_page = False
        self._compact_at = COMPACT_BYTES
        if piece.position is None:
            return number
        return piece.position + (self._begin - begin if piece.exact else 0)

    def _forget_pieces(self) -> None:
        while len(self._pieces) > 1 and self._pieces[1][0] <= self._begin:
            del self._pieces[0]

    def _compact(self) -> None:
        before = len(self.data)
        self.data = bytearray(keep_newest(bytes(self.data)))
        self._compact_at = len(self.data) + COMPACT_BYTES
        # The end of the page, and all that follows it, will be found in the last piece or later ones.
        begin, last = self._pieces[-1]
        if len(self._pieces) > 1:
            self._pieces[1:] = [(max(self._begin + 1, begin - before + len(self.data)), last)]
