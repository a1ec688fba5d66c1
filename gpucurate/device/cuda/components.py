"""Connected components on the device: pairs are hooked as they come, labels made at the end."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from gpucurate.device.backend import Pairs
from gpucurate.device.cuda.engine import Engine, Kernel

UNITE = Kernel("components.cu", "unite")
FLATTEN = Kernel("components.cu", "flatten")


def fits(engine: Engine, nodes: int) -> bool:
    """Whether the nodes (8 bytes each) take at most half of the device's memory; the other half is for the pairs."""
    return 8 * nodes <= engine.limits.memory // 2


def components(engine: Engine, nodes: int, batches: Iterable[Pairs]) -> NDArray[np.int64]:
    """See `gpucurate.device.backend.Backend.components`."""
    root = engine.xp.arange(nodes, dtype=np.uint64)
    step = max(1, engine.limits.memory // 2 // 16)  # a pair is 16 bytes
    for batch in batches:
        for first in range(0, batch.shape[0], step):
            part = batch[first : first + step]
            engine.launch(UNITE, part.shape[0], engine.upload(part), part.shape[0], root)
    if nodes:
        engine.launch(FLATTEN, nodes, root, nodes)
    return engine.download(root).astype(np.int64)
