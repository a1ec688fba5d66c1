"""Buckets of locality-sensitive hashing: documents that agree in all rows of a band share a key."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import kernel
from gpucurate.device.cpu.near_duplicates.hashing import fold, mix


@kernel
def hash_bands(signatures: NDArray[np.uint32], rows: int, keys: NDArray[np.uint64]) -> None:
    """Fill keys [bands, documents]; the band's number is hashed too, so that bands never share a bucket."""
    for d in range(keys.shape[1]):
        for band in range(keys.shape[0]):
            value = np.uint64(band)
            for j in range(band * rows, (band + 1) * rows):
                value = fold(value, np.uint64(signatures[d, j]))
            keys[band, d] = mix(value)
