"""C4's walk over the lines of each document: which lines and citations go, and what is found in the rest.

Follows the order of C4's reference implementation: a line that one test removes is not looked at by the next.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import inlined, kernel
from gpucurate.core.text_buffers import Bytes, Offsets
from gpucurate.device.cpu.text_features.lines import line_end, trimmed
from gpucurate.steps.rules.line_tests import (
    COOKIES,
    CURLY,
    LOREM,
    SCRIPT,
    PhraseTable,
    copy_line,
    ends_well,
    phrases_in,
    sentences_in,
    spaced_words,
)

KINDS = (
    "c4.long_word",
    "c4.no_terminal",
    "c4.short_line",
    "c4.javascript",
    "c4.policy",
    "c4.citation",
    "c4.blank_line",
)
LONG_WORD, NO_TERMINAL, SHORT_LINE, SCRIPT_LINE, POLICY_LINE, CITED, BLANK_LINE, KEPT = range(8)


class LineOptions(NamedTuple):
    """Which lines go; a number is -1 where its test is off."""

    max_word_chars: int
    terminal: bool
    min_words: int
    javascript: bool
    policy: bool
    citations: bool


class Found(NamedTuple):
    """One number a document: of what is left after removal, but `lorem` and `curly` of all lines looked at so far."""

    sentences: NDArray[np.int64]
    text_lines: NDArray[np.int64]
    lorem: NDArray[np.bool_]
    curly: NDArray[np.bool_]


class Spans(NamedTuple):
    """Room for what is removed; `used[0]` says how much of it is taken."""

    row: NDArray[np.int64]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    kind: NDArray[np.int8]
    used: NDArray[np.int64]


@inlined
def add_span(spans: Spans, row: int, start: int, end: int, kind: int) -> None:
    """Write one span down."""
    k = spans.used[0]
    spans.row[k] = row
    spans.start[k] = start
    spans.end[k] = end
    spans.kind[k] = kind
    spans.used[0] = k + 1


@kernel
def walk_lines(
    text: Bytes, offsets: Offsets, classes: Bytes, table: PhraseTable, options: LineOptions, found: Found, spans: Spans
) -> None:
    """Fill `found` and `spans` (byte offsets into their document; sorted, apart, none empty).

    `spans` needs room for as many as there are line ends, `[` and documents.  Blank lines stay, but for those that a
    removed line would leave at an end of the document or next to another blank line.
    """
    longest = 0
    for d in range(offsets.shape[0] - 1):
        longest = max(longest, offsets[d + 1] - offsets[d])
    line = np.empty(longest, np.uint8)
    cites = np.empty((longest // 2 + 1, 2), np.int64)
    for d in range(offsets.shape[0] - 1):
        origin, stop = offsets[d], offsets[d + 1]
        first_after_kept = spans.used[0]  # first span behind the last line that stayed
        kept_end = origin
        after_blank = True  # what stayed last is blank, or nothing did
        removed_last = False
        start = origin
        while start < stop:
            end, _ = line_end(text, start, stop)
            after = min(end + 1, stop)
            begin, close = trimmed(text, start, end, classes)
            if begin == close:
                if removed_last and after_blank:
                    add_span(spans, d, start - origin, after - origin, BLANK_LINE)
                else:
                    after_blank = True
                    removed_last = False
                start = after
                continue
            words, longest_word = spaced_words(text, begin, close, classes)
            size, cited = copy_line(text, begin, close, options.citations, table, line, cites)
            _, size = trimmed(line, 0, size, classes)
            verdict = KEPT
            if options.max_word_chars >= 0 and longest_word > options.max_word_chars:
                verdict = LONG_WORD
            elif options.terminal and not ends_well(line, size, classes):
                verdict = NO_TERMINAL
            elif words < options.min_words:
                verdict = SHORT_LINE
            else:
                phrases = phrases_in(line, size, table)
                found.lorem[d] |= phrases & LOREM != 0
                if options.javascript and phrases & SCRIPT:
                    verdict = SCRIPT_LINE
                else:
                    found.curly[d] |= phrases & CURLY != 0
                    if options.policy and phrases & COOKIES:
                        verdict = POLICY_LINE
            if verdict == KEPT:
                for k in range(cited):
                    add_span(spans, d, cites[k, 0] - origin, cites[k, 1] - origin, CITED)
                found.sentences[d] += sentences_in(line, size, classes)
                found.text_lines[d] += 1
                first_after_kept = spans.used[0]
                kept_end = end
            else:
                add_span(spans, d, start - origin, after - origin, verdict)
            after_blank = after_blank and verdict != KEPT
            removed_last = verdict != KEPT
            start = after
        for k in range(first_after_kept, spans.used[0]):  # nothing stays behind the last line that stayed
            spans.start[k] = kept_end - origin if k == first_after_kept else spans.end[k - 1]
        if spans.used[0] > first_after_kept:
            spans.end[spans.used[0] - 1] = stop - origin
