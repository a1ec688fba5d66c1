"""Gaps: punctuation that made sense around a template, reference or formula, and makes none without it.

"Andorra ({{IPA|...}}; {{lang-ca|...}})" must not read "Andorra (; )".  Only what touches a place where something
vanished is looked at, so that brackets which the author left empty stay; letters and digits are never taken.
"""

from __future__ import annotations

from gpucurate.core.compiled import kernel
from gpucurate.core.text_buffers import Bytes
from gpucurate.sources.wikitext.characters import (
    CLOSE_ROUND,
    COMMA,
    DOT,
    ERASED,
    LINK_TEXT,
    NEWLINE,
    OPEN_ROUND,
    SEMICOLON,
    SPACE,
    VANISHED,
    byte_set,
    is_alnum,
)

SHOWS_NOTHING = byte_set(bytes([ERASED, LINK_TEXT, VANISHED, SPACE]))


@kernel
def close_gap(text: Bytes, pos: int, stop: int, out: Bytes, start: int, w: int) -> tuple[int, int]:
    """Close the gap at text[pos], in a line that is written to out[start:w]; returns position and output end.

    Brackets that are left empty go, unless they touch a word: f() is a name.  So do the separators of list items that
    are left empty, and blanks where a bracket, comma or full stop now follows.  Every round takes up to the next
    visible byte of `text`, and leaves no run of blanks in `out` to be looked through again.
    """
    emptied = False
    while True:
        ahead = pos
        while ahead < stop and SHOWS_NOTHING[text[ahead]]:
            ahead += 1
        word = w  # end of what is visible before
        while word > start and out[word - 1] == SPACE:
            word -= 1
        before = out[word - 1] if word > start else NEWLINE
        after = text[ahead] if ahead < stop else NEWLINE
        separator = after == COMMA or after == SEMICOLON
        ends = separator or after == CLOSE_ROUND or (after == DOT and not continues(text, ahead + 1, stop))
        if before == OPEN_ROUND:
            w = word
            if after == CLOSE_ROUND and not (word - 1 > start and is_word(out[word - 2])):
                w, pos, emptied = word - 1, ahead + 1, True
            elif separator:
                pos = behind_blanks(text, ahead + 1, stop)
            else:
                return ahead, w
        elif before == NEWLINE and ends and after != CLOSE_ROUND and not continues(text, ahead + 1, stop):
            w, pos = word, behind_blanks(text, ahead + 1, stop)
        elif (before == COMMA or before == SEMICOLON) and ends:
            w, pos = word - 1, ahead
            if after != CLOSE_ROUND or w == start or out[w - 1] != OPEN_ROUND:
                return pos, w
        elif before == DOT and after == DOT and ends:
            return ahead + 1, word
        elif ends and after != SEMICOLON:  # French writes a blank before it
            return ahead, word
        elif before == NEWLINE:
            return ahead, w
        else:
            return copy_blanks(text, pos, ahead, out, word, w, emptied)


@kernel
def copy_blanks(text: Bytes, pos: int, ahead: int, out: Bytes, word: int, w: int, emptied: bool) -> tuple[int, int]:
    """Keep the blanks of text[pos:ahead]; around brackets that went, one in all."""
    if emptied and word < w:
        return ahead, word + 1
    for k in range(pos, ahead):
        if text[k] == SPACE:
            out[w] = SPACE
            w += 1
    return ahead, w


@kernel
def behind_blanks(text: Bytes, pos: int, stop: int) -> int:
    """Position of the first byte that is no blank."""
    while pos < stop and text[pos] == SPACE:
        pos += 1
    return pos


@kernel
def continues(text: Bytes, pos: int, stop: int) -> bool:
    """Does something visible follow directly, as in .NET, ... and 1,000?"""
    return pos < stop and text[pos] > SPACE


@kernel
def is_word(c: int) -> bool:
    """ASCII letter or digit, or a byte of any other letter."""
    return is_alnum(c) or c >= 128
