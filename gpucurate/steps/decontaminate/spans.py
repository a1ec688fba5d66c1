"""Where in a document an item stands: runs of its grams as bytes, and the spans that go with a margin.

A run is made of grams of one item that touch, overlap, or have no more than BRIDGE words between them; both its ends
are ends of words.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpucurate.core.text_buffers import pack_texts
from gpucurate.device.backend import Backend
from gpucurate.steps.decontaminate.items import Numbers, Protected
from gpucurate.steps.decontaminate.matching import owners_of

BRIDGE = 13  # words: one that was changed takes 13 grams of 13 words with it and leaves no gap larger than itself

RUNS = pa.struct(
    [
        pa.field("start", pa.int64(), nullable=False),  # bytes
        pa.field("end", pa.int64(), nullable=False),
        pa.field("benchmark", pa.string(), nullable=False),
        pa.field("item", pa.string(), nullable=False),
        pa.field("matched", pa.int64(), nullable=False),  # grams of its text that the document holds
        pa.field("grams", pa.int64(), nullable=False),  # that its text has and that are not common
        pa.field("action", pa.string(), nullable=False),
    ]
)


def word_runs(
    text: str, texts: Numbers, protected: Protected, common: NDArray[np.bool_], backend: Backend
) -> dict[int, list[tuple[int, int]]]:
    """For each of the given texts that the document holds: runs of words, from the first to behind the last."""
    hits = backend.gram_hits(pack_texts([text]), protected.table)
    counted = ~common[hits.grams]
    words, grams = hits.words[counted], hits.grams[counted]
    at, owners = owners_of(grams, protected)
    mine = np.isin(owners, texts)
    at, owners = at[mine], owners[mine]
    order = np.argsort(owners, kind="stable")  # and by word within each
    at, owners = at[order], owners[order]
    lengths = protected.lengths[grams[at]]
    cuts = np.searchsorted(owners, [texts, texts + 1])
    return {
        k: merged(words[at[low:high]], words[at[low:high]] + lengths[low:high], BRIDGE)
        for k, low, high in zip(texts.tolist(), *cuts.tolist(), strict=True)
    }


def merged(starts: Numbers, ends: Numbers, bridge: int) -> list[tuple[int, int]]:
    """Spans joined where at most `bridge` lies between them; `starts` ascend."""
    runs: list[tuple[int, int]] = []
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        if runs and start <= runs[-1][1] + bridge:
            runs[-1] = (runs[-1][0], max(runs[-1][1], end))
        else:
            runs.append((start, end))
    return runs


def bytes_of(runs: list[tuple[int, int]], places: Numbers, margin: int = 0) -> list[tuple[int, int]]:
    """Runs of words as bytes, each with `margin` words more on both sides; what then overlaps or touches is one."""
    wide = [(max(0, low - margin), min(len(places), high + margin)) for low, high in sorted(runs)]
    joined = merged(np.array([w[0] for w in wide], np.int64), np.array([w[1] for w in wide], np.int64), 0)
    return [(int(places[low, 0]), int(places[high - 1, 1])) for low, high in joined]
