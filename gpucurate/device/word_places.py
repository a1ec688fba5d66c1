"""Where the words of one text are: what turns places in words, which the verbs give, into places in bytes.

For the few documents that something was found in; one byte after another, on the CPU.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import kernel
from gpucurate.core.text_buffers import Bytes, read_only
from gpucurate.device.cpu.near_duplicates.characters import (
    CLASS_SHIFT,
    CONTINUATION,
    CONTINUES,
    IDEOGRAPH,
    LETTER,
    character,
)
from gpucurate.device.shingle_characters import shingle_characters


def word_places(text: bytes | Bytes) -> NDArray[np.int64]:
    """int64 [words, 2]: first byte of each word and the byte behind it, words as in docs/near-duplicates.md."""
    data = np.frombuffer(text, np.uint8) if isinstance(text, bytes) else np.ascontiguousarray(text)
    places = np.empty((len(data), 2), np.int64)
    count = _find(read_only(data), shingle_characters(), places)
    return places[:count].copy()


@kernel
def _find(text: Bytes, table: NDArray[np.uint32], places: NDArray[np.int64]) -> int:
    n = 0
    i = 0
    inside = False
    while i < len(text):
        byte = text[i]
        if byte & CONTINUES == CONTINUATION:  # belongs to no character; does not end a word
            i += 1
            continue
        start = i
        if byte < CONTINUATION:
            kind = table[byte] >> CLASS_SHIFT
            i += 1
        else:
            entry, i = character(text, i, len(text), table)
            kind = entry >> CLASS_SHIFT
        if kind == LETTER:
            if not inside:
                places[n, 0] = start
                n += 1
            places[n - 1, 1] = i
        elif kind == IDEOGRAPH:
            places[n, 0] = start
            places[n, 1] = i
            n += 1
        inside = kind == LETTER
    return n
