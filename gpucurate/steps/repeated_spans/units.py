"""What texts are made of: words, sentences, lines or paragraphs, where each is and how it is spelled.

Two units are the same if they are spelled the same.  Words are those of `near_duplicates`, spelled in their folded
characters; the others are spelled byte for byte, without the white space around them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import kernel
from gpucurate.core.text_buffers import Bytes, Offsets, TextBuffers
from gpucurate.device.cpu.near_duplicates.characters import (
    CLASS_SHIFT,
    CONTINUATION,
    CONTINUES,
    IDEOGRAPH,
    LETTER,
    POINT,
    character,
)
from gpucurate.device.cpu.text_features.characters import character_classes
from gpucurate.device.shingle_characters import shingle_characters
from gpucurate.steps.repeated_spans.config import Mode
from gpucurate.steps.repeated_spans.line_units import mode_number, split_units

BORDER = np.uint8(0xFF)  # before every unit's spelling; in no UTF-8
ASCII = np.uint32(0x80)


class Units(NamedTuple):
    """Units of a batch in the order of the text; document d's are numbers `offsets[d]` to `offsets[d + 1]`."""

    offsets: Offsets  # int64 [documents + 1]
    start: NDArray[np.int64]  # byte in the document
    end: NDArray[np.int64]
    spelling: Bytes
    places: Offsets  # int64 [units + 1]: unit u is spelled spelling[places[u]:places[u + 1]], from its border on

    def words_before(self, others: Units, texts: TextBuffers) -> NDArray[np.int64]:
        """[units + 1]: how many of the words `others` of the same texts lie before each unit of these, and in all."""
        base = texts.offsets[:-1] - texts.offsets[0]
        begins = others.start + np.repeat(base, np.diff(others.offsets))
        mine = self.start + np.repeat(base, np.diff(self.offsets))
        return np.append(np.searchsorted(begins, mine), len(begins))


def units_of(texts: TextBuffers, mode: Mode) -> Units:
    """The units of every text."""
    if mode is Mode.PASSAGES:
        return Units(*find_words(texts.data, texts.offsets, shingle_characters()))
    offsets, start, end = split_units(texts.data, texts.offsets, character_classes(), mode_number(mode))
    return Units(offsets, start, end, *spell(texts.data, texts.offsets, offsets, start, end))


@kernel
def find_words(
    data: Bytes, offsets: Offsets, table: NDArray[np.uint32]
) -> tuple[Offsets, NDArray[np.int64], NDArray[np.int64], Bytes, Offsets]:
    """The fields of `Units`.  Finds the same words as the device's verbs do."""
    bounds = np.zeros(len(offsets), np.int64)
    nothing, none = np.empty(0, np.int64), np.empty(0, np.uint8)
    size = walk_words(data, offsets, table, False, bounds, nothing, nothing, nothing, none)
    words = bounds[len(bounds) - 1]
    start, end, places = np.empty(words, np.int64), np.empty(words, np.int64), np.empty(words + 1, np.int64)
    spelling = np.empty(size, np.uint8)
    places[words] = walk_words(data, offsets, table, True, bounds, start, end, places, spelling)
    return bounds, start, end, spelling, places


@kernel
def walk_words(
    data: Bytes,
    offsets: Offsets,
    table: NDArray[np.uint32],
    write: bool,
    bounds: Offsets,
    start: NDArray[np.int64],
    end: NDArray[np.int64],
    places: Offsets,
    spelling: Bytes,
) -> int:
    """Fill `bounds` and, if `write`, the other arrays; return the bytes of all spellings."""
    n = written = 0
    for d in range(len(offsets) - 1):
        i, stop = offsets[d], offsets[d + 1]
        inside = False
        while i < stop:
            begin = i
            byte = data[i]
            if byte < CONTINUATION:
                entry = table[byte]
                i += 1
            elif byte & CONTINUES == CONTINUATION:
                i += 1
                continue
            else:
                entry, i = character(data, i, stop, table)
            kind = entry >> CLASS_SHIFT
            if kind != LETTER and kind != IDEOGRAPH:
                inside = False
                continue
            if not inside or kind == IDEOGRAPH:
                if write:
                    start[n] = begin - offsets[d]
                    places[n] = written
                    spelling[written] = BORDER
                written += 1
                n += 1
            inside = kind == LETTER
            point = entry & POINT
            if not write:
                written += width(point)
            else:
                end[n - 1] = i - offsets[d]
                if point < ASCII:
                    spelling[written] = point
                    written += 1
                else:
                    written = put_point(point, spelling, written)
        bounds[d + 1] = n
    return written


@kernel
def width(point: np.uint32) -> int:
    """Bytes of a code point in UTF-8."""
    return 1 if point < ASCII else 2 if point < 0x800 else 3 if point < 0x10000 else 4


@kernel
def put_point(point: np.uint32, out: Bytes, at: int) -> int:
    """Write a code point beyond ASCII as UTF-8 to out[at:]; return where it ends."""
    p = np.int64(point)
    if p < 0x800:
        out[at] = 0xC0 | p >> 6
    else:
        if p < 0x10000:
            out[at] = 0xE0 | p >> 12
        else:
            out[at] = 0xF0 | p >> 18
            out[at + 1] = 0x80 | (p >> 12 & 0x3F)
            at += 1
        out[at + 1] = 0x80 | (p >> 6 & 0x3F)
        at += 1
    out[at + 1] = 0x80 | (p & 0x3F)
    return at + 2


@kernel
def spell(
    data: Bytes, offsets: Offsets, bounds: Offsets, start: NDArray[np.int64], end: NDArray[np.int64]
) -> tuple[Bytes, Offsets]:
    """Spelling and places of units that are spelled as they stand."""
    places = np.zeros(len(start) + 1, np.int64)
    for u in range(len(start)):
        places[u + 1] = places[u] + 1 + end[u] - start[u]
    spelling = np.empty(places[len(start)], np.uint8)
    for d in range(len(bounds) - 1):
        for u in range(bounds[d], bounds[d + 1]):
            spelling[places[u]] = BORDER
            spelling[places[u] + 1 : places[u + 1]] = data[offsets[d] + start[u] : offsets[d] + end[u]]
    return spelling, places
