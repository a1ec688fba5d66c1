"""The shape of a page: its words, and how many of them stand in short lines that end no sentence."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpucurate.core.compiled import kernel
from gpucurate.core.text_buffers import Bytes, Offsets, text_buffers
from gpucurate.device.cpu.text_features.characters import TERMINAL, character_classes, code_point
from gpucurate.device.cpu.text_features.lines import lead_before
from gpucurate.steps.repeated_spans.config import Mode
from gpucurate.steps.repeated_spans.places import batches
from gpucurate.steps.repeated_spans.units import units_of

SHORT_LINE = 10  # words; what a link, a cell or a heading has.  FineWeb (section 3.4) counts 30 characters as short.


class Shape(NamedTuple):
    """Words of each page, every ideograph one, and the share of them in short lines; 0 where there are none."""

    words: NDArray[np.int64]
    short_lines: NDArray[np.float64]


def shape_of(texts: pa.Array) -> Shape:
    """The shape of every text."""
    offsets = text_buffers(texts).offsets
    words, short = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for batch in batches(offsets - offsets[0]):
        some = text_buffers(texts[batch])
        lines = units_of(some, Mode.LINES)
        before = lines.words_before(units_of(some, Mode.PASSAGES), some)
        words.append(before[lines.offsets[1:]] - before[lines.offsets[:-1]])
        short.append(short_words(some.data, some.offsets, lines.offsets, lines.end, before, character_classes()))
    total = np.concatenate(words)
    return Shape(total, np.concatenate(short) / np.maximum(total, 1))


@kernel
def short_words(
    data: Bytes, offsets: Offsets, bounds: Offsets, end: NDArray[np.int64], before: NDArray[np.int64], classes: Bytes
) -> NDArray[np.int64]:
    """[documents]: words in lines of fewer than SHORT_LINE words whose last character ends no sentence."""
    found = np.zeros(len(bounds) - 1, np.int64)
    for d in range(len(found)):
        for line in range(bounds[d], bounds[d + 1]):
            words = before[line + 1] - before[line]
            if 0 < words < SHORT_LINE:
                last, _ = code_point(data, lead_before(data, offsets[d] + end[line]))
                if not classes[last] & TERMINAL:
                    found[d] += words
    return found
