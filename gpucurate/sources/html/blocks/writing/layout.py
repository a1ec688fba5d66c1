"""Kept blocks to text: one line a block, or Markdown with headings, nested lists, tables and fences.

Rows of data tables become one line: cells parted by tabs, or a row of a Markdown table whose first row is the header.
A row is one of data if at least two of its cells are kept, or one below such a row, none of them with two blocks;
those of layout tables are not.
"""

from __future__ import annotations

import numpy as np

from gpucurate.core.compiled import borrowing
from gpucurate.core.text_buffers import Bytes
from gpucurate.sources.html.blocks import page, tags
from gpucurate.sources.html.blocks.characters import NEWLINE, SPACE, TAB, Byte, Table
from gpucurate.sources.html.blocks.page import ScannedPage
from gpucurate.sources.html.blocks.tags import HEADINGS
from gpucurate.sources.html.blocks.writing.places import (
    BEGUN,
    CELL,
    CHILDREN,
    ITEM,
    LIST_DEPTH,
    NUMBER,
    PRE_OF,
    QUOTED,
    ROW,
    TABLE_OF,
)
from gpucurate.sources.html.blocks.writing.selection import Keep

PIPE, BACKSLASH, BULLET, HASH, DOT, ANGLE, ZERO = map(Byte, b"|\\-#.>0")
FENCE, RULE = np.frombuffer(b"```", np.uint8), np.frombuffer(b" --- |", np.uint8)
DEEPEST = 8  # list levels that are indented
EXTRA = 2 * DEEPEST + 32  # bytes that a block may get besides its text and its cells
PER_NODE = 9  # bytes that a cell may get besides its text
PLAIN, LISTED, ROWED, CODE = range(4)  # what the last line was; in Markdown only lines of a kind stand close
NO_DATA = 2  # in BEGUN of a row: it is laid out as blocks


@borrowing
def room(scanned: ScannedPage) -> int:
    """Upper bound of what `write` writes: every byte escaped, every cell empty but for its borders."""
    return 2 * len(scanned.text) + EXTRA * len(scanned.blocks) + PER_NODE * len(scanned.nodes)


@borrowing
def write(scanned: ScannedPage, keep: Keep, places: Table, markdown: bool, out: Bytes, w: int) -> int:
    """Append the kept blocks to `out` at `w`; returns the new end."""
    origin = w
    last = PLAIN
    pre = -1
    k = 0
    while k < len(keep):
        if keep[k]:
            place = places[scanned.blocks[k, page.NODE]]
            if pre >= 0 and place[PRE_OF] != pre:
                w = _put(FENCE, out, _break(out, w, origin, False))
                pre = -1
            stop = _end_of_row(k, scanned, keep, places)
            kind = _kind(place, stop > k)
            w = _break(out, w, origin, markdown and (kind == PLAIN or kind != last))
            last = kind
            if stop > k:
                w = _write_row(k, stop, scanned, keep, places, markdown, out, w)
                k = stop
                continue
            if markdown and kind == CODE and pre < 0:
                pre = place[PRE_OF]
                w = _break(out, _put(FENCE, out, w), origin, False)
            w = _open_block(scanned.nodes[scanned.blocks[k, page.NODE], page.TAG], place, places, markdown, out, w)
            for pos in range(scanned.blocks[k, page.START], scanned.blocks[k, page.STOP]):
                out[w] = scanned.text[pos]
                w += 1
        k += 1
    return _put(FENCE, out, _break(out, w, origin, False)) if pre >= 0 else w


@borrowing
def _kind(place: Table, row: bool) -> int:
    if row:
        return ROWED
    if place[PRE_OF] >= 0:
        return CODE
    return LISTED if place[ITEM] >= 0 else PLAIN


@borrowing
def _break(out: Bytes, w: int, origin: int, wide: bool) -> int:
    """End the line, if there is one."""
    for _ in range((2 if wide else 1) if w > origin else 0):
        out[w] = NEWLINE
        w += 1
    return w


@borrowing
def _put(word: Bytes, out: Bytes, w: int) -> int:
    for c in word:
        out[w] = c
        w += 1
    return w


