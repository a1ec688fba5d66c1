"""`repeated_spans`: what occurs again, word for word, is cut from all documents but the first.

After Lee et al. 2022 (arXiv 2107.06499), who cut repeated runs of 50 tokens found in a suffix array, and C4 (Raffel et
al. 2020, section 2.2), who kept one of every three sentences that occur again.  Here windows of words are hashed,
grouped by hash, and compared; docs/repeated-spans.md says exactly what is cut.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from gpucurate.core.digests import RECORD_BYTES
from gpucurate.core.documents import RECORD_ID
from gpucurate.core.errors import UserError
from gpucurate.core.fixed_bytes import fixed_column
from gpucurate.core.reasons import Reason
from gpucurate.steps.comparison import (
    KEY_SPACE,
    Nodes,
    PartDocuments,
    Piece,
    Range,
    Stages,
    Tables,
    key_ranges,
    ranges_of,
)
from gpucurate.steps.contract import SPANS, CorpusStep, Edit, Verdicts
from gpucurate.steps.near_duplicates.config import Keep
from gpucurate.steps.near_duplicates.numbering import NODE_LIMIT
from gpucurate.steps.near_duplicates.order import order_table
from gpucurate.steps.repeated_spans.config import Mode, RepeatedSpansConfig
from gpucurate.steps.repeated_spans.cutting import cut
from gpucurate.steps.repeated_spans.groups import gone_windows, met_documents
from gpucurate.steps.repeated_spans.verification import SIGNALS, passages, spelled_documents
from gpucurate.steps.repeated_spans.windows import candidate_table, repeated_keys, sample_table, unit_table

WINDOWS_PER_RANGE = 2_000_000
FINDINGS = pa.schema(
    [
        *list(SPANS)[:3],
        pa.field("occurrences", pa.int64(), nullable=False),
        pa.field("first", RECORD_ID, nullable=False),  # the document that has the passage first
    ]
)
COMMON_SPEECH = 13  # words; runs of 13 are what GPT-3 (appendix C) took for telling rather than common


class RepeatedSpans(CorpusStep[RepeatedSpansConfig]):
    """Finds passages that occur more than once over the whole corpus, and cuts them."""

    name = "repeated_spans"
    version = 1
    config_type = RepeatedSpansConfig
    reasons = (
        Reason("repeated_spans.emptied", "nothing is left once the repeated passages are cut", "Lee et al. 2022"),
    )
    signals = SIGNALS
    edits = True

    def remarks(self) -> list[str]:
        """Passages so short that ordinary phrases are."""
        words = self.config.least_words
        if self.config.mode is not Mode.PASSAGES or words >= COMMON_SPEECH:
            return []
        return [f"runs of {words} words repeat in ordinary speech, and each is cut but once; 50 words are usual"]

    def compare(self, stages: Stages) -> list[Piece]:
        """Windows scattered from every part, gathered by key; what goes, compared and put together by document."""
        if int(stages.starts[-1]) >= NODE_LIMIT:
            raise UserError(
                f"repeated_spans compares at most {NODE_LIMIT:,} documents, these are {int(stages.starts[-1]):,}. "
                "Remedy: run parts of the corpus by themselves, or drop more documents before"
            )
        config = self.config
        what = {"mode": config.mode, "words": config.least_words}
        order = stages.over_parts("order", self.rank, {})
        windows = self._windows(stages)
        ranges = key_ranges(sum(piece.rows for piece in windows))
        keep = {**what, "boilerplate": config.boilerplate}
        gone = stages.over_ranges("gone", self.gather, keep, ranges, windows, order)
        met = stages.over_pieces("met", self.meet, {}, gone)
        spelled = stages.scratch_over_parts("spelled", self.spell, {"mode": config.mode}, met)
        nodes = ranges_of(int(stages.starts[-1]), sum(piece.rows for piece in gone), WINDOWS_PER_RANGE)
        return stages.over_ranges("passages", self.join, what, nodes, gone, spelled, order)

    def _windows(self, stages: Stages) -> list[Piece]:
        words = {"words": self.config.least_words}
        if self.config.mode is not Mode.PASSAGES:
            return stages.over_parts("windows", self.divide, {"mode": self.config.mode, **words})
        samples = stages.over_parts("samples", self.sample, words, device=True)
        ranges = key_ranges(sum(piece.rows for piece in samples))
        repeated = stages.over_ranges("repeated", self.repeat, {}, ranges, samples)
        return stages.over_parts("windows", self.select, words, samples, repeated, device=True)

    # What the stages do; called by name in the processes that make them.

    def rank(self, part: PartDocuments) -> pa.Table:
        """Stage `order`."""
        return order_table(part.rows, part.meta, Keep.FIRST_ID)

    def sample(self, part: PartDocuments) -> pa.Table:
        """Stage `samples`, for passages."""
        return sample_table(part, self.backend, self.config.least_words)

    def repeat(self, keys: Range, starts: Nodes, samples: Tables) -> pa.Table:
        """Stage `repeated`, for passages."""
        return repeated_keys(keys, samples)

    def select(self, part: PartDocuments, samples: Tables, repeated: Tables) -> pa.Table:
        """Stage `windows`, for passages."""
        return candidate_table(part, samples[part.number], repeated, self.backend, self.config.least_words)

    def divide(self, part: PartDocuments) -> pa.Table:
        """Stage `windows`, for the other modes."""
        return unit_table(part, self.config.mode, self.config.units, self.config.least_words)

    def gather(self, keys: Range, starts: Nodes, windows: Tables, order: Tables) -> pa.Table:
        """Stage `gone`."""
        return gone_windows(keys, starts, windows, order, self.config.units, self.config.boilerplate)

    def meet(self, number: int, gone: pa.Table) -> pa.Table:
        """Stage `met`."""
        return met_documents(gone)

    def spell(self, part: PartDocuments, met: Tables) -> pa.Table:
        """Stage `spelled`."""
        return spelled_documents(part, met, self.config.mode)

    def join(self, nodes: Range, starts: Nodes, gone: Tables, spelled: Tables, order: Tables) -> pa.Table:
        """Stage `passages`."""
        return passages(nodes, starts, gone, spelled, order, self.config.units)

    def edit(self, part: PartDocuments, signals: pa.Table) -> Edit:
        """Cut the passages."""
        return self._cut(part.texts(), signals["passages"].combine_chunks())

    def judge(self, documents: pa.Table, signals: pa.Table) -> Verdicts:
        """A document all of whose units are cut goes."""
        emptied = pc.equal(signals["units"], signals["repeated_units"])
        return np.asarray(pc.fill_null(emptied, False), np.int16)

    def warm(self) -> None:
        """Compile or load the kernels, by comparing two documents."""
        self.backend.prepare()
        texts = pa.array(["One two. Three.\n\n" * self.config.least_words] * 2, pa.large_string())
        ids = fixed_column(np.arange(2 * RECORD_BYTES, dtype=np.uint8).reshape(2, -1))
        starts = np.array([0, 2], np.int64)
        part = PartDocuments(0, starts, np.arange(2, dtype=np.int32), pa.table({"record_id": ids}), lambda: texts)
        order, everything = [self.rank(part)], Range(0, KEY_SPACE)
        if self.config.mode is Mode.PASSAGES:
            samples = [self.sample(part)]
            windows = self.select(part, samples, [self.repeat(everything, starts, samples)])
        else:
            windows = self.divide(part)
        gone = self.gather(everything, starts, [windows], order)
        spelled = [self.spell(part, [self.meet(0, gone)])]
        answers = self.join(Range(0, 2), starts, [gone], spelled, order)
        self._cut(texts.take(answers["node"].combine_chunks()), answers["passages"].combine_chunks())

    def _cut(self, texts: pa.Array, passages: pa.Array) -> Edit:
        return cut(texts, passages, self.config.mode, f"{self.name}.{self.config.mode}", FINDINGS)
