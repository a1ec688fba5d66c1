"""Clusters of near-duplicates for a step that needs them whole, by the means and the defaults of `near_duplicates`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from gpucurate.steps.comparison import Nodes, PartDocuments, Piece, Range, Stages, Tables, key_ranges, ranges_of
from gpucurate.steps.contract import Config, CorpusStep
from gpucurate.steps.near_duplicates.candidates import candidates
from gpucurate.steps.near_duplicates.clusters import connect
from gpucurate.steps.near_duplicates.config import Keep, NearDuplicatesConfig
from gpucurate.steps.near_duplicates.order import order_table
from gpucurate.steps.near_duplicates.signing import band_table, sign
from gpucurate.steps.near_duplicates.verification import by_sets, sets_of_candidates

PAIRS_PER_RANGE = 2_000_000
NEAR = NearDuplicatesConfig.model_validate({})


class Clustering(CorpusStep[Config]):
    """Stages from texts to clusters; the methods are called by name where stages are made."""

    def clusters(self, stages: Stages) -> tuple[list[Piece], list[Piece]]:
        """One table of schema CLUSTERS, and tables of schema ORDER, a part each."""
        documents = int(stages.starts[-1])
        settings: dict[str, Any] = NEAR.measuring()
        order = stages.over_parts("order", self.rank, {})
        signed = stages.over_parts("signatures", self.sign, settings, device=True)
        bands = stages.scratch_over_pieces("bands", self.band, settings, signed, device=True)
        keys = key_ranges(NEAR.bands * documents)
        pairs = stages.over_ranges("pairs", self.propose, settings, keys, bands, order, device=True)
        ranges = ranges_of(documents, sum(piece.rows for piece in pairs), PAIRS_PER_RANGE)
        sets = stages.scratch_over_parts("sets", self.shingle_sets, settings, pairs, device=True)
        similar = stages.over_ranges("similar", self.verify, settings, ranges, pairs, sets, device=True)
        whole = [Range(0, documents)]
        return stages.over_ranges("clusters", self.connect, settings, whole, similar, device=True), order

    def rank(self, part: PartDocuments) -> pa.Table:
        """Stage `order`."""
        return order_table(part.rows, part.meta, Keep.FIRST_ID)

    def sign(self, part: PartDocuments) -> pa.Table:
        """Stage `signatures`."""
        return sign(part, self.backend, NEAR.shingle, NEAR.hashes)

    def band(self, number: int, signed: pa.Table) -> pa.Table:
        """Stage `bands`."""
        return band_table(signed, self.backend, NEAR.bands, NEAR.rows, by_source=False)

    def propose(self, keys: Range, starts: Nodes, bands: Tables, order: Tables) -> pa.Table:
        """Stage `pairs`."""
        return candidates(keys, starts, int(starts[-1]), bands, order, self.backend, NEAR.all_pairs)

    def shingle_sets(self, part: PartDocuments, pairs: Tables) -> pa.Table:
        """Stage `sets`."""
        return sets_of_candidates(part, pairs, self.backend, NEAR.shingle)

    def verify(self, nodes: Range, starts: Nodes, pairs: Tables, sets: Tables) -> pa.Table:
        """Stage `similar`."""
        return by_sets(nodes, starts, pairs, sets, self.backend)

    def connect(self, nodes: Range, starts: Nodes, similar: Sequence[pa.Table]) -> pa.Table:
        """Stage `clusters`."""
        return connect(starts, similar, self.backend, NEAR.threshold)
