"""Signatures to bucket keys on the device."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpucurate.device.cuda.engine import Engine, Kernel
from gpucurate.device.cuda.plan import FIXED

KEYS = Kernel("bands.cu", "band_keys")


def band_keys(engine: Engine, signatures: NDArray[np.uint32], bands: int, rows: int) -> NDArray[np.uint64]:
    """[bands, documents]; as many documents at a time as the memory holds."""
    documents, columns = signatures.shape
    keys = np.empty((bands, documents), np.uint64)
    step = max(1, (engine.limits.memory - FIXED) // (4 * columns + 8 * bands + 1))
    for first in range(0, documents if bands else 0, step):
        part = signatures[first : first + step]
        count = part.shape[0]
        made = engine.xp.empty((bands, count), np.uint64)
        engine.launch(KEYS, bands * count, engine.upload(part), columns, count, bands, rows, made)
        keys[:, first : first + count] = engine.download(made)
    return keys
