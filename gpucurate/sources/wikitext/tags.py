"""Tags and comments: what each takes out of the text, keeps to the letter, or breaks into lines.

As in MediaWiki's preprocessor a tag ends at the first '>', and an extension tag that never closes is text.  Where the
next closing tag or comment end stands is remembered, so that a page of unclosed ones is searched once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import kernel
from gpucurate.core.text_buffers import Bytes
from gpucurate.sources.wikitext import names
from gpucurate.sources.wikitext.characters import (
    APOSTROPHE,
    BANG,
    DASH,
    GREATER,
    GUARD,
    LESS,
    LINE_BREAK,
    LINK_TEXT,
    NEWLINE,
    QUOTE,
    SLASH,
    SPACE,
    TAB,
    VANISHED,
    at,
    both,
    copy_bytes,
    cut,
    is_alnum,
    vanish,
)
from gpucurate.sources.wikitext.frames import IN_HTML_TABLE, START, Frames, innermost_block, push
from gpucurate.sources.wikitext.rules import ACTION_BITS, Rules
from gpucurate.sources.wikitext.vocabulary import BLOCK, DROP, HTML_TABLE, INLINE, INVISIBLE, PREFORMATTED

Found = NDArray[np.int64]  # [FOUND_SLOTS] by tag id: where its next closing tag stands; two more for '>' and '-->'
FOUND_SLOTS = 256
GREATER_SLOT, COMMENT_SLOT = FOUND_SLOTS - 1, FOUND_SLOTS - 2
LONGEST_TAG = 20
NOWIKI = np.frombuffer(b"nowiki>", np.uint8)


@kernel
def open_angle(
    src: Bytes, pos: int, stop: int, out: Bytes, w: int, frames: Frames, depth: int, found: Found, rules: Rules
) -> tuple[int, int, int]:
    """`pos` is at '<'.  Returns position, output end and depth."""
    if at(src, pos + 1, stop, BANG) and both(src, pos + 2, stop, DASH):
        behind, end = _skip_comment(src, pos, stop, out, w, found)
        return behind, end, depth
    closing = 1 if at(src, pos + 1, stop, SLASH) else 0
    name_start = pos + 1 + closing
    name_stop = name_start
    while name_stop < stop and name_stop - name_start < LONGEST_TAG and is_alnum(src[name_stop]):
        name_stop += 1
    tag = -1
    if name_start < name_stop < stop and (
        src[name_stop] <= SPACE or src[name_stop] == SLASH or src[name_stop] == GREATER
    ):
        tag = names.find_name(rules.keys, rules.values, names.TAG, src, name_start, name_stop)
    action = tag & ((1 << ACTION_BITS) - 1)
    end = _find_greater(src, name_stop, stop, found) if tag >= 0 else stop
    if end < stop and (action <= BLOCK or action >= HTML_TABLE):
        end = _end_of_attributes(src, name_stop, end, stop, found)
    if end == stop:
        out[w] = LESS
        return pos + 1, w + 1, depth
    if action == INVISIBLE:
        return end + 1, w, depth
    if action == INLINE:
        return end + 1, cut(out, w), depth
    if action == BLOCK or action == HTML_TABLE:
        return _read_block(action == HTML_TABLE, closing == 1, end + 1, out, w, frames, depth)
    if closing:  # </ref> without <ref>
        out[w] = LESS
        return pos + 1, w + 1, depth
    after, w = _read_extension(src, pos, stop, name_stop, end, out, w, tag, found)
    return after, w, depth


@kernel
def _read_block(
    table: bool, closing: bool, after: int, out: Bytes, w: int, frames: Frames, depth: int
) -> tuple[int, int, int]:
    """A tag that breaks the line; <table> drops what it holds once it closes."""
    if table and closing:
        opened = innermost_block(frames, depth, IN_HTML_TABLE)
        if opened >= 0:
            w, depth = int(frames[opened, START]), opened
    elif table:
        depth = push(frames, depth, IN_HTML_TABLE, w)
    out[w] = LINE_BREAK
    return after, w + 1, depth


@kernel
def _read_extension(
    src: Bytes, pos: int, stop: int, name_stop: int, end: int, out: Bytes, w: int, tag: int, found: Found
) -> tuple[int, int]:
    """<ref>, <nowiki> and their like, whose inside is no wikitext; returns position and output end."""
    action = tag & ((1 << ACTION_BITS) - 1)
    if src[end - 1] == SLASH:  # <ref name="x"/>; <nowiki/> still separates what stands around it
        out[w] = VANISHED if action == DROP else GUARD
        return end + 1, w + 1
    closer = _find_closing_tag(src, end + 1, stop, pos + 1, name_stop, tag >> ACTION_BITS, found)
    if closer == stop:
        out[w] = LESS
        return pos + 1, w + 1
    if action == DROP:
        w = vanish(out, w)
    else:
        w = _copy_literal(src, end + 1, closer, out, w, action == PREFORMATTED)
    while src[closer] != GREATER:
        closer += 1
    return closer + 1, w


@kernel
def _copy_literal(src: Bytes, pos: int, stop: int, out: Bytes, w: int, preformatted: bool) -> int:
    """No markup but entities, told to the line pass by QUOTE and GUARD; inside <pre>, <nowiki> tags vanish."""
    out[w] = GUARD
    out[w + 1] = LINK_TEXT
    w += 2
    while pos < stop:
        c = src[pos]
        if c == LESS and preformatted:
            name = pos + 1 + at(src, pos + 1, stop, SLASH)
            same = 0
            while same < len(NOWIKI) and name + same < stop and src[name + same] == NOWIKI[same]:
                same += 1
            if same == len(NOWIKI):
                pos = name + same
                continue
        if c >= SPACE or c == TAB or c == NEWLINE:
            out[w] = QUOTE if c == APOSTROPHE else c
            w += 1
        if c == NEWLINE:
            out[w] = GUARD
            w += 1
        pos += 1
    return cut(out, w)


@kernel
def _skip_comment(src: Bytes, pos: int, stop: int, out: Bytes, w: int, found: Found) -> tuple[int, int]:
    """A comment alone on its line takes the line with it; one that never ends is text."""
    after = _find_comment_end(src, pos + 4, stop, found)
    if after > stop:
        return pos + 4, copy_bytes(src, pos, pos + 4, out, w)
    end = after
    while end < stop and (src[end] == SPACE or src[end] == TAB):
        end += 1
    if at(src, end, stop, NEWLINE) and (w == 0 or out[w - 1] == NEWLINE):
        return end + 1, w
    return after, w


@kernel
def _find_comment_end(src: Bytes, pos: int, stop: int, found: Found) -> int:
    """Behind the next `-->` at or after `pos`, or beyond `stop`."""
    if found[COMMENT_SLOT] < pos:
        k = pos
        while k + 2 < stop and not (src[k] == DASH and src[k + 1] == DASH and src[k + 2] == GREATER):
            k += 1
        found[COMMENT_SLOT] = k if k + 2 < stop else stop
    return int(found[COMMENT_SLOT]) + 3


@kernel
def _find_closing_tag(
    src: Bytes, pos: int, stop: int, name_start: int, name_stop: int, number: int, found: Found
) -> int:
    """Start of the next `</name>` at or after `pos`, or `stop`."""
    if found[number] >= pos:
        return int(found[number])
    length = name_stop - name_start
    k = pos
    while k + 2 + length < stop:
        if src[k] == LESS and src[k + 1] == SLASH:
            same = 0
            while same < length and names.FOLDED[src[k + 2 + same]] == names.FOLDED[src[name_start + same]]:
                same += 1
            end = k + 2 + length
            while same == length and end < stop and src[end] <= SPACE:
                end += 1
            if same == length and at(src, end, stop, GREATER):
                found[number] = k
                return k
        k += 1
    found[number] = stop
    return stop


@kernel
def _end_of_attributes(src: Bytes, pos: int, end: int, stop: int, found: Found) -> int:
    """The '>' of a tag of HTML, at `end` unless a comment holds that one; `stop` if another tag comes first."""
    while pos < end:
        if src[pos] == LESS:
            if not (at(src, pos + 1, stop, BANG) and both(src, pos + 2, stop, DASH)):
                return stop
            pos = min(_find_comment_end(src, pos + 4, stop, found), stop)
            end = _find_greater(src, pos, stop, found) if pos < stop else stop
        pos += 1
    return end


@kernel
def _find_greater(src: Bytes, pos: int, stop: int, found: Found) -> int:
    if found[GREATER_SLOT] < pos:
        k = pos
        while k < stop and src[k] != GREATER:
            k += 1
        found[GREATER_SLOT] = k
    return int(found[GREATER_SLOT])
