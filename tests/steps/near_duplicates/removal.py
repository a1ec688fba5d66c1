"""Running the step alone, in memory, over texts."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pyarrow as pa

from gpucurate.device import pick
from gpucurate.steps.near_duplicates import NearDuplicates
from gpucurate.steps.near_duplicates.config import NearDuplicatesConfig
from tests.steps.stages import MemoryStages, answers


def signals(documents: pa.Table, config: NearDuplicatesConfig, cuts: Sequence[int] = ()) -> pa.Table:
    """What the step says of every document, in order, when they come in parts cut at these places."""
    edges = [0, *cuts, documents.num_rows]
    parts = [documents.slice(low, high - low) for low, high in itertools.pairwise(edges)]
    return answers(NearDuplicates(config, pick("cpu")), MemoryStages(parts))


def removals(documents: pa.Table, config: NearDuplicatesConfig, cuts: Sequence[int] = ()) -> dict[bytes, bytes]:
    """Record id of each removed document, and of the one that stays for it."""
    said = signals(documents, config, cuts)
    pairs = zip(documents["record_id"].to_pylist(), said["duplicate_of"].to_pylist(), strict=True)
    return {identity: other for identity, other in pairs if other is not None}


def kept(documents: pa.Table, config: NearDuplicatesConfig) -> list[int]:
    """Rows that stay."""
    return [n for n, other in enumerate(signals(documents, config)["duplicate_of"].to_pylist()) if other is None]
