"""One pass over the bytes of a page: tags move the stack of open elements, text between them becomes blocks.

Time is linear in the page whatever it holds: no byte is searched twice, the stack is bounded, and nothing is allocated
on the way.  It must never fail on any sequence of bytes.
"""

from __future__ import annotations

import numpy as np

from gpucurate.core.compiled import borrowing
from gpucurate.core.text_buffers import Bytes
from gpucurate.sources.html.blocks import attributes as attr
from gpucurate.sources.html.blocks import formulas, page, state, tags
from gpucurate.sources.html.blocks.attributes import naming, read_attributes, starts_with, value_of
from gpucurate.sources.html.blocks.characters import (
    BANG,
    FNV_BASIS,
    FNV_PRIME,
    FOLDED,
    GREATER,
    LESS,
    LETTER,
    NO,
    ONE_BYTE,
    ORIGIN,
    QUESTION,
    SLASH,
    SPACE,
    YES,
    find,
    skip_to,
)
from gpucurate.sources.html.blocks.elements import block_node, close_element, imply_end_tags, new_root, push
from gpucurate.sources.html.blocks.fields import note, note_meta, note_relation
from gpucurate.sources.html.blocks.keywords import COMMENT, HIDDEN, NO_COMMENT, UNSEEN, WIKI
from gpucurate.sources.html.blocks.measures import measure
from gpucurate.sources.html.blocks.page import ScannedPage
from gpucurate.sources.html.blocks.raw_text import note_title_words, skip_declaration, skip_raw
from gpucurate.sources.html.blocks.state import Scanner
from gpucurate.sources.html.blocks.tags import KINDS, TAG_KEYS, TAG_NUMBERS
from gpucurate.sources.html.blocks.text_runs import opens_markup, read_text, skip_text

EVERYTHING = np.uint64(0xFFFFFFFFFFFFFFFF)
MATHJAX = np.frombuffer(b"mjx-", np.uint8)  # its elements are inline, and the formula is in there as MathML
DASH_BYTE = np.uint8(ord("-"))


@borrowing
def scan_page(src: Bytes, start: int, stop: int, out: ScannedPage, scanner: Scanner) -> tuple[int, int, int, int]:
    """Read src[start:stop] into `out`; returns how many bytes of text, blocks, nodes and links it has.

    `out` has room for a text as long as the page and for as many blocks and nodes as `count_tags` says and three more.
    """
    counters = scanner.counters
    counters[:] = 0
    counters[state.SKIP_AT] = counters[state.PRE_AT] = counters[state.LINK_AT] = -1
    out.fields[:] = -1
    out.title_words[:] = 0
    new_root(out.nodes, out.node_marks, scanner)
    _new_block(out, scanner)
    pos = start
    while pos < stop:
        if src[pos] != LESS or not opens_markup(src, pos, stop):
            if counters[state.SKIP_AT] >= 0 or counters[state.LINK_UNSEEN]:
                pos = skip_text(src, pos, stop)
            else:
                pos = read_text(src, pos, stop, NO, out.text, out.blocks, out.links, out.node_marks, scanner)
        elif src[pos + 1] == BANG or src[pos + 1] == QUESTION:
            pos = skip_declaration(src, pos, stop)
        elif src[pos + 1] == SLASH:
            pos = _read_end_tag(src, pos, stop, out, scanner)
        else:
            pos = _read_start_tag(src, pos, stop, out, scanner)
    _end_block(out, scanner)
    return (
        int(counters[state.WRITTEN]),
        int(counters[state.BLOCKS]),
        int(counters[state.NODES]),
        int(counters[state.LINKS_USED]),
    )


@borrowing
def _read_name(src: Bytes, pos: int, stop: int) -> tuple[int, np.uint64, int]:
    """Position behind the name of a tag, the name's hash, and the number of the tag."""
    hashed = FNV_BASIS
    dashed = False
    start = pos
    while pos < stop and src[pos] > SPACE and src[pos] != GREATER and src[pos] != SLASH:
        hashed = (hashed ^ np.uint64(FOLDED[src[pos]])) * FNV_PRIME
        dashed |= src[pos] == DASH_BYTE
        pos += 1
    tag = find(TAG_KEYS, TAG_NUMBERS, hashed)
    if tag == 0 and dashed and not starts_with(src, start, pos, MATHJAX):
        tag = tags.DIV
    return pos, hashed, tag


