"""The second pass: resolves what lives on one line (headings, list marks, leftover table rows, quotes, entities).

It reads the first pass's result once and writes the text, with no more than one blank line in a row.
"""

from __future__ import annotations

from gpucurate.core.compiled import kernel
from gpucurate.core.text_buffers import Bytes
from gpucurate.sources.wikitext.characters import (
    AMPERSAND,
    APOSTROPHE,
    BANG,
    CLOSE_BRACE,
    COLON,
    CONTROL_BYTES,
    DASH,
    EQUALS,
    ERASED,
    GUARD,
    LINE_BREAK,
    LINK_TEXT,
    NEWLINE,
    OPEN_BRACE,
    ORIGIN,
    PIPE,
    PLUS,
    QUOTE,
    SEMICOLON,
    SLASH,
    SPACE,
    TAB,
    VANISHED,
    at,
    byte_set,
    is_digit,
    run_length,
)
from gpucurate.sources.wikitext.entities import put_entity, read_entity
from gpucurate.sources.wikitext.gaps import close_gap
from gpucurate.sources.wikitext.quotes import strip_quotes
from gpucurate.sources.wikitext.rules import Rules

LINE_MARKUP = byte_set(b"'&" + CONTROL_BYTES)
MARKED_LINE = byte_set(b"=*#:;-|!{ \t")  # first bytes of lines that are more than their text
LIST_MARKS = byte_set(b"*#:;")
MOST_EQUALS = 6  # <h6>


@kernel
def write_lines(text: Bytes, length: int, unclosed: int, out: Bytes, w: int, rules: Rules) -> int:
    """Append the lines of text[:length] to `out`; returns the new end.

    Behind `unclosed` stand the rows of a table or template that never ends: they are dropped up to the next heading.
    """
    document = w
    blank_above = True
    rows = False
    pos = int(ORIGIN)
    while pos < length:
        if pos > unclosed:
            rows, unclosed = True, length
        begin, stop, behind = pos, length, -1
        if MARKED_LINE[text[pos]]:
            behind = pos
            while behind < length and text[behind] != NEWLINE:
                behind += 1
            begin, stop, rows = read_line(text, pos, behind, rows)
        if begin > stop:
            pos = behind + 1
            continue
        pos, written = write_line(text, begin, stop, out, w, rules)
        if behind >= 0:
            pos = behind
        pos += 1
        while written > w and out[written - 1] <= SPACE:
            written -= 1
        if written > w:
            out[written] = NEWLINE
            w = written + 1
            blank_above = False
        elif not blank_above:
            out[w] = NEWLINE
            w += 1
            blank_above = True
    while w > document and out[w - 1] == NEWLINE:
        w -= 1
    return w


@kernel
def read_line(text: Bytes, start: int, stop: int, rows: bool) -> tuple[int, int, bool]:
    """What is text of the line text[start:stop], and whether table rows may follow.

    begin > end means that the line is dropped.
    """
    first = start
    c = text[first]
    if c == EQUALS:
        begin, end = heading_text(text, first, stop)
        return begin, end, rows and end == stop
    if c == DASH:
        run = run_length(text, first, stop)
        return (first + run if run >= 4 else first), stop, rows
    if LIST_MARKS[c]:
        while first < stop and LIST_MARKS[text[first]]:
            first += 1
        if text[first - 1] == SEMICOLON:
            split_definition(text, first, stop)
        return skip_blanks(text, first, stop), stop, rows
    first = skip_blanks(text, first, stop)
    if first == stop:
        return start, stop, rows
    second = text[first + 1] if first + 1 < stop else SPACE
    if text[first] == OPEN_BRACE and second == PIPE:
        return stop + 1, stop, True
    if text[first] == PIPE and (second == DASH or second == CLOSE_BRACE or second == PLUS):
        return stop + 1, stop, second != CLOSE_BRACE
    if rows and (text[first] == PIPE or text[first] == BANG):
        return stop + 1, stop, True
    return start, stop, rows


@kernel
def skip_blanks(text: Bytes, start: int, stop: int) -> int:
    """Position of the first byte that is neither blank nor tab."""
    while start < stop and (text[start] == SPACE or text[start] == TAB):
        start += 1
    return start


@kernel
def heading_text(text: Bytes, start: int, stop: int) -> tuple[int, int]:
    """Inside of `== title ==`, or the whole line if the marks do not close."""
    end = stop
    while end > start and text[end - 1] <= SPACE:
        end -= 1
    marks = min(run_length(text, start, end), MOST_EQUALS)
    closing = 0
    while closing < marks and end - closing > start + closing + 2 and text[end - 1 - closing] == EQUALS:
        closing += 1
    if closing == 0:
        return start, stop
    return skip_blanks(text, start + closing, end - closing), end - closing


@kernel
def split_definition(text: Bytes, start: int, stop: int) -> None:
    """;term:definition shows as two lines; the ':' of a link's text, of http:// and of 10:30 divides nothing."""
    in_link = False
    for k in range(start, stop):
        if text[k] == LINK_TEXT:
            in_link = True
        elif text[k] == ERASED:
            in_link = False
        elif text[k] == COLON and not in_link:
            clock = is_digit(text[k - 1]) and k + 1 < stop and is_digit(text[k + 1])
            if not (clock or at(text, k + 1, stop, SLASH)):
                text[k] = LINE_BREAK
                return


@kernel
def write_line(text: Bytes, pos: int, stop: int, out: Bytes, w: int, rules: Rules) -> tuple[int, int]:
    """Copy up to `stop` or the next newline with entities decoded; returns position and output end.

    Quotes go last, as they need the whole line.
    """
    start = w
    quotes = False
    while pos < stop:
        c = text[pos]
        if not LINE_MARKUP[c]:
            out[w] = c
            w += 1
        elif c == NEWLINE:
            break
        elif c == AMPERSAND:
            codepoint, after = read_entity(text, pos, stop, rules)
            if codepoint == APOSTROPHE:
                codepoint, quotes = int(QUOTE), True
            if codepoint:
                w = put_entity(out, w, codepoint)
                pos = after
                continue
            out[w] = c
            w += 1
        elif c == LINE_BREAK:
            while w > start and out[w - 1] == SPACE:
                w -= 1
            while pos + 1 < stop and text[pos + 1] == SPACE:
                pos += 1
            if w > start and out[w - 1] != NEWLINE:
                out[w] = NEWLINE
                w += 1
        elif c == VANISHED and rules.close_gaps:
            pos, w = close_gap(text, pos, stop, out, start, w)
            if w > start and out[w - 1] == APOSTROPHE:
                out[w] = GUARD
                w += 1
                quotes = True
            continue
        elif c == ERASED or c == LINK_TEXT or c == VANISHED:
            while pos + 1 < stop and text[pos + 1] == ERASED:
                pos += 1
            if w > start and out[w - 1] == APOSTROPHE:  # two quote marks around markup do not merge
                out[w] = GUARD
                w += 1
                quotes = True
        else:  # ' QUOTE GUARD
            quotes |= c != APOSTROPHE or (w > start and out[w - 1] == APOSTROPHE)
            out[w] = c
            w += 1
        pos += 1
    return pos, strip_quotes(out, start, w) if quotes else w
