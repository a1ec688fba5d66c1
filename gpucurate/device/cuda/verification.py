"""How many shingles pairs of documents share, on the device."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpucurate.device.backend import Pairs, ShingleSets
from gpucurate.device.cuda.engine import Engine, Kernel
from gpucurate.device.cuda.plan import FIXED, batches
from gpucurate.device.cuda.tasks import PER_TASK, cut

TASK = 4096  # hashes of the smaller set that a group of threads looks up
LANES = 32  # threads a task
PER_PAIR = 96  # device bytes a pair: its places, its sizes, its count
COUNT = Kernel("shared.cu", "count_shared", (("TASK", TASK), ("LANES", LANES)))


def fits(engine: Engine, sets: ShingleSets) -> bool:
    """Whether the sets take at most half of the device's memory; the other half is for the pairs."""
    return sets.hashes.nbytes + 2 * sets.offsets.nbytes + FIXED <= engine.limits.memory // 2


def shared(engine: Engine, pairs: Pairs, sets: ShingleSets) -> NDArray[np.int64]:
    """See `gpucurate.device.backend.Backend.shared`."""
    xp = engine.xp
    out = np.zeros(pairs.shape[0], np.int64)
    if out.size == 0 or sets.hashes.size == 0:
        return out
    sizes = np.diff(sets.offsets)
    tasks = np.minimum(sizes[pairs[:, 0]], sizes[pairs[:, 1]]) // TASK + 1
    costs = np.zeros(pairs.shape[0] + 1, np.int64)
    np.cumsum(tasks * PER_TASK + PER_PAIR, out=costs[1:])
    offsets, hashes, lengths = engine.upload(sets.offsets), engine.upload(sets.hashes), engine.upload(sizes)
    for batch in batches(costs, engine.limits.memory // 2 - FIXED):
        a = engine.upload(np.ascontiguousarray(pairs[batch.first : batch.last, 0]))
        b = engine.upload(np.ascontiguousarray(pairs[batch.first : batch.last, 1]))
        a_is_smaller = lengths[a] <= lengths[b]
        smaller, larger = xp.where(a_is_smaller, a, b), xp.where(a_is_smaller, b, a)
        work = cut(xp, lengths[smaller], TASK)
        counts = xp.zeros(batch.last - batch.first, np.uint64)
        if work.total:
            engine.launch(
                COUNT,
                work.total * LANES,
                smaller,
                larger,
                offsets,
                hashes,
                work.owners,
                work.starts,
                work.total,
                counts,
            )
        out[batch.first : batch.last] = engine.download(counts)
    return out