@borrowing
def _read_end_tag(src: Bytes, pos: int, stop: int, out: ScannedPage, scanner: Scanner) -> int:
    if pos + 2 >= stop or not LETTER[src[pos + 2]]:
        return skip_to(src, pos, stop, GREATER)  # a comment to browsers
    pos, _, tag = _read_name(src, pos + 2, stop)
    pos, _, _ = read_attributes(src, pos, stop, NO, scanner.attributes)
    kind = KINDS[tag]
    if kind == tags.LINK:
        scanner.counters[state.LINK_AT] = -1
        scanner.counters[state.LINK_UNSEEN] = 0
    elif kind == tags.BREAK:
        _break_line(out, scanner)
    elif kind == tags.RULE:
        _end_block(out, scanner)
    elif kind == tags.FORMAT:
        out.blocks[scanner.counters[state.BLOCKS], page.FORMATS] += 1
    elif kind == tags.BLOCK:
        hidden = scanner.counters[state.SKIP_AT] >= 0
        if not hidden:
            _end_block(out, scanner)
        close_element(tag, scanner)
        if hidden and scanner.counters[state.SKIP_AT] < 0:
            _end_block(out, scanner)
    elif kind == tags.SPAN or kind == tags.SKIPPED:
        close_element(tag, scanner)
    return pos


@borrowing
def _read_start_tag(src: Bytes, pos: int, stop: int, out: ScannedPage, scanner: Scanner) -> int:
    counters = scanner.counters
    pos, name, tag = _read_name(src, pos + 1, stop)
    kind = KINDS[tag]
    wanted = kind != tags.FORMAT and kind != tags.BREAK and kind != tags.RULE
    pos, count, closed = read_attributes(src, pos, stop, wanted, scanner.attributes)
    if kind == tags.BLOCK or kind == tags.SPAN or kind == tags.SKIPPED:
        _open(src, tag, count, closed, out, scanner)
    elif kind == tags.FORMAT:
        out.blocks[counters[state.BLOCKS], page.FORMATS] += 1
    elif kind == tags.LINK:
        _open_link(src, count, out, scanner)
    elif kind == tags.BREAK:
        _break_line(out, scanner)
    elif kind == tags.RULE:
        _end_block(out, scanner)
    elif kind == tags.RAW or kind == tags.TITLE:
        pos = _pass_raw(src, pos, stop, name, tag, count, out, scanner)
    elif kind == tags.HEAD:
        _note_head(src, tag, count, out, scanner)
    elif kind == tags.MATH and not closed:
        tex_start, tex_stop, behind = formulas.tex_of_math(src, pos, stop, count, scanner)
        if tex_start >= 0:
            _put_formula(src, tex_start, tex_stop, out, scanner)
            pos = behind
        else:
            out.blocks[counters[state.BLOCKS], page.FORMULAS] += 1
    elif tag == tags.IMG:
        tex_start, tex_stop = formulas.tex_of_image(src, scanner.attributes, count)
        if tex_start >= 0:
            _put_formula(src, tex_start, tex_stop, out, scanner)
    return pos


@borrowing
def _open(src: Bytes, tag: int, count: int, closed: bool, out: ScannedPage, scanner: Scanner) -> None:
    """A block, span, or element whose text is not shown."""
    counters = scanner.counters
    kind = KINDS[tag]
    mask, words = naming(src, scanner.attributes, count)
    if mask & NO_COMMENT or kind == tags.SPAN:
        mask &= ~COMMENT
    if kind == tags.BLOCK:
        skipped = counters[state.SKIP_AT]
        if skipped >= 0 and KINDS[scanner.stack[skipped, state.STACK_TAG]] == tags.SPAN:
            counters[state.SKIP_AT] = -1  # a hidden span hides no blocks: most likely it was never closed
        hidden = counters[state.SKIP_AT] >= 0  # then it breaks no line
        if not hidden:
            _end_block(out, scanner)
        if tag == tags.BODY:
            if counters[state.TOP] == 0:
                out.node_marks[0, page.OWN] |= (
                    mask & ~HIDDEN
                )  # a hidden body is shown by a script, else nobody reads it
            return
        imply_end_tags(tag, scanner)
        if hidden and counters[state.SKIP_AT] < 0:
            _end_block(out, scanner)
    elif kind == tags.SKIPPED and closed:
        return
    if not push(tag, mask, words, out.nodes, out.node_marks, scanner):
        return
    if counters[state.SKIP_AT] < 0:
        unseen = mask & (HIDDEN | UNSEEN) or (tag == tags.SUP and mask & WIKI)
        if kind == tags.SKIPPED or (kind == tags.SPAN and unseen):
            counters[state.SKIP_AT] = counters[state.TOP]
    if tag == tags.PRE and counters[state.PRE_AT] < 0:
        counters[state.PRE_AT] = counters[state.TOP]


