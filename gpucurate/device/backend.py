"""The verbs a device must offer: text in, NumPy out, the same numbers on every device."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.text_buffers import TextBuffers


class Backend(Protocol):
    """A device.  All arrays live in host memory at this border; a device moves them as it likes."""

    name: str

    def text_features(self, texts: TextBuffers, stop_words: tuple[str, ...], grams: bool = True) -> NDArray[np.void]:
        """Counts of words, lines, paragraphs and n-grams that the quality rules are made of.

        One structured row a document, dtype `gpucurate.device.features.TEXT_FEATURES`; of `stop_words` (as written,
        one word each by docs/rules.md) it is counted how many different ones occur.  Without `grams` the fields
        of n-grams are 0, for a caller that does not read them.
        """
        ...
