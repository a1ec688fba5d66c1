"""Runs of apostrophes: which are bold and italic marks and vanish, and which are text.

The rules are those of MediaWiki's doQuotes (includes/parser/Parser.php), which balances each line on its own.
"""

from __future__ import annotations

from gpucurate.core.compiled import kernel
from gpucurate.core.text_buffers import Bytes
from gpucurate.sources.wikitext.characters import APOSTROPHE, GUARD, NEWLINE, QUOTE, SPACE, run_length


@kernel
def stray_bold(out: Bytes, start: int, stop: int) -> int:
    """Position of the ''' that is read as an apostrophe and '', or -1.

    A line with an odd number of both bold and italic marks has one: the first after a one-letter word, else the first
    after a longer word, else the first after a blank.
    """
    bold = italic = 0
    after_letter = after_word = after_space = -1
    k = start
    while k < stop:
        if out[k] != APOSTROPHE:
            k += 1
            continue
        run = run_length(out, k, stop)
        bold += run >= 3
        italic += run == 2 or run >= 5
        if run == 3 or run == 4:
            mark = k + run - 3  # of four, the first is text
            before = out[mark - 1] if mark > start else NEWLINE
            second = out[mark - 2] if mark > start + 1 else NEWLINE
            if before == SPACE:
                after_space = mark if after_space < 0 else after_space
            elif second == SPACE:
                after_letter = mark if after_letter < 0 else after_letter
            else:
                after_word = mark if after_word < 0 else after_word
        k += run
    if bold % 2 == 0 or italic % 2 == 0:
        return -1
    if after_letter >= 0:
        return after_letter
    return after_word if after_word >= 0 else after_space


@kernel
def strip_quotes(out: Bytes, start: int, stop: int) -> int:
    """Remove bold and italic marks from the line out[start:stop] in place; returns the new end."""
    stray = stray_bold(out, start, stop)
    w = k = start
    while k < stop:
        c = out[k]
        run = run_length(out, k, stop) if c == APOSTROPHE else 1
        if c == APOSTROPHE:
            kept = 1 if run == 1 or run == 4 else max(run - 5, 0)
            kept += stray >= k and stray < k + run
            for _ in range(kept):
                out[w] = APOSTROPHE
                w += 1
        elif c != GUARD:
            out[w] = APOSTROPHE if c == QUOTE else c
            w += 1
        k += run
    return w