@borrowing
def _open_link(src: Bytes, count: int, out: ScannedPage, scanner: Scanner) -> None:
    counters = scanner.counters
    href, _ = value_of(scanner.attributes, count, attr.HREF)
    counters[state.LINK_AT] = counters[state.TOP] if href >= 0 else -1
    counters[state.LINK_FRESH] = 1
    mask, _ = naming(src, scanner.attributes, count)
    counters[state.LINK_UNSEEN] = 1 if mask & UNSEEN else 0
    note_relation(src, scanner.attributes, count, out.fields)


@borrowing
def _note_head(src: Bytes, tag: int, count: int, out: ScannedPage, scanner: Scanner) -> None:
    if tag == tags.META:
        note_meta(src, scanner.attributes, count, out.fields)
    elif tag == tags.HTML:
        start, stop = value_of(scanner.attributes, count, attr.LANG)
        note(out.fields, page.FIELD_LANGUAGE, start, stop)
    else:
        note_relation(src, scanner.attributes, count, out.fields)


@borrowing
def _pass_raw(
    src: Bytes, pos: int, stop: int, name: np.uint64, tag: int, count: int, out: ScannedPage, scanner: Scanner
) -> int:
    """An element without tags in it; only a title and a formula of MathJax say anything."""
    formula = tag == tags.SCRIPT and formulas.is_tex_script(src, scanner.attributes, count)
    end, behind = skip_raw(src, pos, stop, name, tag, scanner.counters)
    if formula and pos < end:
        _put_formula(src, pos, end, out, scanner)
    elif KINDS[tag] == tags.TITLE and out.fields[page.FIELD_TITLE, 0] < 0 and scanner.counters[state.SKIP_AT] < 0:
        note(out.fields, page.FIELD_TITLE, pos, end)
        note_title_words(src, pos, end, out.title_words)
    return behind


@borrowing
def _put_formula(src: Bytes, start: int, stop: int, out: ScannedPage, scanner: Scanner) -> None:
    """TeX between dollars, even inside a hidden span: what is shown there is a picture of it."""
    counters = scanner.counters
    skipped = counters[state.SKIP_AT]
    if counters[state.LINK_UNSEEN] or (skipped >= 0 and KINDS[scanner.stack[skipped, state.STACK_TAG]] != tags.SPAN):
        return
    common = scanner.common[0] & out.node_marks[block_node(scanner), page.ALL]
    for part in range(3):
        if part == 1:
            read_text(src, start, stop, YES, out.text, out.blocks, out.links, out.node_marks, scanner)
        else:
            read_text(
                formulas.DELIMITER, ORIGIN, ONE_BYTE, YES, out.text, out.blocks, out.links, out.node_marks, scanner
            )
    scanner.common[0] = common
    out.blocks[counters[state.BLOCKS], page.FORMULAS] += 1


@borrowing
def _break_line(out: ScannedPage, scanner: Scanner) -> None:
    """<br>: a line break inside the block, except that two in a row end it; in <pre> each is a line break."""
    counters = scanner.counters
    if counters[state.SKIP_AT] >= 0 or not counters[state.VISIBLE]:
        return
    if counters[state.PRE_AT] >= 0:
        out.text[counters[state.WRITTEN]] = 10
        counters[state.WRITTEN] += 1
    elif counters[state.PENDING] == 2:
        _end_block(out, scanner)
    else:
        counters[state.PENDING] = 2
        out.blocks[counters[state.BLOCKS], page.BREAKS] += 1


@borrowing
def _end_block(out: ScannedPage, scanner: Scanner) -> None:
    """Finish the open block if it has text, and begin another."""
    counters = scanner.counters
    number = counters[state.BLOCKS]
    block = out.blocks[number]
    if counters[state.VISIBLE]:
        stop = counters[state.WRITTEN]
        while out.text[stop - 1] <= SPACE:  # only <pre> writes white space behind its text
            stop -= 1
        node = block_node(scanner)
        block[page.NODE] = node
        block[page.STOP] = stop
        out.block_marks[number, page.BLOCK_HASH] = measure(out.text, block, out.links, out.title_words)
        out.block_marks[number, page.BLOCK_MASK] = scanner.common[0] | out.node_marks[node, page.ALL]
        counters[state.BLOCKS] += 1
    _new_block(out, scanner)


@borrowing
def _new_block(out: ScannedPage, scanner: Scanner) -> None:
    counters = scanner.counters
    block = out.blocks[counters[state.BLOCKS]]
    block[:] = 0
    block[page.START] = counters[state.WRITTEN]
    counters[state.VISIBLE] = 0
    counters[state.PENDING] = 0
    counters[state.LINK_FRESH] = 1
    scanner.common[0] = EVERYTHING
