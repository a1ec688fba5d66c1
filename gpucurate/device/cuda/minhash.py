"""MinHash signatures on the device: words, shingles and minima of a batch, one upload and one download."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gpucurate.device.backend import Signatures
from gpucurate.device.cuda.engine import Engine, Kernel
from gpucurate.device.cuda.shingles import TASK, shingles
from gpucurate.device.cuda.tasks import PER_TASK
from gpucurate.device.cuda.words import DeviceTexts, words
from gpucurate.device.hash_family import HashFamily

PER_BYTE = 12  # device bytes a byte of text: itself, its chunk, words (8) and shingles (4), two in three bytes at worst
MOST_PER_LANE = 20  # minima a thread keeps; three registers each, so that a block of 128 still fits 6 times on an SM
LANES = (32, 16)  # threads a task may have


class Shape(NamedTuple):
    """How hashes are spread: `lanes` threads of `per_lane` hashes each, `groups` times."""

    lanes: int
    per_lane: int
    groups: int


def shape(hashes: int) -> Shape:
    """The spread of a number of hashes: the fewest idle places, then the fewest groups, then the most hashes a thread.

    112 hashes are 16 threads of 7 with none idle; 32 threads of 4 would leave an eighth idle.
    """
    choices = []
    for lanes in LANES:
        fewest = -(-hashes // (lanes * MOST_PER_LANE))
        for groups in (fewest, fewest + 1):
            choices.append(Shape(lanes, -(-hashes // (lanes * groups)), groups))
    return min(choices, key=lambda s: (s.lanes * s.per_lane * s.groups, s.groups, s.lanes))


def signature_kernel(spread: Shape) -> Kernel:
    """The kernel for a spread of hashes."""
    return Kernel("signature.cu", "signature", (("TASK", TASK), ("LANES", spread.lanes), ("PER_LANE", spread.per_lane)))


def per_document(hashes: int) -> int:
    """Device bytes a document costs besides its text: its row, its places, its task and a word and shingle more."""
    return 4 * hashes + 2 * PER_TASK + 80


def signatures(engine: Engine, texts: DeviceTexts, shingle: int, hashes: HashFamily) -> Signatures | None:
    """Signatures of one batch, in host memory; None for text too damaged for this device (words.py)."""
    xp = engine.xp
    found = words(engine, texts)
    if found is None:
        return None
    each = shingles(engine, found, shingle, np.uint32)
    del found
    size = hashes.a.shape[0]
    rows = xp.full((texts.offsets.shape[0] - 1, size), 0xFFFFFFFF, np.uint32)
    tasks = each.tasks
    if tasks.total and size:
        spread = shape(size)
        scale, shift = engine.upload(hashes.a), engine.upload(hashes.b)
        for group in range(spread.groups):
            engine.launch(
                signature_kernel(spread),
                tasks.total * spread.lanes,
                each.hashes,
                each.documents,
                tasks.owners,
                tasks.starts,
                tasks.total,
                scale,
                shift,
                size,
                group * spread.lanes * spread.per_lane,
                rows,
            )
    return Signatures(engine.download(rows), engine.download(xp.diff(each.documents)))
