"""Shingle sets on the device: every document's shingle hashes sorted, each once."""

from __future__ import annotations

import numpy as np

from gpucurate.device.backend import ShingleSets
from gpucurate.device.cuda.engine import Engine, sorted_order
from gpucurate.device.cuda.shingles import shingles
from gpucurate.device.cuda.tasks import PER_TASK
from gpucurate.device.cuda.words import DeviceTexts, words

PER_BYTE = 48  # device bytes a byte of text: two shingles in three bytes at worst, and sorting takes 60 a shingle
PER_DOCUMENT = 2 * PER_TASK + 160


def shingle_sets(engine: Engine, texts: DeviceTexts, shingle: int) -> ShingleSets | None:
    """Sets of one batch, in host memory; None for text too damaged for this device (words.py)."""
    xp = engine.xp
    found = words(engine, texts)
    if found is None:
        return None
    each = shingles(engine, found, shingle, np.uint64)
    del found
    documents = each.documents.shape[0] - 1
    if each.hashes.shape[0] == 0:
        return ShingleSets(np.zeros(documents + 1, np.int64), np.zeros(0, np.uint64))
    places = xp.arange(each.hashes.shape[0], dtype=np.int64)
    owners = xp.searchsorted(each.documents[1:], places, side="right").astype(np.uint32)
    del places
    order = sorted_order(xp, each.hashes, owners)
    hashes, owners = each.hashes[order], owners[order]
    del each, order
    new = xp.ones(hashes.shape[0], np.bool_)
    new[1:] = (hashes[1:] != hashes[:-1]) | (owners[1:] != owners[:-1])
    hashes, owners = hashes[new], owners[new]
    offsets = xp.searchsorted(owners, xp.arange(documents + 1, dtype=np.uint32), side="left")
    return ShingleSets(engine.download(offsets), engine.download(hashes))
