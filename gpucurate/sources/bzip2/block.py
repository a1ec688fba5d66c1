"""One block, from its bits to checked text, in scratch memory that is kept from block to block."""

from __future__ import annotations

from enum import Enum

import numpy as np

from gpucurate.core.text_buffers import Bytes
from gpucurate.sources.bzip2 import entropy
from gpucurate.sources.bzip2.entropy import BLOCK_SYMBOLS, CRC, END, LENGTH, ORIGIN, PADDING, RANDOMISED
from gpucurate.sources.bzip2.rotations import CRC_TABLES, LANES, checksum, expand, follow_rows, link_rows


class Flaw(Enum):
    """Why bits that begin with a block's magic are no block."""

    CODE = "its code is broken or cut"
    RANDOMISED = "it is randomised, as bzip2 wrote blocks until 1999"
    CHECKSUM = "its checksum is wrong"


class BlockDecoder:
    """Decodes blocks one at a time; not for several threads at once."""

    def __init__(self) -> None:
        self._column = np.empty(BLOCK_SYMBOLS, np.uint32)
        self._lanes = np.empty((LANES, BLOCK_SYMBOLS), np.uint8)
        self._sorted_back = np.empty(BLOCK_SYMBOLS, np.uint8)
        self._expanded = np.empty(BLOCK_SYMBOLS, np.uint8)
        self._counts = np.empty(256, np.int64)
        self._header = np.zeros(4, np.int64)

    def decode(self, data: Bytes, bit: int, end: int) -> tuple[bytes, int] | Flaw:
        """The block whose magic stands at bit offset `bit` of `data`: its text and the bit after it.

        `data` must have PADDING bytes behind bit offset `end`, the end of the real data.
        """
        if len(data) < (end + 7) // 8 + PADDING:
            raise ValueError("data must be padded for the bit reader")
        status = entropy.read_block(data, bit, end, self._column, self._counts, self._header)
        if status < 0:
            return Flaw.RANDOMISED if status == RANDOMISED else Flaw.CODE
        length, origin = int(self._header[LENGTH]), int(self._header[ORIGIN])
        link_rows(self._column, self._counts, length, origin)
        follow_rows(self._column, length, origin, self._lanes, self._sorted_back)
        text = self._sorted_back[:length]
        size = int(expand(text, self._expanded))
        if size > len(self._expanded):
            self._expanded = np.empty(size, np.uint8)
            expand(text, self._expanded)
        out = self._expanded[:size]
        if checksum(out, CRC_TABLES) != self._header[CRC]:
            return Flaw.CHECKSUM
        return out.tobytes(), int(self._header[END])
