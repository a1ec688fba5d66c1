"""Lines, paragraphs and sentences of a text, as docs/rules.md defines them: where each begins and ends.

Blank ones are none; white space around one is not part of it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import kernel
from gpucurate.core.text_buffers import Bytes, Offsets
from gpucurate.device.cpu.text_features.characters import SPACE, TERMINAL, code_point
from gpucurate.steps.repeated_spans.config import Mode
from gpucurate.steps.rules.line_tests import closes

LINES, PARAGRAPHS, SENTENCES = 0, 1, 2
NEW_LINE = 0x0A


def mode_number(mode: Mode) -> int:
    """What compiled code calls a mode.  Raises KeyError for passages, which are made of words."""
    return {Mode.LINES: LINES, Mode.PARAGRAPHS: PARAGRAPHS, Mode.C4_SENTENCES: SENTENCES}[mode]


@kernel
def split_units(
    data: Bytes, offsets: Offsets, classes: Bytes, mode: int
) -> tuple[Offsets, NDArray[np.int64], NDArray[np.int64]]:
    """Offsets [documents + 1] into the units, and the bytes of its document where each begins and ends."""
    bounds = np.zeros(len(offsets), np.int64)
    nothing = np.empty(0, np.int64)
    walk_units(data, offsets, classes, mode, False, bounds, nothing, nothing)
    start, end = np.empty(bounds[len(bounds) - 1], np.int64), np.empty(bounds[len(bounds) - 1], np.int64)
    walk_units(data, offsets, classes, mode, True, bounds, start, end)
    return bounds, start, end


@kernel
def walk_units(
    data: Bytes,
    offsets: Offsets,
    classes: Bytes,
    mode: int,
    write: bool,
    bounds: Offsets,
    start: NDArray[np.int64],
    end: NDArray[np.int64],
) -> None:
    """Fill `bounds` and, if `write`, `start` and `end`."""
    n = 0
    for d in range(len(offsets) - 1):
        at, stop = offsets[d], offsets[d + 1]
        first = last = np.int64(-1)  # the unit that is open: its first byte, and the byte behind what it has so far
        blank = True  # nothing but space in this line so far
        while at < stop:
            begin = at
            cp, width = code_point(data, at)
            at += width
            closing = False
            if cp == NEW_LINE:
                closing = blank or mode != PARAGRAPHS
                blank = True
            elif not classes[cp] & SPACE:
                blank = False
                first = begin if first < 0 else first
                if mode == SENTENCES and classes[cp] & TERMINAL:
                    at, closing = behind_terminals(data, at, stop, bool(cp >= 0x80), classes)
                last = at
            if first >= 0 and (closing or at >= stop):
                if write:
                    start[n], end[n] = first - offsets[d], last - offsets[d]
                n += 1
                first = np.int64(-1)
        bounds[d + 1] = n


@kernel
def behind_terminals(text: Bytes, at: int, stop: int, wide: bool, classes: Bytes) -> tuple[int, bool]:
    """Where the run of terminals and closing characters around `at` ends, and whether a sentence ends with it."""
    while at < stop:
        cp, width = code_point(text, at)
        terminal = classes[cp] & TERMINAL != 0
        if not terminal and not closes(cp):
            break
        wide = wide or bool(terminal and cp >= 0x80)
        at += width
    return at, bool(at >= stop or wide or classes[code_point(text, at)[0]] & SPACE)
