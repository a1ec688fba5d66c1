"""`near_duplicates`: one document of each cluster of nearly equal ones stays, and nothing goes unverified.

MinHash signatures fall into buckets, buckets propose pairs, pairs are compared exactly, and a document goes only for
one that stays and was verified with it.  Method and constants: FineWeb (arXiv 2406.17557), section 3.4; MinHash after
Broder 1997, banding after Leskovec, Rajaraman and Ullman, section 3.4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from gpucurate.core.reasons import Reason
from gpucurate.steps.comparison import (
    Group,
    Nodes,
    PartDocuments,
    Piece,
    Range,
    Scratch,
    Stages,
    Tables,
    key_ranges,
    ranges_of,
)
from gpucurate.steps.contract import CorpusStep, Verdicts
from gpucurate.steps.near_duplicates.by_nemo import group_pairs, group_table, text_table
from gpucurate.steps.near_duplicates.candidates import candidates
from gpucurate.steps.near_duplicates.choice import SIGNALS, choose
from gpucurate.steps.near_duplicates.clusters import connect, unmet
from gpucurate.steps.near_duplicates.config import Keep, NearDuplicatesConfig, Verify
from gpucurate.steps.near_duplicates.curve import middle, probability, suggest
from gpucurate.steps.near_duplicates.index import Index, IndexSettings, open_indexes
from gpucurate.steps.near_duplicates.numbering import extend
from gpucurate.steps.near_duplicates.order import order_table
from gpucurate.steps.near_duplicates.signing import band_table, sign
from gpucurate.steps.near_duplicates.verification import by_sets, by_signatures, sets_of_candidates, trusted

PAIRS_PER_RANGE = 2_000_000
USEFUL_RECALL = 0.5  # below it the settings are hardly meant, and the user is told
BETTER_RECALL = 0.9  # of the settings that are suggested then


class NearDuplicates(CorpusStep[NearDuplicatesConfig]):
    """Finds documents with nearly the same words over the whole corpus, and in indexes of older ones."""

    name = "near_duplicates"
    version = 1
    config_type = NearDuplicatesConfig
    reasons = (
        Reason(
            "near_duplicates.copy",
            "another document has nearly the same words, was verified, and was chosen to stay",
            "FineWeb, section 3.4",
        ),
        Reason("near_duplicates.indexed", "a document of an older corpus has nearly the same words and was verified"),
    )
    signals = SIGNALS

    def resources(self) -> Mapping[str, str]:
        """Digests of the indexes; raises InputError or UserError for one that does not fit."""
        return {f"index {number}": index.digest for number, index in enumerate(self.indexes)}

    @property
    def wants_rating(self) -> bool:
        """For `keep: quality`."""
        return self.config.keep is Keep.QUALITY

    def remarks(self) -> list[str]:
        """Bands and rows that cannot find what the threshold asks for; the usual cause is that they were swapped."""
        config = self.config
        found = float(probability(config.threshold, config.bands, config.rows))
        if config.engine == "nemo" or found >= USEFUL_RECALL:
            return []
        better = suggest(config.threshold, config.hashes, recall=BETTER_RECALL, most=1)
        swapped = float(probability(config.threshold, config.rows, config.bands))
        hint = ""
        if swapped > USEFUL_RECALL:
            hint += f"; {config.rows} bands of {config.bands} rows would find {swapped:.0%}"
        if better:
            hint += f"; {better[0].bands} bands of {better[0].rows} find {better[0].recall:.0%}"
        return [
            f"{config.bands} bands of {config.rows} rows find only {found:.0%} of the pairs at the threshold "
            f"{config.threshold:g} (every second pair at {middle(config.bands, config.rows):.2f}){hint}"
        ]

    def compare(self, stages: Stages) -> list[Piece]:
        """Signatures, buckets, verified pairs, clusters, choice."""
        config = self.config
        order = stages.over_parts("order", self.rank, {"keep": config.keep}, rated=self.wants_rating)
        signed = self._sign(stages)
        pairs = (
            self._propose_by_nemo(stages, order) if config.engine == "nemo" else self._propose(stages, signed, order)
        )
        similar = self._verify(stages, "similar", pairs, pairs, signed)
        threshold = {"threshold": config.threshold, **self.resources()}
        whole = [Range(0, int(self._all(stages.starts)[-1]))]
        clusters = stages.over_ranges("clusters", self.connect, threshold, whole, similar, device=True)
        ranges = ranges_of(whole[0].high, sum(piece.rows for piece in similar), PAIRS_PER_RANGE)
        unmet = stages.over_ranges("unmet", self.unmet, threshold, ranges, clusters, similar, order)
        met = self._verify(stages, "met", unmet, pairs, signed)
        return stages.over_ranges("choice", self.choose, threshold, ranges, clusters, [*similar, *met], order)

    def judge(self, documents: pa.Table, signals: pa.Table) -> Verdicts:
        """Every document with another one to stand for it goes."""
        gone = np.asarray(pc.is_valid(signals["duplicate_of"]), np.int16)
        return gone + np.asarray(pc.fill_null(signals["indexed"], False), np.int16)

    def warm(self) -> None:
        """See `CorpusStep.warm`."""
        self.backend.prepare()

    def _sign(self, stages: Stages) -> list[Piece]:
        config = self.config
        if config.engine == "nemo" and config.verify is not Verify.SIGNATURE:
            return []
        settings = {"shingle": config.shingle, "hashes": config.hashes}
        return stages.over_parts("signatures", self.sign, settings, device=True)

    def _propose(self, stages: Stages, signed: Sequence[Piece], order: Sequence[Piece]) -> list[Piece]:
        """Pairs that share a bucket of some band."""
        config = self.config
        banding = {"bands": config.bands, "rows": config.rows, "scope": config.scope}
        bands = stages.scratch_over_pieces("bands", self.band, banding, signed, device=True)
        ranges = key_ranges(config.bands * int(self._all(stages.starts)[-1]))
        settings = {"all_pairs": config.all_pairs, **self.resources()}
        return stages.over_ranges("pairs", self.propose, settings, ranges, bands, order, device=True)

    def _propose_by_nemo(self, stages: Stages, order: Sequence[Piece]) -> list[Piece]:
        """Pairs within NeMo Curator's groups."""
        config = self.config
        whole = [Range(0, int(stages.starts[-1]))]
        texts = stages.scratch_over_parts("texts", self.texts, {})
        settings = {"bands": config.bands, "rows": config.rows}
        groups = stages.over_ranges("groups", self.group, settings, whole, texts, device=True)
        return stages.over_ranges(
            "pairs", self.pair, {"all_pairs": config.all_pairs, "engine": "nemo"}, whole, groups, order, device=True
        )

    def _verify(
        self, stages: Stages, name: str, pairs: Sequence[Piece], candidates: Sequence[Piece], signed: Sequence[Piece]
    ) -> list[Piece]:
        """Similarities of `pairs`, whose documents are all among the candidates'."""
        config = self.config
        ranges = ranges_of(int(stages.starts[-1]), sum(piece.rows for piece in pairs), PAIRS_PER_RANGE)
        material: Group = signed
        if config.verify is Verify.JACCARD:
            material = self._sets(stages, candidates)
        elif config.verify is Verify.NONE:
            material = []
        settings = {"verify": config.verify, **self.resources()}
        return stages.over_ranges(name, self.verify, settings, ranges, pairs, material, device=True)

    def _sets(self, stages: Stages, candidates: Sequence[Piece]) -> Scratch:
        settings = {"shingle": self.config.shingle}
        return stages.scratch_over_parts("sets", self.shingle_sets, settings, candidates, device=True)

    # What the stages do; called by name in the processes that make them.

    def rank(self, part: PartDocuments) -> pa.Table:
        """Stage `order`."""
        return order_table(part.rows, part.meta, self.config.keep)

    def sign(self, part: PartDocuments) -> pa.Table:
        """Stage `signatures`."""
        return sign(part, self.backend, self.config.shingle, self.config.hashes)

    def band(self, number: int, signed: pa.Table) -> pa.Table:
        """Stage `bands`."""
        config = self.config
        return band_table(signed, self.backend, config.bands, config.rows, config.scope == "source")

    def propose(self, keys: Range, starts: Nodes, bands: Tables, order: Tables) -> pa.Table:
        """Stage `pairs`."""
        bands = [*bands, *(table for index in self.indexes for table in index.bands)]
        own = int(starts[-1])
        return candidates(keys, self._all(starts), own, bands, self._orders(order), self.backend, self.config.all_pairs)

    def texts(self, part: PartDocuments) -> pa.Table:
        """Stage `texts`, for `engine: nemo`."""
        return text_table(part)

    def group(self, nodes: Range, starts: Nodes, texts: Tables) -> pa.Table:
        """Stage `groups`, for `engine: nemo`."""
        return group_table(starts, texts, self.config.bands, self.config.rows)

    def pair(self, nodes: Range, starts: Nodes, groups: Tables, order: Tables) -> pa.Table:
        """Stage `pairs`, for `engine: nemo`."""
        return group_pairs(starts, groups[0], order, self.backend, self.config.all_pairs)

    def shingle_sets(self, part: PartDocuments, pairs: Tables) -> pa.Table:
        """Stage `sets`."""
        return sets_of_candidates(part, pairs, self.backend, self.config.shingle)

    def verify(self, nodes: Range, starts: Nodes, pairs: Tables, material: Tables) -> pa.Table:
        """Stages `similar` and `met`."""
        if self.config.verify is Verify.NONE:
            return trusted(nodes, pairs)
        every = self._all(starts)
        if self.config.verify is Verify.SIGNATURE:
            signed = [*material, *(table for index in self.indexes for table in index.documents)]
            return by_signatures(nodes, every, pairs, signed)
        sets = [*material, *(table for index in self.indexes for table in index.sets)]
        return by_sets(nodes, every, pairs, sets, self.backend)

    def connect(self, nodes: Range, starts: Nodes, similar: Tables) -> pa.Table:
        """Stage `clusters`."""
        return connect(self._all(starts), similar, self.backend, self.config.threshold)

    def unmet(self, roots: Range, starts: Nodes, clusters: Tables, similar: Tables, order: Tables) -> pa.Table:
        """Stage `unmet`."""
        return unmet(roots, self._all(starts), int(starts[-1]), clusters[0], similar, self._orders(order))

    def choose(self, roots: Range, starts: Nodes, clusters: Tables, similar: Tables, order: Tables) -> pa.Table:
        """Stage `choice`."""
        orders = self._orders(order)
        own = int(starts[-1])
        return choose(roots, self._all(starts), own, clusters[0], similar, orders, self.config.threshold)

    @cached_property
    def indexes(self) -> list[Index]:
        """The older corpora, opened; raises InputError or UserError for one that does not fit."""
        config = self.config
        wanted = IndexSettings(config.shingle, config.bands, config.rows, config.scope)
        return open_indexes(config.against, wanted, config.verify is Verify.JACCARD)

    def _all(self, starts: Nodes) -> Nodes:
        """Starts of the corpus and of the indexes behind it."""
        return extend(starts, [rows for index in self.indexes for rows in index.chunks])

    def _orders(self, order: Tables) -> list[pa.Table]:
        return [*order, *(table for index in self.indexes for table in index.orders)]
