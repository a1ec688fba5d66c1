"""What an engine is: texts in, ids out, and back.

Two engines of the same vocabulary must give the same ids for every text, so that the choice between them is never
part of an identity.  Text that spells a special token is text.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpucurate.core.text_buffers import Offsets

Ids = NDArray[np.uint32]


class Engine(Protocol):
    """An encoder of one vocabulary."""

    name: str

    def encode(self, texts: pa.Array) -> tuple[Ids, Offsets]:
        """Ids of all texts one after another, and where each begins.

        `texts` is large_string without nulls, n values; returns uint32 [tokens] and int64 [n + 1] from 0 to tokens.
        """
        ...


class Decoder(Protocol):
    """The way back."""

    def decode(self, tokens: Ids, offsets: Offsets) -> pa.Array:
        """large_binary, one value a document; UTF-8 wherever the ids are those of whole texts."""
        ...


def join(arrays: list[Ids]) -> tuple[Ids, Offsets]:
    """Ids of single texts as one array with offsets."""
    offsets = np.zeros(len(arrays) + 1, np.int64)
    np.cumsum([len(array) for array in arrays], out=offsets[1:])
    return (np.concatenate(arrays) if arrays else np.zeros(0, np.uint32)), offsets
