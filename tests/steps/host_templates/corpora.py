"""Small crawls for `host_templates`, run in memory."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pyarrow as pa

from gpucurate.core.documents import RECORD_ID
from gpucurate.device.cpu import CpuBackend
from gpucurate.steps.contract import Edit
from gpucurate.steps.host_templates import HostTemplates
from gpucurate.steps.host_templates.config import HostTemplatesConfig
from tests.steps.repeated_spans.corpora import assert_spans, record_id
from tests.steps.stages import MemoryStages, edits

Page = tuple[str, str]  # URI, text


def table(pages: Sequence[Page]) -> pa.Table:
    """Documents; the record id is that of URI and text."""
    return pa.table(
        {
            "record_id": pa.array([record_id(f"{uri} {text}") for uri, text in pages], RECORD_ID),
            "uri": pa.array([uri for uri, _ in pages], pa.string()),
            "text": pa.array([text for _, text in pages], pa.large_string()),
        }
    )


def step(**settings: Any) -> HostTemplates:
    return HostTemplates(HostTemplatesConfig(**settings), CpuBackend())


def run(crawl: Sequence[Page], cuts: Sequence[int] = (), **settings: Any) -> tuple[list[str], list[Edit], MemoryStages]:
    """What is left of every page; `cuts`: where the crawl is cut into parts."""
    parts = [table(crawl[a:b]) for a, b in pairwise([0, *cuts, len(crawl)])]
    stages = MemoryStages(parts)
    made = edits(step(**settings), stages)
    left = []
    for part, edit in zip(parts, made, strict=True):
        texts = part["text"].to_pylist()
        left += [old if new is None else new for old, new in zip(texts, edit.text.to_pylist(), strict=True)]
        assert_spans(texts, edit)
    return left, made, stages
