"""Small corpora for `repeated_spans`, run in memory."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from gpucurate.core.digests import digest16
from gpucurate.core.documents import RECORD_ID
from gpucurate.device.backend import Backend
from gpucurate.device.cpu import CpuBackend
from gpucurate.steps.contract import Edit
from gpucurate.steps.repeated_spans import RepeatedSpans
from gpucurate.steps.repeated_spans.config import RepeatedSpansConfig
from tests.steps.stages import MemoryStages, edits


def record_id(text: str) -> bytes:
    return digest16(text.encode())


def table(documents: Sequence[tuple[bytes, str]]) -> pa.Table:
    ids, texts = zip(*documents, strict=True) if documents else ((), ())
    return pa.table({"record_id": pa.array(ids, RECORD_ID), "text": pa.array(texts, pa.large_string())})


def step(backend: Backend | None = None, **settings: Any) -> RepeatedSpans:
    return RepeatedSpans(RepeatedSpansConfig(**settings), backend or CpuBackend())


def run(
    documents: Sequence[tuple[bytes, str]], cuts: Sequence[int] = (), backend: Backend | None = None, **settings: Any
) -> tuple[list[str], list[Edit], MemoryStages]:
    """What is left of every document; `cuts`: where the corpus is cut into parts."""
    edges = [0, *cuts, len(documents)]
    parts = [table(documents[a:b]) for a, b in pairwise(edges)]
    stages = MemoryStages(parts)
    made = edits(step(backend, **settings), stages)
    left: list[str] = []
    for part, edit in zip(parts, made, strict=True):
        for old, new in zip(part["text"].to_pylist(), edit.text.to_pylist(), strict=True):
            left.append(old if new is None else new)
        assert_spans(part["text"].to_pylist(), edit)
    return left, made, stages


def assert_spans(texts: list[str], edit: Edit) -> None:
    """Spans are sorted, apart, on character borders, and lead from the old text to the new."""
    new = {row: text.encode() for row, text in enumerate(texts)}
    spans = edit.spans.to_pylist()
    assert [(s["row"], s["start"]) for s in spans] == sorted((s["row"], s["start"]) for s in spans)
    for before, after in pairwise(spans):
        assert before["row"] < after["row"] or before["end"] < after["start"]
    for span in reversed(spans):
        old = new[span["row"]]
        old[span["start"] : span["end"]].decode()
        assert span["end"] > span["start"]
        new[span["row"]] = old[: span["start"]] + old[span["end"] :]
    changed = {span["row"] for span in spans}
    for row, text in enumerate(edit.text.to_pylist()):
        assert (text is not None) == (row in changed)
        assert text is None or text.encode() == new[row]


def shuffled(documents: Sequence[tuple[bytes, str]], seed: int) -> list[int]:
    return [int(i) for i in np.random.default_rng(seed).permutation(len(documents))]
