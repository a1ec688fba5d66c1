"""What is no text and has no tags in it: comments, declarations, scripts, styles, and the title.

Nothing is searched twice: an element that is not closed in the rest of the page is remembered as such.
"""

from __future__ import annotations

import numpy as np

from gpucurate.core.compiled import borrowing
from gpucurate.core.text_buffers import Bytes
from gpucurate.sources.html.blocks import tags
from gpucurate.sources.html.blocks.automaton import BYTE_CLASS
from gpucurate.sources.html.blocks.characters import (
    BANG,
    DASH,
    FNV_BASIS,
    FNV_PRIME,
    FOLDED,
    GREATER,
    LESS,
    LETTER,
    SLASH,
    SPACE,
    Marks,
    skip_to,
)
from gpucurate.sources.html.blocks.page import TITLE_SLOTS
from gpucurate.sources.html.blocks.state import UNCLOSED, State

SHORTEST_TITLE_WORD = 3  # bytes
MOST_TITLE_WORDS = TITLE_SLOTS // 2


@borrowing
def skip_declaration(src: Bytes, pos: int, stop: int) -> int:
    """`pos` is at '<!' or '<?'.  The position behind; a comment that never ends takes the rest, as in browsers."""
    if pos + 3 >= stop or src[pos + 1] != BANG or src[pos + 2] != DASH or src[pos + 3] != DASH:
        return skip_to(src, pos, stop, GREATER)
    k = pos + 4
    if k < stop and src[k] == GREATER:  # <!-->
        return k + 1
    if k + 1 < stop and src[k] == DASH and src[k + 1] == GREATER:  # <!--->
        return k + 2
    while k + 2 < stop:
        if src[k] == DASH and src[k + 1] == DASH:
            if src[k + 2] == GREATER:
                return k + 3
            if src[k + 2] == BANG and k + 3 < stop and src[k + 3] == GREATER:  # --!>
                return k + 4
        k += 1
    return stop


@borrowing
def find_end_tag(src: Bytes, pos: int, stop: int, name: np.uint64, bit: int, counters: State) -> int:
    """Where the end tag of a name (as a hash) begins at or after `pos`, or -1 if there is none.

    `bit` tells the name in the memory of those that are not closed any more.
    """
    if counters[UNCLOSED] >> bit & 1:
        return -1
    while pos + 2 < stop:
        if src[pos] == LESS and src[pos + 1] == SLASH:
            k = pos + 2
            hashed = FNV_BASIS
            while k < stop and LETTER[src[k]]:
                hashed = (hashed ^ np.uint64(FOLDED[src[k]])) * FNV_PRIME
                k += 1
            if hashed == name:
                return pos
            pos = k
        else:
            pos += 1
    counters[UNCLOSED] |= 1 << bit
    return -1


@borrowing
def skip_raw(src: Bytes, pos: int, stop: int, name: np.uint64, tag: int, counters: State) -> tuple[int, int]:
    """`pos` is behind the start tag.  Where its content ends, and the position behind its end tag.

    An open script or style takes the rest of the page, as in browsers; of other elements the tag alone is ignored,
    since the page would be lost with them.
    """
    end = find_end_tag(src, pos, stop, name, tag & 63, counters)
    if end >= 0:
        return end, skip_to(src, end, stop, GREATER)
    if tag == tags.SCRIPT or tag == tags.STYLE:
        return stop, stop
    return pos, pos


@borrowing
def note_title_words(src: Bytes, start: int, stop: int, title_words: Marks) -> None:
    """Put the words of the title into their set."""
    hashed = FNV_BASIS
    length = 0
    words = 0
    for k in range(start, stop + 1):
        c = src[k] if k < stop else SPACE
        if c > SPACE and (c >= 128 or BYTE_CLASS[c]):
            hashed = (hashed ^ np.uint64(FOLDED[c])) * FNV_PRIME
            length += 1
        elif c <= SPACE:
            if length >= SHORTEST_TITLE_WORD and words < MOST_TITLE_WORDS:
                words += 1
                title_words[_slot(title_words, hashed)] = hashed
            hashed = FNV_BASIS
            length = 0


@borrowing
def is_title_word(title_words: Marks, hashed: np.uint64) -> bool:
    """Is a word, by its hash, one of the title's?"""
    return bool(title_words[_slot(title_words, hashed)] == hashed)


@borrowing
def _slot(title_words: Marks, hashed: np.uint64) -> int:
    mask = np.uint64(TITLE_SLOTS - 1)
    slot = hashed & mask
    while title_words[slot] != 0 and title_words[slot] != hashed:
        slot = (slot + np.uint64(1)) & mask
    return int(slot)
