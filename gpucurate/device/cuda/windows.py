"""Sampled windows of words on the device: every window's hash, then those that are the least of a span."""

from __future__ import annotations

import numpy as np

from gpucurate.device.backend import Windows
from gpucurate.device.cuda.engine import Engine, Kernel
from gpucurate.device.cuda.shingles import shingles
from gpucurate.device.cuda.tasks import PER_TASK
from gpucurate.device.cuda.words import DeviceTexts, words

# Device bytes a byte of text: two windows in three bytes at worst, each of which takes its word and its hash (16), its
# number and its owner (16), and, if it is sampled, three words more while the flags are scanned.
PER_BYTE = 44
PER_DOCUMENT = 2 * PER_TASK + 160
SAMPLE = Kernel("windows.cu", "sample_windows")


def sampled_windows(engine: Engine, texts: DeviceTexts, window: int, span: int) -> Windows | None:
    """Sampled windows of one batch, in host memory; None for text too damaged for this device (words.py)."""
    xp = engine.xp
    found = words(engine, texts)
    if found is None:
        return None
    each = shingles(engine, found, window, np.uint64)
    total, documents = each.hashes.shape[0], each.documents.shape[0] - 1
    if total == 0:
        return Windows(np.zeros(documents + 1, np.int64), np.zeros(0, np.int64), np.zeros(0, np.uint64))
    owners = xp.searchsorted(each.documents[1:], xp.arange(total, dtype=np.int64), side="right")
    sampled = xp.empty(total, np.uint8)
    engine.launch(SAMPLE, total, each.hashes, each.documents, found.documents, owners, total, window, span, sampled)
    del found
    places = xp.flatnonzero(sampled)
    del sampled
    hashes = engine.download(each.hashes[places])
    positions = engine.download(places - each.documents[:-1][owners[places]])
    if positions.shape[0] == 0:
        return Windows(np.zeros(documents + 1, np.int64), positions, hashes)
    offsets = engine.download(xp.searchsorted(places, each.documents, side="left"))
    return Windows(offsets, positions, hashes)
