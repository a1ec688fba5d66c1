"""Words to shingle hashes on the device."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gpucurate.device.cuda.engine import DeviceArray, Engine, Kernel, zero_first
from gpucurate.device.cuda.tasks import Tasks, cut
from gpucurate.device.cuda.words import Words

TASK = 2048  # shingles a group of threads takes from one document: ordinary documents are one task, books are many
LANES = 32  # threads a task: a warp reads neighbouring words


class Shingles(NamedTuple):
    """Shingle hashes in the order of the text: document d's are `hashes[documents[d]:documents[d + 1]]`.

    `hashes` is uint32 (their low bits) or uint64; `tasks` cut the documents into at most TASK shingles each.
    """

    hashes: DeviceArray
    documents: DeviceArray  # int64 [documents + 1]
    tasks: Tasks


def shingle_kernel(shingle: int, dtype: type[np.unsignedinteger[Any]]) -> Kernel:
    """The kernel for shingles of `shingle` words, uint32 or uint64."""
    name = "short_shingles" if dtype is np.uint32 else "long_shingles"
    return Kernel("shingle.cu", name, (("SHINGLE", shingle), ("TASK", TASK), ("LANES", LANES)))


def shingles(engine: Engine, words: Words, shingle: int, dtype: type[np.unsignedinteger[Any]]) -> Shingles:
    """Hashes of every run of `shingle` words; of fewer words one of all, of no words none."""
    xp = engine.xp
    counts = xp.diff(words.documents)
    lengths = xp.where(counts >= shingle, counts - (shingle - 1), xp.minimum(counts, 1))
    documents = zero_first(xp, xp.cumsum(lengths))
    tasks = cut(xp, lengths, TASK)
    hashes = xp.empty(int(documents[-1]), dtype)
    if tasks.total:
        kernel = shingle_kernel(shingle, dtype)
        engine.launch(
            kernel,
            tasks.total * LANES,
            words.hashes,
            words.documents,
            documents,
            tasks.owners,
            tasks.starts,
            tasks.total,
            hashes,
        )
    return Shingles(hashes, documents, tasks)
