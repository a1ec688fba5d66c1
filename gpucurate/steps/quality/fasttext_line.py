"""A text as fastText reads it: one line, without the words that fastText takes for something else.

Training and scoring must agree on this, so it stands in one place.
"""

from __future__ import annotations

LABEL_PREFIX = "__label__"
END_OF_LINE = "</s>"  # what fastText puts where a line ends, and ends a line at where it is written out
BREAKS = str.maketrans(dict.fromkeys("\0\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029", " "))


def as_line(text: str) -> str:
    """The text with line breaks (and NUL, where C strings end) as spaces; words that begin as a label does lose that
    beginning, and `</s>` its brackets: in a crawl they are text."""
    line = text.translate(BREAKS)
    while LABEL_PREFIX in line:  # taking one out may leave another
        line = line.replace(LABEL_PREFIX, "")
    return line.replace(END_OF_LINE, "s") if END_OF_LINE in line else line
