"""`exact_duplicates`: one document of each set with the same text stays, chosen by a stated policy.

The text is compared by the first 128 bits of BLAKE3 over its bytes, as the steps before left it (normalise first).
The choice depends on the documents only, never on which worker or file came first.
"""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from gpucurate.core.digests import digest16
from gpucurate.core.documents import RECORD_ID
from gpucurate.core.reasons import Reason
from gpucurate.recipe.model import StepConfig
from gpucurate.steps.contract import CorpusStep, Verdicts


class Representative(StrEnum):
    """Which document of a set of duplicates stays; ties go to the smallest record id."""

    FIRST_ID = "first_id"
    LONGEST_TITLE = "longest_title"
    NEWEST = "newest"


class ExactDuplicatesConfig(StepConfig):
    """Settings of `exact_duplicates`."""

    keep: Representative = Field(
        Representative.FIRST_ID,
        description="Which document of a set stays: the smallest record id, the longest title (in characters), or the "
        "newest by its own modification time. Ties go to the smallest record id.",
    )


class ExactDuplicates(CorpusStep[ExactDuplicatesConfig]):
    """Finds documents with equal text over the whole corpus."""

    name = "exact_duplicates"
    version = 1
    config_type = ExactDuplicatesConfig
    reasons = (Reason("exact_duplicates.copy", "another document has the same text and was chosen to stay"),)
    signals: ClassVar[pa.Schema] = pa.schema(
        [
            pa.field("copies", pa.int64()),  # documents with this text
            pa.field("duplicate_of", RECORD_ID),  # the one that stays; null for that one itself
        ]
    )

    def scatter(self, documents: pa.Table) -> pa.Table:
        """Digest of the text, and the one number the policy ranks by (greater is better)."""
        keys = [digest16(text.as_buffer()) for text in documents["text"].combine_chunks()] if documents.num_rows else []
        if self.config.keep is Representative.LONGEST_TITLE:
            rank = pc.fill_null(pc.utf8_length(documents["title"]), 0).cast(pa.int64())
        elif self.config.keep is Representative.NEWEST:
            rank = pc.fill_null(documents["modified"].cast(pa.int64()), np.iinfo(np.int64).min)
        else:
            rank = pa.array(np.zeros(documents.num_rows, np.int64))
        index = pa.array(np.arange(documents.num_rows, dtype=np.int32))
        return pa.table({"key": pa.array(keys, RECORD_ID), "index": index, "rank": rank})

    def gather(self, rows: pa.Table) -> pa.Table:
        """Rank within each run of equal keys; rows come sorted by (key, record_id), so ties go to the least id."""
        count = rows.num_rows
        keys = np.frombuffer(_bytes_of(rows["key"]), "V16")
        starts = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]]) if count else np.zeros(0, np.int64)
        sizes = np.diff(np.r_[starts, count])
        group = np.repeat(np.arange(len(starts)), sizes)
        rank = rows["rank"].to_numpy()
        best = np.lexsort((np.arange(count), ~rank, group))[starts] if count else starts
        chosen = best[group]
        itself = chosen == np.arange(count)
        ids = rows["record_id"].combine_chunks() if count else pa.array([], RECORD_ID)
        duplicate_of = pc.if_else(pa.array(itself), pa.scalar(None, RECORD_ID), pc.take(ids, pa.array(chosen)))
        return pa.table(
            {
                "part": rows["part"],
                "row": rows["row"],
                "copies": pa.array(sizes[group].astype(np.int64)),
                "duplicate_of": duplicate_of,
            }
        )

    def judge(self, documents: pa.Table, signals: pa.Table) -> Verdicts:
        """Every copy but the chosen one goes."""
        return np.asarray(pc.is_valid(signals["duplicate_of"]), np.int16)


def _bytes_of(column: pa.ChunkedArray) -> bytes:
    return b"".join(column.to_pylist())
