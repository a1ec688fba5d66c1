"""The grams that most documents share with items, spelled out where the benchmark's files are still there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from gpucurate.core.errors import GpucurateError
from gpucurate.core.text_buffers import pack_texts
from gpucurate.device.cpu import CpuBackend
from gpucurate.device.word_places import word_places
from gpucurate.steps.decontaminate import Decontaminate
from gpucurate.steps.decontaminate.items import Protected, opaque
from gpucurate.steps.decontaminate.records import item_texts


@dataclass(frozen=True, slots=True)
class SharedGram:
    """A gram that documents share with an item; `text` is None where the benchmark's files are not there."""

    text: str | None
    benchmark: str | None
    item: str | None
    documents: int
    unrelated: int  # of those, that hold little else of the item
    common: bool


def shared_grams(step: Decontaminate, common: pa.Table, count: int) -> list[SharedGram]:
    """The `count` grams in the most documents.  With a holdout, those of held-out documents have no text here."""
    rows = common.sort_by([("documents", "descending"), ("unrelated", "descending"), ("gram", "ascending")])
    shown = rows.slice(0, count).to_pylist()
    spelled = _spelled(step, [row["gram"] for row in shown])
    return [
        SharedGram(*spelled.get(row["gram"], (None, None, None)), row["documents"], row["unrelated"], row["common"])
        for row in shown
    ]


def _spelled(step: Decontaminate, grams: list[int]) -> dict[int, tuple[str | None, str | None, str | None]]:
    """Text, benchmark and item of grams; empty where they cannot be known any more."""
    if step.config.holdout is not None:
        return {}  # places in the table depend on what was held out
    try:
        protected = step.protected([])
        texts = {opaque(each): each for one in step.registry for each in item_texts(one)}
    except GpucurateError:  # moved or changed since the run: the figures stand without the words
        return {}
    return {gram: _of_text(gram, protected, texts) for gram in grams}


def _of_text(gram: int, protected: Protected, texts: dict[str, tuple[str, ...]]) -> tuple[str, str, str]:
    at = int(np.flatnonzero(protected.grams == gram)[0])
    owner = int(np.searchsorted(protected.starts, at, side="right")) - 1
    item = int(protected.items[owner])
    number = owner - int(np.flatnonzero(protected.items == item)[0])
    text = texts[protected.names[item]][number]
    hits = CpuBackend().gram_hits(pack_texts([text]), protected.table)
    word = int(hits.words[np.flatnonzero(hits.grams == gram)[0]])
    places = word_places(text.encode())
    table = int(np.searchsorted(protected.table.bounds, gram, side="right")) - 1
    low, high = places[word, 0], places[word + int(protected.table.lengths[table]) - 1, 1]
    return text.encode()[low:high].decode(), protected.benchmarks[item], protected.names[item]
