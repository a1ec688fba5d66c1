"""The accelerated engine with a guard: texts with code points that this Python does not know go to the reference.

Engines carry Unicode tables of different years, and cut text differently where a code point is a letter to one and
nothing to the other.  What is assigned in Python's tables is assigned in theirs, and tried by the self-test.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from itertools import groupby

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpucurate.core.compiled import kernel
from gpucurate.core.text_buffers import Bytes, Offsets, text_buffers
from gpucurate.tokens.engines import Engine, Ids, join


class GuardedEngine:
    """Two engines of one vocabulary as one; goes by the name of the fast one."""

    def __init__(self, fast: Engine, reference: Engine) -> None:
        self.name = fast.name
        self._fast, self._reference = fast, reference

    def encode(self, texts: pa.Array) -> tuple[Ids, Offsets]:
        """See `Engine.encode`."""
        unknown = texts_with(*text_buffers(texts), unassigned())
        if not unknown.any():
            return self._fast.encode(texts)
        encoded: list[Ids] = [np.zeros(0, np.uint32)] * len(texts)
        for engine, mask in ((self._fast, ~unknown), (self._reference, unknown)):
            places = np.flatnonzero(mask)
            tokens, offsets = engine.encode(texts.take(pa.array(places)))
            for n, place in enumerate(places.tolist()):
                encoded[place] = tokens[offsets[n] : offsets[n + 1]]
        return join(encoded)


@kernel
def texts_with(data: Bytes, offsets: Offsets, wanted: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which texts hold a code point c with `wanted[c]`; ASCII is never wanted.  `data` is valid UTF-8."""
    found = np.zeros(len(offsets) - 1, np.bool_)
    for d in range(len(offsets) - 1):
        k = offsets[d]
        while k < offsets[d + 1]:
            lead = np.int64(data[k])
            if lead < 0x80:
                k += 1
                continue
            length = 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
            point = lead & (0x7F >> length)
            for n in range(1, length):
                point = point << 6 | np.int64(data[k + n] & 0x3F)
            if wanted[point]:
                found[d] = True
                break
            k += length
    return found


@cache
def unassigned() -> NDArray[np.bool_]:
    """bool [0x110000]: code points that are unassigned in this Python's Unicode."""
    flags = np.zeros(0x110000, np.bool_)
    for first, last, category in category_runs():
        flags[first : last + 1] = category == "Cn"
    return flags


@cache
def category_runs() -> tuple[tuple[int, int, str], ...]:
    """All code points as runs of one general category: first, last, category."""
    runs = []
    first = 0
    for category, points in groupby(map(unicodedata.category, map(chr, range(0x110000)))):
        length = sum(1 for _ in points)
        runs.append((first, first + length - 1, category))
        first += length
    return tuple(runs)
