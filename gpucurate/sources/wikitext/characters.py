"""Bytes that mean something in wikitext, marks the two passes leave for each other, and the smallest scans over bytes.

MediaWiki dumps are XML, which forbids control characters.  The scanner drops those of its input and uses six of them
as marks between the passes; none ever reaches the output.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import kernel
from gpucurate.core.text_buffers import Bytes

# Constants that are passed to kernels have NumPy types: Numba compiles a kernel anew for every literal number.
Byte = np.uint8
ORIGIN = np.int64(0)

ERASED = Byte(0)  # something stood here: shows nothing, but keeps quote marks apart and is no start of a line
QUOTE = Byte(1)  # an apostrophe that is text
GUARD = Byte(2)  # what follows is text, not the start of a line of markup
LINE_BREAK = Byte(3)  # a new line that opens no list or heading: <br>, <p>
LINK_TEXT = Byte(4)  # as ERASED; the label of a link begins
VANISHED = Byte(5)  # as ERASED; a whole construct that shows nothing stood here

TAB, NEWLINE, SPACE, BANG, HASH, AMPERSAND, APOSTROPHE, OPEN_ROUND, CLOSE_ROUND = map(Byte, b"\t\n !#&'()")
PLUS, COMMA, DASH, DOT, SLASH, ZERO, ONE, COLON, SEMICOLON = map(Byte, b"+,-./01:;")
LESS, EQUALS, GREATER, OPEN_BRACKET, CLOSE_BRACKET, UNDERSCORE = map(Byte, b"<=>[]_")
OPEN_BRACE, PIPE, CLOSE_BRACE = map(Byte, b"{|}")

CONTROL_BYTES = bytes(set(range(32)) - set(b"\t"))


def byte_set(members: bytes) -> NDArray[np.bool_]:
    """Membership table of 256 entries."""
    table = np.zeros(256, np.bool_)
    table[list(members)] = True
    return table


@kernel
def at(text: Bytes, pos: int, stop: int, c: Byte) -> bool:
    """Does byte `c` stand at `pos`?"""
    return pos < stop and text[pos] == c


@kernel
def both(text: Bytes, pos: int, stop: int, c: Byte) -> bool:
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
def strip(out: Bytes, begin: int, end: int) -> tuple[int, int]:
    """out[begin:end] without blanks at its ends; marks stay, so that a long run of them is never scanned again."""
    while begin < end and (out[begin] == SPACE or out[begin] == NEWLINE or out[begin] == TAB):
        begin += 1
    while end > begin and (out[end - 1] == SPACE or out[end - 1] == NEWLINE or out[end - 1] == TAB):
        end -= 1
    return begin, end


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
def reveal(out: Bytes, start: int, begin: int, stop: int, mark: Byte) -> int:
    """Make out[begin:stop] all that is shown of out[start:stop], with `mark` in front of it; returns the new end.

    What is before it is erased, or it is moved there, whichever is shorter: so nested constructs cost n log n at most.
    """
    if begin - start > stop - begin:
        out[start] = mark
        return copy_bytes(out, begin, stop, out, start + 1)
    erase(out, start, begin)
    if begin > start:
        out[begin - 1] = mark
    return stop


@kernel
def cut(out: Bytes, start: int) -> int:
    """End the output at `start` with the mark that something stood there; returns the new end.

    In ''{{x}}'' the quotes must not merge, and in <math>x</math>: the colon is no list mark.
    """
    out[start] = ERASED
    return start + 1


@kernel
def vanish(out: Bytes, start: int) -> int:
    """As `cut`, where nothing is left of a construct, so that what was written around it may need closing."""
    out[start] = VANISHED
    return start + 1