@borrowing
def _open_block(tag: int, place: Table, places: Table, markdown: bool, out: Bytes, w: int) -> int:
    """What stands before the text of a block: indentation, bullet or number, the mark of a heading or quotation."""
    item = place[ITEM]
    if place[PRE_OF] >= 0:
        return w
    if markdown and place[QUOTED]:
        out[w], out[w + 1] = ANGLE, SPACE
        w += 2
    if HEADINGS[tag]:
        if markdown:
            for _ in range(tag - tags.H1 + 1):
                out[w] = HASH
                w += 1
            out[w] = SPACE
            w += 1
    elif item >= 0:
        bullet = not places[item, BEGUN]
        if bullet or markdown:
            for _ in range(min(DEEPEST, place[LIST_DEPTH]) - bullet):
                out[w] = out[w + 1] = SPACE
                w += 2
        if bullet:
            places[item, BEGUN] = 1
            if place[NUMBER]:
                w = _put_number(place[NUMBER], out, w)
                out[w] = DOT
            else:
                out[w] = BULLET
            out[w + 1] = SPACE
            w += 2
    return w


@borrowing
def _put_number(number: int, out: Bytes, w: int) -> int:
    power = 1
    while power * 10 <= number:
        power *= 10
    while power:
        out[w] = ZERO + number // power % 10
        power //= 10
        w += 1
    return w


@borrowing
def _end_of_row(k: int, scanned: ScannedPage, keep: Keep, places: Table) -> int:
    """Behind the last block of the row of data that begins with block `k`, or `k` if none does."""
    row = places[scanned.blocks[k, page.NODE], ROW]
    if row < 0 or places[row, BEGUN] == NO_DATA:
        return k
    cells = 0
    cell = -1
    stop = k
    other = k
    while other < len(keep):
        if keep[other]:
            place = places[scanned.blocks[other, page.NODE]]
            if place[ROW] != row:
                break
            if place[CELL] < 0 or place[CELL] == cell or place[PRE_OF] >= 0:
                places[row, BEGUN] = NO_DATA
                return k
            cell = place[CELL]
            cells += 1
            stop = other + 1
        other += 1
    table = places[row, TABLE_OF]
    if cells >= 2 or (table >= 0 and places[table, BEGUN]):
        return stop
    places[row, BEGUN] = NO_DATA
    return k


@borrowing
def _write_row(
    start: int, stop: int, scanned: ScannedPage, keep: Keep, places: Table, markdown: bool, out: Bytes, w: int
) -> int:
    """Cells in their columns; the first row of a Markdown table is its header."""
    row = places[scanned.blocks[start, page.NODE], ROW]
    table = places[row, TABLE_OF]
    column = 1
    if markdown:
        out[w] = PIPE
        w += 1
    for k in range(start, stop):
        if keep[k]:
            while column < places[places[scanned.blocks[k, page.NODE], CELL], NUMBER]:
                w = _end_cell(markdown, out, w)
                column += 1
            w = _copy_cell(scanned, k, markdown, out, w)
    if markdown:
        while column <= places[row, CHILDREN]:
            w = _end_cell(markdown, out, w)
            column += 1
        if table < 0 or not places[table, BEGUN]:
            out[w], out[w + 1] = NEWLINE, PIPE
            w += 2
            for _ in range(places[row, CHILDREN]):
                w = _put(RULE, out, w)
    if table >= 0:
        places[table, BEGUN] = 1
    return w


@borrowing
def _end_cell(markdown: bool, out: Bytes, w: int) -> int:
    if not markdown:
        out[w] = TAB
        return w + 1
    out[w], out[w + 1] = SPACE, PIPE
    return w + 2


@borrowing
def _copy_cell(scanned: ScannedPage, k: int, markdown: bool, out: Bytes, w: int) -> int:
    """The text of a block in one line."""
    if markdown:
        out[w] = SPACE
        w += 1
    for pos in range(scanned.blocks[k, page.START], scanned.blocks[k, page.STOP]):
        c = scanned.text[pos]
        if markdown and c == PIPE:
            out[w] = BACKSLASH
            w += 1
        out[w] = SPACE if c == NEWLINE or c == TAB else c
        w += 1
    return w
