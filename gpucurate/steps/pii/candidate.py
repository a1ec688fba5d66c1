"""A place in a document where a detector looks, with what stands around it."""

from __future__ import annotations

import re
from dataclasses import dataclass

BEFORE, AFTER = 48, 20  # bytes in which words of context count; about the five words before that Presidio looks at


@dataclass(slots=True)
class Candidate:
    """`text` is one document's UTF-8; `start` and `end` are byte offsets into it."""

    text: memoryview
    start: int
    end: int

    @property
    def match(self) -> bytes:
        """The bytes themselves."""
        return bytes(self.text[self.start : self.end])

    def before(self, size: int = BEFORE) -> bytes:
        """What stands before, at most `size` bytes (a character may be cut)."""
        return bytes(self.text[max(0, self.start - size) : self.start])

    def after(self, size: int = AFTER) -> bytes:
        """What stands after, at most `size` bytes (a character may be cut)."""
        return bytes(self.text[self.end : self.end + size])

    def near(self, words: re.Pattern[bytes], after: bool = False) -> bool:
        """Whether one of the words stands before, in the same paragraph, or, if asked, right after."""
        earlier = self.before().rpartition(b"\n\n")[2]
        return words.search(earlier) is not None or (after and words.search(self.after()) is not None)


def words(*stems: str) -> re.Pattern[bytes]:
    """Pattern of words that begin a word, in any case: ASCII by `re`, other scripts as written here and capitalised.

    A stem ending in `.` is a whole word.
    """
    ascii_stems = [s for s in stems if s.isascii()]
    other = sorted({v for s in stems if not s.isascii() for v in (s, s.capitalize(), s.upper())})
    patterns = [
        rb"(?<![a-z0-9])"
        + (re.escape(s[:-1]).encode() + rb"(?![a-z0-9])" if s.endswith(".") else re.escape(s).encode())
        for s in ascii_stems
    ]
    patterns += [re.escape(s).encode() for s in other]
    return re.compile(b"|".join(patterns), re.IGNORECASE)
