"""What each character is to a shingle: one table for every device, the same on every Python and every machine.

An entry is a class in the high byte and the folded (lower-cased, one to one) code point below it.  Categories and case
come from Unicode 15.1, frozen in `shingle_character_runs.py`; this module unfolds them and must never ask the
interpreter's own database, which follows the Python version.
"""

from __future__ import annotations

import base64
import zlib
from functools import cache

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.text_buffers import read_only
from gpucurate.device.shingle_character_runs import RUNS

SEPARATOR = 0  # spaces, controls, punctuation, format characters, currency, mathematics: between words, in none
LETTER = 1  # letters, marks, numbers: join their neighbours into a word
IDEOGRAPH = 2  # a word of its own: Han, kana, Thai (written without spaces), pictures and other symbols

CLASSES = 3
CODE_POINTS = 0x10000  # beyond: from U+1F000 on (pictures, rare Han) a word of its own, else a letter; none is folded


@cache
def shingle_characters() -> NDArray[np.uint32]:
    """Entry of every code point below 65,536, `class << 24 | folded`: uint32 [65536], read-only; made in milliseconds.

    A separator's entry is 0.
    """
    entries = np.zeros(CODE_POINTS, np.uint32)
    numbers = _varints(zlib.decompress(base64.b85decode("".join(RUNS.split()))))
    starts = np.cumsum(numbers[::2])
    for start, stop, what in zip(starts, [*starts[1:], CODE_POINTS], numbers[1::2], strict=True):
        zigzag, kind = divmod(what, CLASSES)
        if kind != SEPARATOR:
            shift = zigzag // 2 if zigzag % 2 == 0 else -(zigzag + 1) // 2
            entries[start:stop] = kind << 24 | np.arange(start, stop) + shift
    return read_only(entries)


def _varints(packed: bytes) -> list[int]:
    """Numbers of seven bits a byte, the least first; the high bit says that another byte follows."""
    numbers = []
    number = shift = 0
    for byte in packed:
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            numbers.append(number)
            number = shift = 0
    return numbers
