"""What the scanner remembers between two places of the page: a few counters, the stack of open elements, attributes.

Everything has a fixed size; elements beyond `MAX_DEPTH` are counted and otherwise ignored, their text is kept.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import borrowing, kernel
from gpucurate.sources.html.blocks.characters import Marks, Table

State = NDArray[np.int64]

# Slots of `counters`.
WRITTEN = 0  # end of the text written so far
NODES = 1
BLOCKS = 2
LINKS_USED = 3
TOP = 4  # index of the innermost open element
OVERFLOW = 5  # elements open beyond the stack
SKIP_AT = 6  # stack index of an element whose text is not shown, or -1
PRE_AT = 7  # stack index of the <pre> that is open, or -1
LINK_AT = 8  # stack index at which <a href> was opened, or -1
LINK_FRESH = 9  # 1 if the link has no text in this block yet
LINK_UNSEEN = 10  # 1 inside a link that is no text, as the ¶ of a heading
PENDING = 11  # white space to write before the next visible character: 0, 1 (blank) or 2 (line break)
VISIBLE = 12  # 1 if the open block has visible text
BREAK_RUN = 13  # <br> in a row
UNCLOSED = 14  # a bit for each element that is known not to be closed in the rest of the page
SLOTS = 15

MAX_DEPTH = 512
STACK_NODE, STACK_TAG = 0, 1

ATTRIBUTE, VALUE_START, VALUE_STOP = range(3)
MAX_ATTRIBUTES = 24  # of those that mean something; a tag repeats none of them (HTML standard, section 13.1.2.3)


class Scanner(NamedTuple):
    """`counters` int64 [SLOTS]; `common` uint64 [1], the mask of what all text of the open block lies in;
    `stack` int32 [MAX_DEPTH, 2]; `attributes` int32 [MAX_ATTRIBUTES, 3], those of the tag that was read last."""

    counters: State
    common: Marks
    stack: Table
    attributes: Table


@kernel
def new_scanner() -> Scanner:
    """Room for the state of one page at a time."""
    return Scanner(
        np.zeros(SLOTS, np.int64),
        np.zeros(1, np.uint64),
        np.zeros((MAX_DEPTH, 2), np.int32),
        np.zeros((MAX_ATTRIBUTES, 3), np.int32),
    )


@borrowing
def cut_stack(counters: State, top: int) -> None:
    """Close all elements above `top`, and what they stood for."""
    counters[TOP] = top
    if counters[SKIP_AT] > top:
        counters[SKIP_AT] = -1
    if counters[PRE_AT] > top:
        counters[PRE_AT] = -1
    if counters[LINK_AT] > top:
        counters[LINK_AT] = -1
        counters[LINK_UNSEEN] = 0
