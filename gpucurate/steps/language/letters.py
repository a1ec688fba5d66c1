"""Which texts have a letter at all, and where a text ends that is looked at in part.

Compiled, on valid UTF-8.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import kernel
from gpucurate.core.text_buffers import Bytes, Offsets
from gpucurate.device.cpu.text_features.characters import LETTER, character_classes, code_point


def lettered(data: Bytes, starts: NDArray[np.int64], stops: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each text data[start:stop] has a character of the general category L (frozen at Unicode 15.1)."""
    found = np.zeros(len(starts), np.bool_)
    find_letters(data, starts, stops, character_classes(), found)
    return found


@kernel
def find_letters(
    data: Bytes, starts: NDArray[np.int64], stops: NDArray[np.int64], classes: Bytes, found: NDArray[np.bool_]
) -> None:
    """See `lettered`; stops at a text's first letter."""
    for document in range(starts.shape[0]):
        at = starts[document]
        while at < stops[document] and not found[document]:
            character, width = code_point(data, at)
            found[document] = classes[character] & LETTER != 0
            at += width


@kernel
def cut_texts(data: Bytes, offsets: Offsets, most: int, stops: NDArray[np.int64]) -> None:
    """Where each text ends if at most `most` bytes are looked at and no character is cut in two."""
    for document in range(stops.shape[0]):
        start, stop = offsets[document], offsets[document + 1]
        if stop - start > most:
            stop = start + most
            while stop > start and data[stop] & 0xC0 == 0x80:
                stop -= 1
        stops[document] = stop
