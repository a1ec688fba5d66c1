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
import pyarrow.compute as pc

from gpucurate.core.text_buffers import Offsets
from gpucurate.tokens.engines import Engine, Ids, join


class GuardedEngine:
    """Two engines of one vocabulary as one; goes by the name of the fast one."""

    def __init__(self, fast: Engine, reference: Engine) -> None:
        self.name = fast.name
        self._fast, self._reference = fast, reference

    def encode(self, texts: pa.Array) -> tuple[Ids, Offsets]:
        """See `Engine.encode`."""
        unknown = np.asarray(pc.match_substring_regex(texts, pattern=unassigned_pattern()), bool)
        if not unknown.any():
            return self._fast.encode(texts)
        encoded: list[Ids] = [np.zeros(0, np.uint32)] * len(texts)
        for engine, mask in ((self._fast, ~unknown), (self._reference, unknown)):
            places = np.flatnonzero(mask)
            tokens, offsets = engine.encode(texts.take(pa.array(places)))
            for n, place in enumerate(places.tolist()):
                encoded[place] = tokens[offsets[n] : offsets[n + 1]]
        return join(encoded)


@cache
def unassigned_pattern() -> str:
    """A character class of all code points that are unassigned in this Python's Unicode, for RE2."""
    ranges = "".join(
        f"\\x{{{first:x}}}-\\x{{{last:x}}}" for first, last, category in category_runs() if category == "Cn"
    )
    return f"[{ranges}]"


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
