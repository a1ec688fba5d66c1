"""Finding grams of a table in texts on the CPU: words and polynomials as in near_duplicates, a sieve, a bisection."""

from __future__ import annotations

import numpy as np

from gpucurate.core.text_buffers import TextBuffers, pack_texts, read_only
from gpucurate.device.cpu.grams.search import search
from gpucurate.device.grams import GramHits, GramTable, gram_table, sorted_hits
from gpucurate.device.shingle_characters import shingle_characters


def gram_hits(texts: TextBuffers, table: GramTable) -> GramHits:
    """See `gpucurate.device.backend.Backend.gram_hits`.  Memory: about 100 bytes a hit beside texts and table."""
    if not len(table.hashes):
        none = np.zeros(0, np.int64)
        return GramHits(none, none, none)
    found, hits = search(
        read_only(texts.data),
        read_only(texts.offsets),
        shingle_characters(),
        table.lengths,
        table.bounds,
        table.hashes,
        table.sieve,
    )
    return sorted_hits(*(np.ascontiguousarray(column) for column in found[:hits].T))


def prepare() -> None:
    """Compile the kernels of this package, or load them from the cache."""
    gram_hits(pack_texts(["a b"]), gram_table({1: np.zeros(1, np.uint64)}))
