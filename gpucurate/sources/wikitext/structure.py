"""The first pass: resolves what nests (comments, tags, templates, tables, links) and copies the rest.

Closing a construct truncates the output or blanks part of it; a construct that never closes stays as it was written.
It must never allocate per construct, scan what it has passed, or look at anything but bytes.
"""

from __future__ import annotations

from gpucurate.core.compiled import kernel
from gpucurate.core.text_buffers import Bytes
from gpucurate.sources.wikitext import names
from gpucurate.sources.wikitext.arguments import Call
from gpucurate.sources.wikitext.braces import close_braces, close_table, open_braces
from gpucurate.sources.wikitext.characters import (
    CLOSE_BRACE,
    CLOSE_BRACKET,
    CONTROL_BYTES,
    LESS,
    NEWLINE,
    OPEN_BRACE,
    OPEN_BRACKET,
    ORIGIN,
    PIPE,
    UNDERSCORE,
    at,
    both,
    byte_set,
    is_alnum,
)
from gpucurate.sources.wikitext.frames import START, Frames, close_single_line, first_unclosed_block, note_pipe
from gpucurate.sources.wikitext.links import close_bracket, open_bracket
from gpucurate.sources.wikitext.rules import Rules
from gpucurate.sources.wikitext.tags import Found, open_angle

MARKUP = byte_set(b"{}[]<|_" + CONTROL_BYTES)
LONGEST_MAGIC_WORD = 60


@kernel
def scan_structure(
    src: Bytes, pos: int, stop: int, out: Bytes, frames: Frames, found: Found, call: Call, rules: Rules
) -> tuple[int, int]:
    """Copy src[pos:stop] to `out` with everything that nests resolved.

    Returns the length written, and where in it the outermost braces or table begin that never close.
    """
    found[:] = -1
    w = depth = int(ORIGIN)
    while pos < stop:
        c = src[pos]
        if not MARKUP[c]:
            out[w] = c
            w += 1
            pos += 1
        elif c == NEWLINE:
            depth = close_single_line(frames, depth)
            out[w] = c
            w += 1
            pos += 1
        elif c == OPEN_BRACKET:
            pos, w, depth = open_bracket(src, pos, stop, out, w, frames, depth, rules)
        elif c == LESS:
            pos, w, depth = open_angle(src, pos, stop, out, w, frames, depth, found, rules)
        elif c == PIPE:
            table = close_table(frames, depth, out, w) if at(src, pos + 1, stop, CLOSE_BRACE) else -1
            if table >= 0:
                pos, w, depth = pos + 2, frames[table, START], table
            else:
                note_pipe(frames, depth, w, c != PIPE)
                out[w] = c
                w += 1
                pos += 1
        elif c == OPEN_BRACE:
            pos, w, depth = open_braces(src, pos, stop, out, w, frames, depth, rules)
        elif c == CLOSE_BRACE:
            pos, w, depth = close_braces(src, pos, stop, out, w, frames, depth, call, rules)
        elif c == CLOSE_BRACKET:
            pos, w, depth = close_bracket(src, pos, stop, out, w, frames, depth, rules)
        elif c == UNDERSCORE:
            pos, w = skip_magic_word(src, pos, stop, out, w, rules)
        else:  # a control byte
            pos += 1
    return w, first_unclosed_block(frames, depth, w)


@kernel
def skip_magic_word(src: Bytes, pos: int, stop: int, out: Bytes, w: int, rules: Rules) -> tuple[int, int]:
    """__NOTOC__ and its like; a double underscore around other ASCII letters is text (Python's __init__)."""
    if at(src, pos + 1, stop, UNDERSCORE):
        k = pos + 2
        foreign = False  # a localized word: no list of them, so any is taken
        while k < stop and k - pos < LONGEST_MAGIC_WORD and not both(src, k, stop, UNDERSCORE):
            if not (is_alnum(src[k]) or src[k] >= 128 or src[k] == UNDERSCORE):
                break
            foreign |= src[k] >= 128
            k += 1
        if both(src, k, stop, UNDERSCORE) and (
            foreign or names.find_name(rules.keys, rules.values, names.MAGIC_WORD, src, pos + 2, k) >= 0
        ):
            return k + 2, w
    out[w] = UNDERSCORE
    return pos + 1, w + 1
