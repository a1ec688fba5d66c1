"""Text between two tags: references resolved, white space as browsers collapse it, links marked.

Written is a visible character only once there is one, with the white space that came before it; so blocks neither
begin nor end with any.  Inside <pre> white space stands as it is.
"""

from __future__ import annotations

import numpy as np

from gpucurate.core.compiled import borrowing
from gpucurate.core.text_buffers import Bytes
from gpucurate.sources.html.blocks.characters import LESS, LETTER, NEWLINE, SPACE, Byte, Marks, Table
from gpucurate.sources.html.blocks.entities import CODE_POINT_BITS, put_utf8, read_reference
from gpucurate.sources.html.blocks.page import ALL, FIRST_LINK, LINKS
from gpucurate.sources.html.blocks.state import (
    BLOCKS,
    LINK_AT,
    LINK_FRESH,
    LINKS_USED,
    PENDING,
    PRE_AT,
    STACK_NODE,
    TOP,
    VISIBLE,
    WRITTEN,
    Scanner,
    State,
)

# What a byte may be in text.  The leads are of characters that are white space or nothing in some cases.
VISIBLE_BYTE, WHITE, ANGLE, REFERENCE, LEAD, NOTHING = range(6)
TEXT_CLASS = np.zeros(256, np.uint8)
TEXT_CLASS[:33] = WHITE
TEXT_CLASS[127] = WHITE
TEXT_CLASS[0] = NOTHING
TEXT_CLASS[ord("<")] = ANGLE
TEXT_CLASS[ord("&")] = REFERENCE
TEXT_CLASS[[0xC2, 0xE2, 0xE3, 0xEF]] = LEAD


@borrowing
def opens_markup(src: Bytes, pos: int, stop: int) -> bool:
    """`pos` is at '<': does a tag, comment or declaration begin here?"""
    if pos + 1 >= stop:
        return False
    c = src[pos + 1]
    return bool(LETTER[c]) or c == 47 or c == 33 or c == 63


@borrowing
def read_text(
    src: Bytes,
    pos: int,
    stop: int,
    literal: bool,
    text: Bytes,
    blocks: Table,
    links: Table,
    node_marks: Marks,
    scanner: Scanner,
) -> int:
    """Copy src[pos:stop] up to the next markup, or all of it if it is `literal`; returns the position behind."""
    counters = scanner.counters
    w = counters[WRITTEN]
    pre = counters[PRE_AT] >= 0
    begun = -1
    while pos < stop:
        kind = TEXT_CLASS[src[pos]]
        length = 1
        value = 0
        if kind == ANGLE:
            if not literal and opens_markup(src, pos, stop):
                break
            kind = VISIBLE_BYTE
        elif kind == REFERENCE:
            value, end = read_reference(src, pos, stop)
            length = max(1, end - pos)
            kind = reference_class(value)
        elif kind == LEAD:
            kind, length = _lead_class(src, pos, stop)
        if kind == NOTHING:
            pos += length
        elif kind == WHITE:
            w = _white_space(src[pos], pre, text, w, counters)
            pos += length
        else:
            if begun < 0 or counters[PENDING]:
                w = _separate(text, w, counters)
                if begun < 0:
                    begun = w
            if value:
                w = _put_reference(text, w, value)
                pos += length
            else:
                pos, w = _copy_visible(src, pos, stop, text, w, length)
    if begun >= 0:
        counters[VISIBLE] = 1
        scanner.common[0] &= node_marks[scanner.stack[counters[TOP], STACK_NODE], ALL]
        if counters[LINK_AT] >= 0:
            _mark_link(blocks[counters[BLOCKS]], links, counters, begun, w)
    counters[WRITTEN] = w
    return pos


@borrowing
def skip_text(src: Bytes, pos: int, stop: int) -> int:
    """Position of the next '<' behind `pos`."""
    pos += 1
    while pos < stop and src[pos] != LESS:
        pos += 1
    return pos


@borrowing
def _copy_visible(src: Bytes, pos: int, stop: int, text: Bytes, w: int, length: int) -> tuple[int, int]:
    """One character of so many bytes, and all ordinary bytes behind it."""
    for _ in range(length):
        text[w] = src[pos]
        w += 1
        pos += 1
    while pos < stop and TEXT_CLASS[src[pos]] == VISIBLE_BYTE:
        text[w] = src[pos]
        w += 1
        pos += 1
    return pos, w


@borrowing
def _put_reference(text: Bytes, w: int, value: int) -> int:
    w = put_utf8(text, w, value & ((1 << CODE_POINT_BITS) - 1))
    second = value >> CODE_POINT_BITS
    return put_utf8(text, w, second) if second else w


@borrowing
def reference_class(value: int) -> int:
    """What a character is in text; 0 is an ampersand that stands for itself.

    C1 controls, soft hyphen, zero-width space and byte order mark show nothing.
    """
    if value == 0xA0 or 0 < value <= 32 or 0x2000 <= value <= 0x200A or value == 0x3000 or value == 127:
        return WHITE
    if value == 0x2028 or value == 0x2029 or value == 0x202F or value == 0x205F:
        return WHITE
    if 0x80 <= value < 0xA0 or value == 0xAD or value == 0x200B or value == 0xFEFF:
        return NOTHING
    return VISIBLE_BYTE


@borrowing
def _lead_class(src: Bytes, pos: int, stop: int) -> tuple[int, int]:
    """Class and length of a character that begins with one of the leads."""
    lead = src[pos]
    if lead == 0xC2:
        if pos + 1 >= stop:
            return NOTHING, 1
        return reference_class(int(np.int64(src[pos + 1]))), 2
    if pos + 2 >= stop:
        return NOTHING, stop - pos
    value = (int(lead) & 15) << 12 | (int(src[pos + 1]) & 63) << 6 | int(src[pos + 2]) & 63
    return reference_class(value), 3


@borrowing
def _white_space(c: Byte, pre: bool, text: Bytes, w: int, counters: State) -> int:
    if not pre:
        counters[PENDING] = max(counters[PENDING], 1)
        return w
    if c == NEWLINE and not counters[VISIBLE]:
        return w  # blank lines before the first
    text[w] = c if c == NEWLINE or c == 9 else SPACE
    return w + 1


@borrowing
def _separate(text: Bytes, w: int, counters: State) -> int:
    """Write the white space that was pending."""
    if counters[PENDING] and counters[VISIBLE]:
        text[w] = NEWLINE if counters[PENDING] == 2 else SPACE
        w += 1
    counters[PENDING] = 0
    counters[VISIBLE] = 1
    return w


@borrowing
def _mark_link(block: Table, links: Table, counters: State, start: int, stop: int) -> None:
    """Text[start:stop] belongs to the open link: a new stretch, or more of the last one."""
    if counters[LINK_FRESH]:
        counters[LINK_FRESH] = 0
        if block[LINKS] == 0:
            block[FIRST_LINK] = counters[LINKS_USED]
        block[LINKS] += 1
        links[counters[LINKS_USED], 0] = start
        counters[LINKS_USED] += 1
    links[counters[LINKS_USED] - 1, 1] = stop
