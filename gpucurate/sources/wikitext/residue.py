"""Markup that is left in extracted text, counted for the report: what should be gone and is not."""

from __future__ import annotations

import numpy as np

from gpucurate.core.compiled import kernel
from gpucurate.core.text_buffers import Bytes, Offsets, TextBuffers
from gpucurate.sources.wikitext.characters import DASH, LESS, OPEN_BRACE, OPEN_BRACKET, PIPE, both, byte_set

RESIDUE = ("{{", "[[", "|-", "<ref")
FIRST_BYTES = byte_set(b"{[|<")


def residue(texts: TextBuffers) -> dict[str, int]:
    """How often each of `RESIDUE` occurs in all texts together, without overlap."""
    counts = count_residue(texts.data, texts.offsets)
    return dict(zip(RESIDUE, counts.tolist(), strict=True))


@kernel
def count_residue(data: Bytes, offsets: Offsets) -> Offsets:
    """Counts in the order of `RESIDUE`; nothing is counted across two texts."""
    counts = np.zeros(len(RESIDUE), np.int64)
    for d in range(len(offsets) - 1):
        pos, stop = offsets[d], offsets[d + 1]
        while pos < stop:
            if FIRST_BYTES[data[pos]]:
                which = _residue_at(data, pos, stop)
                if which >= 0:
                    counts[which] += 1
                    pos += 1
            pos += 1
    return counts


@kernel
def _residue_at(data: Bytes, pos: int, stop: int) -> int:
    if both(data, pos, stop, OPEN_BRACE):
        return 0
    if both(data, pos, stop, OPEN_BRACKET):
        return 1
    if pos + 1 < stop and data[pos] == PIPE and data[pos + 1] == DASH:
        return 2
    if pos + 3 < stop and data[pos] == LESS and data[pos + 1] == 114 and data[pos + 2] == 101 and data[pos + 3] == 102:
        return 3
    return -1
