"""`decontaminate`: no document goes on that holds an item of a protected benchmark, or of what is held out.

Every item is a set of grams; a document holds it if it has a stated share of them (evaluation-side containment, so that
the length of the document does not matter).  Common speech is counted on the corpus itself and does not count.  Lengths
of grams, the limit of common ones and the margin are GPT-3's (Brown et al. 2020, appendix C).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from gpucurate.core.reasons import Reason
from gpucurate.steps.comparison import Nodes, PartDocuments, Piece, Range, Stages, Tables
from gpucurate.steps.contract import Edit, Verdicts
from gpucurate.steps.decontaminate.common import common_grams, counts
from gpucurate.steps.decontaminate.config import Action, DecontaminateConfig
from gpucurate.steps.decontaminate.held_out import held_grams, held_table, kin_table, rows_of
from gpucurate.steps.decontaminate.items import ITEMS, Collection, Protected
from gpucurate.steps.decontaminate.kin import Clustering
from gpucurate.steps.decontaminate.matching import matches
from gpucurate.steps.decontaminate.records import check_items, item_texts
from gpucurate.steps.decontaminate.registry import HELD_OUT, Registered, check_frozen, open_registry
from gpucurate.steps.decontaminate.verdicts import SIGNALS, decide, edit_of


class Decontaminate(Clustering[DecontaminateConfig]):
    """Finds items of benchmarks in documents, and documents of a held-out share in all others."""

    name = "decontaminate"
    version = 1
    config_type = DecontaminateConfig
    reasons = (
        Reason("decontaminate.held_out", "held out of the corpus, to measure with"),
        Reason("decontaminate.item", "holds an item of a protected benchmark", "GPT-3, appendix C"),
        Reason("decontaminate.near_held_out", "holds much of a document that is held out"),
        Reason("decontaminate.emptied", "nothing is left once a benchmark's item is removed"),
    )
    signals = SIGNALS
    edits = True

    def resources(self) -> Mapping[str, str]:
        """Digests of the benchmarks; raises UserError or InputError for a file that is not what was frozen."""
        return {f"benchmark {each.benchmark.name}": each.identity for each in self.registry}

    def compare(self, stages: Stages) -> list[Piece]:
        """What is held out, what is protected, which documents match, what is common, and verdicts."""
        config = self.config
        whole = [Range(0, int(stages.starts[-1]))]
        rule = {name: getattr(config, name) for name in ("n", "short_n", "threshold", "short_threshold")}
        protecting = {**rule, **self.resources()}
        held = self._hold_out(stages, rule)
        stages.over_ranges("items", self.list_items, protecting, whole)
        matched = stages.over_parts("matches", self.match, protecting, held, device=True)
        counted = stages.over_parts("counts", self.count, protecting, matched, held)
        common = stages.over_ranges("common", self.sum_up, {"common": config.common}, whole, counted)
        settings = {**protecting, "verdict": config.verdict, "margin": config.margin}
        return stages.over_parts("verdicts", self.decide, settings, matched, common, held, device=True)

    def _hold_out(self, stages: Stages, rule: Mapping[str, object]) -> list[Piece]:
        holdout = self.config.holdout
        if holdout is None:
            return []
        clusters, order = self.clusters(stages)
        whole = [Range(0, int(stages.starts[-1]))]
        kin = stages.over_ranges("kin", self.relate, {}, whole, clusters, order)
        settings = {**rule, "share": holdout.share, "seed": holdout.seed}
        return stages.over_parts("held_out", self.hold_out, settings, kin)

    def judge(self, documents: pa.Table, signals: pa.Table) -> Verdicts:
        """Held-out documents, those that hold an item, and those of which nothing is left."""
        dropped = np.asarray(pc.fill_null(pc.equal(signals["action"], Action.DROP.value), False))
        of_corpus = np.asarray(pc.fill_null(pc.equal(signals["benchmark"], HELD_OUT), False))
        emptied = np.asarray(pc.fill_null(signals["emptied"], False))
        verdicts = np.select([dropped & of_corpus, dropped, emptied], [3, 2, 4], 0)
        return np.where(np.asarray(pc.fill_null(signals["held_out"], False)), 1, verdicts).astype(np.int16)

    def edit(self, part: PartDocuments, signals: pa.Table) -> Edit:
        """See `CorpusStep.edit`: the cuts of `verdict: remove`, and everything that was found."""
        return edit_of(part, signals)

    def warm(self) -> None:
        """See `CorpusStep.warm`; a benchmark that cannot be read is said now, not after hours of other steps."""
        for each in self.registry:
            check_items(each)
        self.backend.prepare()

    @cached_property
    def registry(self) -> list[Registered]:
        """The benchmarks, every file checked against its digest."""
        found = open_registry(self.config.registry, self.config.folder)
        for each in found:
            check_frozen(each)
        return found

    @cached_property
    def _collection(self) -> Collection:
        collection = Collection(self.config, self.backend)
        for each in self.registry:
            collection.add_benchmark(each.benchmark, item_texts(each))
        return collection

    def protected(self, held: Sequence[pa.Table]) -> Protected:
        """Items of the benchmarks and documents held out."""
        if not len(held):
            return self._items
        collection = self._collection.copy()
        collection.add_held_out(*held_grams(held))
        return collection.protected()

    @cached_property
    def _items(self) -> Protected:
        return self._collection.protected()

    # What the stages do; called by name in the processes that make them.

    def relate(self, nodes: Range, starts: Nodes, clusters: Tables, order: Tables) -> pa.Table:
        """Stage `kin`."""
        return kin_table(starts, clusters[0], order)

    def hold_out(self, part: PartDocuments, kin: Tables) -> pa.Table:
        """Stage `held_out`."""
        assert self.config.holdout is not None
        return held_table(part, kin[0], self.config, self.config.holdout, self.backend)

    def list_items(self, nodes: Range, starts: Nodes) -> pa.Table:
        """Stage `items`: what the registry holds, for the report."""
        columns = zip(*self._collection.rows, strict=True) if self._collection.rows else [()] * len(ITEMS)
        return pa.table([pa.array(list(each), field.type) for each, field in zip(columns, ITEMS, strict=True)], ITEMS)

    def match(self, part: PartDocuments, held: Tables) -> pa.Table:
        """Stage `matches`."""
        return matches(part, self.protected(held), self.backend)

    def count(self, part: PartDocuments, matched: Tables, held: Tables) -> pa.Table:
        """Stage `counts`."""
        return counts(matched[part.number], self.protected(held))

    def sum_up(self, nodes: Range, starts: Nodes, counted: Tables) -> pa.Table:
        """Stage `common`."""
        return common_grams(counted, self.config.common)

    def decide(self, part: PartDocuments, matched: Tables, common: Tables, held: Tables) -> pa.Table:
        """Stage `verdicts`."""
        mine = rows_of(held[part.number]) if len(held) else np.zeros(0, np.int64)
        protected = self.protected(held)
        return decide(part, matched[part.number], common[0], mine, protected, self.config.margin, self.backend)
