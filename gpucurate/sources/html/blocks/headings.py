"""Where the headings are: the first h1, the heading that repeats the page's title, and how far each block is from one
and from good text."""

from __future__ import annotations

from gpucurate.core.compiled import borrowing
from gpucurate.sources.html.blocks import page, tags
from gpucurate.sources.html.blocks.characters import Marks, Table
from gpucurate.sources.html.blocks.sums import (
    BLOCK_CHARS,
    CHARS_BEFORE,
    GOOD,
    SINCE_GOOD,
    SINCE_HEADING,
    UNTIL_GOOD,
    WORDS,
    Values,
)
from gpucurate.sources.html.blocks.tags import HEADINGS

FARTHEST_HEADING, FARTHEST_GOOD = 30, 40
GOOD_BLOCK = 80  # characters of good text from which a block counts
H1_BONUS = 0.2


@borrowing
def title_headings(blocks: Table, nodes: Table, values: Values, title_words: Marks) -> tuple[int, int]:
    """Indices of the first h1 and of the heading that shares most with the title; -1 where there is none."""
    words_of_title = 0
    for slot in title_words:
        words_of_title += slot != 0
    h1 = title = -1
    highest = 0.0
    for k in range(len(blocks)):
        tag = nodes[blocks[k, page.NODE], page.TAG]
        if HEADINGS[tag]:
            if h1 < 0 and tag == tags.H1:
                h1 = k
            shared = blocks[k, page.TITLE_WORDS]
            score = shared / max(2.0, values[k, WORDS]) * min(1.0, shared / max(1.0, 0.4 * words_of_title))
            score += H1_BONUS if tag == tags.H1 else 0.0
            if shared >= 2 and score > highest:
                highest = score
                title = k
    return h1, title


@borrowing
def note_distances(blocks: Table, nodes: Table, values: Values) -> None:
    """Fill SINCE_HEADING, CHARS_BEFORE, SINCE_GOOD and UNTIL_GOOD."""
    heading, good = FARTHEST_HEADING, FARTHEST_GOOD
    chars = 0.0
    for k in range(len(blocks)):
        heading = 0 if HEADINGS[nodes[blocks[k, page.NODE], page.TAG]] else min(FARTHEST_HEADING, heading + 1)
        values[k, SINCE_HEADING] = heading
        values[k, CHARS_BEFORE] = chars
        values[k, SINCE_GOOD] = good
        chars += values[k, BLOCK_CHARS]
        good = 0 if values[k, GOOD] > GOOD_BLOCK else min(FARTHEST_GOOD, good + 1)
    good = FARTHEST_GOOD
    for k in range(len(blocks) - 1, -1, -1):
        values[k, UNTIL_GOOD] = good
        good = 0 if values[k, GOOD] > GOOD_BLOCK else min(FARTHEST_GOOD, good + 1)
