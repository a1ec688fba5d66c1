"""Lines, paragraphs and sentences of a text, as docs/rules.md defines them: where each begins and ends.

Blank ones are none; white space around one is not part of it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import kernel
from gpucurate.core.text_buffers import Bytes, Offsets
from gpucurate.device.cpu.text_features.characters import SPACE, TERMINAL, code_point
from gpucurate.device.cpu.windows import longer
from gpucurate.steps.repeated_spans.config import Mode
from gpucurate.steps.rules.line_tests import closes

LINES, PARAGRAPHS, SENTENCES = 0, 1, 2
NEW_LINE = 0x0A
BYTES_A_UNIT = 64  # the first guess at the number of units, which grows as needed


def mode_number(mode: Mode) -> int:
    """What compiled code calls a mode.  Raises KeyError for passages, which are made of words."""
    return {Mode.LINES: LINES, Mode.PARAGRAPHS: PARAGRAPHS, Mode.C4_SENTENCES: SENTENCES}[mode]


@kernel
def split_units(
    data: Bytes, offsets: Offsets, classes: Bytes, mode: int
) -> tuple[Offsets, NDArray[np.int64], NDArray[np.int64]]:
    """Offsets [documents + 1] into the units, and the bytes of its document where each begins and ends."""
    documents = len(offsets) - 1
    bounds = np.zeros(documents + 1, np.int64)
    room = (offsets[documents] - offsets[0]) // BYTES_A_UNIT + 16
    start, end = np.empty(room, np.int64), np.empty(room, np.int64)
    n = 0
    for d in range(documents):
        text = data[offsets[d] : offsets[d + 1]]
        at, size = 0, len(text)
        first = last = -1  # the unit that is open: its first byte, and the byte behind what it has so far
        blank = True  # nothing but space in this line so far
        while at < size:
            begin = at
            cp, width = code_point(text, at)
            at += width
            if cp == NEW_LINE:
                closing = bool(blank or mode != PARAGRAPHS)
                blank = True
            elif classes[cp] & SPACE:
                continue
            else:
                blank = False
                first = begin if first < 0 else first
                closing = False
                if mode == SENTENCES and classes[cp] & TERMINAL:
                    at, closing = behind_terminals(text, at, bool(cp >= 0x80), classes)
                last = at
            if closing and first >= 0:
                if n >= len(start):
                    start, end = longer(start, n, n + 1), longer(end, n, n + 1)
                start[n], end[n] = first, last
                n += 1
                first = -1
        if first >= 0:
            if n >= len(start):
                start, end = longer(start, n, n + 1), longer(end, n, n + 1)
            start[n], end[n] = first, last
            n += 1
        bounds[d + 1] = n
    return bounds, start[:n].copy(), end[:n].copy()


@kernel
def behind_terminals(text: Bytes, at: int, wide: bool, classes: Bytes) -> tuple[int, bool]:
    """Where the run of terminals and closing characters around `at` ends, and whether a sentence ends with it."""
    while at < len(text):
        cp, width = code_point(text, at)
        terminal = classes[cp] & TERMINAL != 0
        if not terminal and not closes(cp):
            break
        wide = wide or bool(terminal and cp >= 0x80)
        at += width
    return at, bool(at >= len(text) or wide or classes[code_point(text, at)[0]] & SPACE)
