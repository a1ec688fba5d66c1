"""Bytes that mean something in wikitext, marks the two passes leave for each other, and the smallest scans over bytes.

MediaWiki dumps are XML, which forbids control characters.  The scanner drops those of its input and uses five of them
as marks between the passes; none ever reaches the output.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import kernel
from gpucurate.core.text_buffers import Bytes

ERASED = 0  # something stood here: shows nothing, but keeps quote marks apart and is no start of a line
QUOTE = 1  # an apostrophe that is text
GUARD = 2  # what follows is text, not the start of a line of markup
LINE_BREAK = 3  # a new line that opens no list or heading: <br>, <p>
LINK_TEXT = 4  # as ERASED; the label of a link begins

TAB, NEWLINE, SPACE = 9, 10, 32
BANG, HASH, AMPERSAND, APOSTROPHE, OPEN_ROUND, CLOSE_ROUND = 33, 35, 38, 39, 40, 41
STAR, PLUS, DASH, SLASH, ZERO, COLON, SEMICOLON = 42, 43, 45, 47, 48, 58, 59
LESS, EQUALS, GREATER, OPEN_BRACKET, CLOSE_BRACKET, UNDERSCORE = 60, 61, 62, 91, 93, 95
OPEN_BRACE, PIPE, CLOSE_BRACE = 123, 124, 125

CONTROL_BYTES = bytes(set(range(32)) - {TAB})


def byte_set(members: bytes) -> NDArray[np.bool_]:
    """Membership table of 256 entries."""
    table = np.zeros(256, np.bool_)
    table[list(members)] = True
    return table


@kernel
def at(text: Bytes, pos: int, stop: int, c: int) -> bool:
    """Does byte `c` stand at `pos`?"""
    return pos < stop and text[pos] == c


@kernel
def both(text: Bytes, pos: int, stop: int, c: int) -> bool:
    """Does byte `c` stand at `pos` and once more behind it?"""
    return pos + 1 < stop and text[pos] == c and text[pos + 1] == c


@kernel
def run_length(text: Bytes, pos: int, stop: int) -> int:
    """How often the byte at `pos` stands there in a row."""
    end = pos + 1
    while end < stop and text[end] == text[pos]:
        end += 1
    return end - pos


@kernel
def is_digit(c: int) -> bool:
    """ASCII 0-9."""
    return 48 <= c <= 57


@kernel
def is_alnum(c: int) -> bool:
    """ASCII letter or digit."""
    return 48 <= c <= 57 or 65 <= c <= 90 or 97 <= c <= 122


@kernel
def trim(text: Bytes, start: int, stop: int) -> tuple[int, int]:
    """text[start:stop] without blanks, underscores and marks at its ends: how MediaWiki reads a name."""
    while start < stop and (text[start] <= SPACE or text[start] == UNDERSCORE):
        start += 1
    while stop > start and (text[stop - 1] <= SPACE or text[stop - 1] == UNDERSCORE):
        stop -= 1
    return start, stop


@kernel
def copy_bytes(text: Bytes, start: int, stop: int, out: Bytes, w: int) -> int:
    """Append text[start:stop] at out[w]; returns the new end.  Safe where `out` is `text` and w <= start."""
    for k in range(start, stop):
        out[w] = text[k]
        w += 1
    return w


@kernel
def erase(out: Bytes, start: int, stop: int) -> None:
    """Overwrite with ERASED."""
    for k in range(start, stop):
        out[k] = ERASED


@kernel
def cut(out: Bytes, start: int) -> int:
    """End the output at `start` with the mark that something stood there; returns the new end.

    In ''{{x}}'' the quotes must not merge, and in <math>x</math>: the colon is no list mark.
    """
    out[start] = ERASED
    return start + 1
