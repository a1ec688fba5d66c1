"""Finding grams of a table in texts on the device: words of a batch, then one launch a length over all its grams.

Hits come in no order and are sorted on the host, which is cheap: few grams of a corpus are searched for.  A launch has
room for some hits; where there are more, it is launched again with room for all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gpucurate.device.cuda.engine import DeviceArray, Engine, Kernel, Limits
from gpucurate.device.cuda.plan import FIXED
from gpucurate.device.cuda.shingles import LANES, TASK
from gpucurate.device.cuda.tasks import PER_TASK, cut
from gpucurate.device.cuda.words import DeviceTexts, Words, words
from gpucurate.device.grams import GramHits, GramTable, sorted_hits

HIT = 24  # bytes
PER_BYTE = 28  # device bytes a byte of text: itself, its chunk, words (8) and hits (24), two in three bytes at worst
PER_DOCUMENT = 2 * PER_TASK + 160
FEW = 16  # words for which a launch has room for one hit


class DeviceTable(NamedTuple):
    """A `GramTable` on the device; lengths and bounds stay with the host."""

    lengths: list[int]
    bounds: list[int]
    hashes: DeviceArray
    sieve: DeviceArray


def search_kernel(words: int) -> Kernel:
    """The kernel for grams of so many words."""
    return Kernel("grams.cu", "search_grams", (("SHINGLE", words), ("TASK", TASK), ("LANES", LANES)))


def fits(engine: Engine, table: GramTable) -> bool:
    """Whether the table takes at most half of the device's memory."""
    return _size(table) <= engine.limits.memory // 2


def limits_beside(engine: Engine, table: GramTable) -> Limits:
    """What is left for texts."""
    return Limits(engine.limits.memory - _size(table), engine.limits.text)


def upload_table(engine: Engine, table: GramTable) -> DeviceTable:
    """Copy a table to the device."""
    hashes, sieve = engine.upload(table.hashes), engine.upload(table.sieve)
    return DeviceTable(table.lengths.tolist(), table.bounds.tolist(), hashes, sieve)


def gram_hits(engine: Engine, texts: DeviceTexts, table: DeviceTable) -> GramHits | None:
    """Hits of one batch, in host memory; None for text too damaged for this device (words.py)."""
    found = words(engine, texts)
    if found is None:
        return None
    parts = [_hits_of_length(engine, found, table, t) for t in range(len(table.lengths))]
    return sorted_hits(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def joined(parts: Sequence[tuple[int, GramHits]]) -> GramHits:
    """Hits of consecutive batches, each with the number of its first document."""
    documents = [hits.documents + first for first, hits in parts]
    none = np.zeros(0, np.int64)
    columns = (documents, [hits.words for _, hits in parts], [hits.grams for _, hits in parts])
    return GramHits(*(np.concatenate([none, *column]) for column in columns))


def _hits_of_length(engine: Engine, found: Words, table: DeviceTable, t: int) -> GramHits:
    xp, length = engine.xp, table.lengths[t]
    counts = xp.diff(found.documents)
    grams = xp.where(counts >= length, counts - (length - 1), xp.zeros(counts.shape[0], np.int64))
    tasks = cut(xp, grams, TASK)
    none = np.zeros(0, np.int64)
    if not tasks.total:
        return GramHits(none, none, none)
    room, hits = max(FIXED // HIT // 2, found.hashes.shape[0] // FEW), -1
    while hits < 0 or hits > room:
        room = max(room, hits)
        out, count = xp.empty(3 * room, np.int64), xp.zeros(1, np.uint64)
        engine.launch(
            search_kernel(length),
            tasks.total * LANES,
            found.hashes,
            found.documents,
            tasks.owners,
            tasks.starts,
            tasks.total,
            table.hashes,
            table.bounds[t],
            table.bounds[t + 1],
            table.sieve,
            table.sieve.shape[0] * 64 - 1,
            room,
            out,
            count,
        )
        hits = int(count[0])
    rows = engine.download(out[: 3 * hits]).reshape(-1, 3)
    return GramHits(*(np.ascontiguousarray(column) for column in rows.T))


def _size(table: GramTable) -> int:
    return table.hashes.nbytes + table.sieve.nbytes
