"""The CPU backend: Numba kernels over byte buffers.  It is the definition of every verb."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.text_buffers import TextBuffers


class CpuBackend:
    """Verbs of the device layer on the CPU; stateless, cheap to make, safe to use from several threads."""

    name = "cpu"

    def text_features(self, texts: TextBuffers, stop_words: tuple[str, ...], grams: bool = True) -> NDArray[np.void]:
        """See `gpucurate.device.backend.Backend.text_features`."""
        from gpucurate.device.cpu.text_features import text_features

        return text_features(texts, stop_words, grams)
