"""Groups of digits taken apart where blanks allow it: which pieces of a run could be one number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from gpucurate.steps.pii.candidate import Candidate

BLANK = re.compile(r"[ \u00a0\u202f]+")
NO_DIGIT = re.compile(r"\D+")
MOST_BLOCKS = 8  # blocks between blanks in one number; a French social security number has seven
LEAST_FILL = 3  # half digits a block in the mean: `+33 1 23 45 67 89` has 3.7, a table of single digits 2


@dataclass(frozen=True, slots=True)
class Piece:
    """`text` as written from byte `start` of the document, and its `digits`."""

    text: str
    digits: str
    start: int

    @property
    def end(self) -> int:
        """Byte offset after the piece."""
        return self.start + len(self.text.encode())


class Pieces:
    """Walks the pieces of one run, the longest first at each block; `skip` goes on behind the present one.

    A piece begins and ends at blanks: what hyphens, full stops or slashes join is never cut.
    """

    def __init__(self, candidate: Candidate) -> None:
        self._text = candidate.match.decode()
        self._offset = candidate.start
        blanks = [found.span() for found in BLANK.finditer(self._text)]
        self._starts = [0, *(end for _, end in blanks)]
        self._ends = [*(start for start, _ in blanks), len(self._text)]
        self._skip = False

    def skip(self) -> None:
        """Take the present piece as dealt with."""
        self._skip = True

    def walk(self, fewest: int, most: int) -> Iterator[Piece]:
        """Pieces of `fewest` to `most` digits."""
        first = 0
        while first < len(self._starts):
            start, following = self._starts[first], first + 1
            offset = self._offset + len(self._text[:start].encode())
            for last in range(min(len(self._ends), first + MOST_BLOCKS) - 1, first - 1, -1):
                text = self._text[start : self._ends[last]]
                digits = NO_DIGIT.sub("", text)
                if len(digits) < fewest:
                    break
                if len(digits) <= most and 2 * len(digits) >= LEAST_FILL * (last - first + 1):
                    yield Piece(text, digits, offset)
                    if self._skip:
                        self._skip = False
                        following = last + 1
                        break
            first = following
