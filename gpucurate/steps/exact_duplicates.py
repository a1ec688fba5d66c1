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
from gpucurate.core.fixed_bytes import fixed_bytes, fixed_column
from gpucurate.core.reasons import Reason
from gpucurate.recipe.model import StepConfig
from gpucurate.steps.comparison import Nodes, PartDocuments, Piece, Range, Stages, Tables, key_ranges
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
    version = 2
    config_type = ExactDuplicatesConfig
    reasons = (Reason("exact_duplicates.copy", "another document has the same text and was chosen to stay"),)
    signals: ClassVar[pa.Schema] = pa.schema(
        [
            pa.field("copies", pa.int64()),  # documents with this text
            pa.field("duplicate_of", RECORD_ID),  # the one that stays; null for that one itself
        ]
    )

    def compare(self, stages: Stages) -> list[Piece]:
        """Digests scattered from every part, gathered by ranges of them."""
        scattered = stages.over_parts("scatter", self.scatter, {"keep": self.config.keep})
        ranges = key_ranges(sum(piece.rows for piece in scattered))
        return stages.over_ranges("gather", self.gather, {"keep": self.config.keep}, ranges, scattered)

    def scatter(self, part: PartDocuments) -> pa.Table:
        """Digest of every text, and the one number the policy ranks by (greater is better); sorted by `key`."""
        documents = part.meta
        digests = np.frombuffer(b"".join(digest16(text.as_buffer()) for text in part.texts()), np.uint8).reshape(-1, 16)
        table = pa.table(
            {
                "key": digests.view(">u8")[:, 0].astype(np.uint64),
                "digest": fixed_column(digests),
                "row": part.rows,
                "record_id": documents["record_id"],
                "rank": self._rank(documents),
            }
        )
        return table.sort_by([("key", "ascending"), ("digest", "ascending"), ("record_id", "ascending")])

    def _rank(self, documents: pa.Table) -> pa.Array:
        if self.config.keep is Representative.LONGEST_TITLE:
            return pc.fill_null(pc.utf8_length(documents["title"]), 0).cast(pa.int64())
        if self.config.keep is Representative.NEWEST:
            return pc.fill_null(documents["modified"].cast(pa.int64()), np.iinfo(np.int64).min)
        return pa.array(np.zeros(documents.num_rows, np.int64))

    def gather(self, keys: Range, starts: Nodes, scattered: Tables) -> pa.Table:
        """Rank within each run of equal digests; ties go to the least record id, then to the first in the corpus."""
        pieces = [
            _numbered(keys.of(table, "key"), int(start)) for table, start in zip(scattered, starts[:-1], strict=True)
        ]
        order = [("digest", "ascending"), ("record_id", "ascending"), ("node", "ascending")]
        rows = pa.concat_tables(pieces).sort_by(order).combine_chunks()
        count = rows.num_rows
        digests = fixed_bytes(rows["digest"]).view("V16").ravel()
        first = np.flatnonzero(np.r_[True, digests[1:] != digests[:-1]]) if count else np.zeros(0, np.int64)
        sizes = np.diff(np.r_[first, count])
        group = np.repeat(np.arange(len(first)), sizes)
        rank = rows["rank"].to_numpy()
        best = np.lexsort((np.arange(count), ~rank, group))[first] if count else first
        chosen = best[group]
        itself = chosen == np.arange(count)
        ids = rows["record_id"].combine_chunks() if count else pa.array([], RECORD_ID)
        duplicate_of = pc.if_else(pa.array(itself), pa.scalar(None, RECORD_ID), pc.take(ids, pa.array(chosen)))
        copies = sizes[group].astype(np.int64)
        answers = pa.table({"node": rows["node"], "copies": copies, "duplicate_of": duplicate_of})
        return answers.sort_by("node")

    def judge(self, documents: pa.Table, signals: pa.Table) -> Verdicts:
        """Every copy but the chosen one goes."""
        return np.asarray(pc.is_valid(signals["duplicate_of"]), np.int16)


def _numbered(table: pa.Table, start: int) -> pa.Table:
    nodes = table["row"].to_numpy().astype(np.int64) + start
    return table.drop_columns(["row"]).append_column("node", pa.array(nodes))
