"""`semantic_duplicates`: of documents that say nearly the same in other words, one stays.

SemDeDup (Abbas et al. 2023, arXiv 2303.09540): sentence vectors, k-means, and within a cluster a document goes if its
cosine with another one reaches a threshold.  Only documents that stay remove others.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from gpucurate.core.reasons import Reason
from gpucurate.steps.comparison import Nodes, PartDocuments, Piece, Range, Stages, Tables, ranges_of
from gpucurate.steps.contract import CorpusStep, Verdicts
from gpucurate.steps.near_duplicates.config import Keep
from gpucurate.steps.near_duplicates.order import order_table
from gpucurate.steps.semantic_duplicates.answers import ASSIGNED, SIGNALS, answer
from gpucurate.steps.semantic_duplicates.centres import (
    SAMPLE_A_CLUSTER,
    assign,
    blocks,
    cluster_count,
    find_centres,
    sample_of,
)
from gpucurate.steps.semantic_duplicates.choice import decide
from gpucurate.steps.semantic_duplicates.config import KeepSemantic, SemanticDuplicatesConfig
from gpucurate.steps.semantic_duplicates.encoder import encoder_digest, open_encoder
from gpucurate.steps.semantic_duplicates.fixed_point import Products, as_column, from_column, rowwise, squares, to_fixed

ROWS_PER_RANGE = 100_000  # documents of the clusters that one task compares: 77 MB of vectors of 384 dimensions
BY_CENTRE = (KeepSemantic.FARTHEST, KeepSemantic.NEAREST)


class SemanticDuplicates(CorpusStep[SemanticDuplicatesConfig]):
    """Finds documents with nearly the same meaning, as an embedding model sees it, over the whole corpus."""

    name = "semantic_duplicates"
    version = 1
    config_type = SemanticDuplicatesConfig
    reasons = (
        Reason("semantic_duplicates.copy", "a document that stays means nearly the same", "SemDeDup, section 3"),
    )
    signals = SIGNALS

    def resources(self) -> Mapping[str, str]:
        """Digest of the model.  Raises InputError where it is missing."""
        return {"model": encoder_digest(self.config)}

    @property
    def wants_rating(self) -> bool:
        """For `keep: quality`."""
        return self.config.keep is KeepSemantic.QUALITY

    def compare(self, stages: Stages) -> list[Piece]:
        """Vectors, centres, clusters, choice."""
        config = self.config
        embedded = stages.over_parts("vectors", self.embed, {**self.resources(), **config.embedding()}, device=True)
        whole = [Range(0, int(stages.starts[-1]))]
        settings = config.model_dump(include={"clusters", "iterations", "sample", "seed"})
        centres = stages.over_ranges("centres", self.centres, settings, whole, embedded, device=True)
        assigned = stages.over_parts("assigned", self.assign, {}, embedded, centres, device=True)
        order: list[Piece] = []
        if config.keep not in BY_CENTRE:
            order = stages.over_parts("order", self.rank, {"keep": config.keep}, rated=self.wants_rating)
        ranges = ranges_of(centres[0].rows, sum(piece.rows for piece in embedded), ROWS_PER_RANGE)
        choosing = {"keep": config.keep, "threshold": config.threshold}
        return stages.over_ranges("choice", self.choose, choosing, ranges, embedded, assigned, order, device=True)

    def judge(self, documents: pa.Table, signals: pa.Table) -> Verdicts:
        """Every document with another one to stand for it goes."""
        return np.asarray(pc.is_valid(signals["duplicate_of"]), np.int16)

    def warm(self) -> None:
        """Open the model, so that one that does not fit is said before anything slow begins."""
        on_gpu = self.backend.name == "cuda"
        fits = self.config.precision != ("int8" if on_gpu else "fp16")  # the workers may have the device
        chosen = self.config if fits else self.config.model_copy(update={"precision": "auto"})
        open_encoder(chosen, self.backend.name)
        decide(np.ones((2, 1), np.int16), self.config.threshold, Products("cpu"))

    # What the stages do; called by name in the processes that make them.

    def embed(self, part: PartDocuments) -> pa.Table:
        """Stage `vectors`: row, record id and vector of every document with a visible character."""
        texts = part.texts().to_pylist()
        asked = np.flatnonzero([bool(text.strip()) for text in texts])
        uris = part.meta["uri"].take(pa.array(asked)).to_pylist()
        found = open_encoder(self.config, self.backend.name).embed([texts[n] for n in asked], uris.__getitem__)
        ids = part.meta["record_id"].combine_chunks().take(pa.array(asked))
        columns = {"row": pa.array(part.rows[asked]), "record_id": ids, "vector": as_column(to_fixed(found))}
        return pa.table(columns)

    def centres(self, nodes: Range, starts: Nodes, embedded: Tables) -> pa.Table:
        """Stage `centres`."""
        config = self.config
        rows = sum(embedded[number].num_rows for number in range(len(embedded)))
        count = cluster_count(rows, config.clusters)
        sample = sample_of(embedded, min(SAMPLE_A_CLUSTER * count, max(config.sample, count)), config.seed)
        return pa.table({"vector": as_column(find_centres(sample, count, config.iterations, self._products()))})

    def assign(self, part: PartDocuments, embedded: Tables, centres: Tables) -> pa.Table:
        """Stage `assigned`: the clusters of a part's documents, sorted by cluster."""
        own = embedded[part.number]
        if not own.num_rows:
            return ASSIGNED.empty_table()
        vectors, middles = from_column(own["vector"]), from_column(centres[0]["vector"])
        products = self._products()
        cluster = assign(vectors, middles, products)
        cosine = np.zeros(len(cluster))
        for block in blocks(len(cluster), vectors.shape[1]):
            here, middle = vectors[block], middles[cluster[block]]
            cosine[block] = rowwise(here, middle) / np.maximum(np.sqrt(squares(here) * squares(middle)), 1)
        order = np.argsort(cluster, kind="stable")
        nodes = int(part.starts[part.number]) + own["row"].to_numpy().astype(np.int64)
        columns = [cluster[order], order, nodes[order], cosine[order]]
        return pa.table([pa.array(each) for each in columns], schema=ASSIGNED)

    def rank(self, part: PartDocuments) -> pa.Table:
        """Stage `order`, for policies that do not ask for the centre."""
        return order_table(part.rows, part.meta, Keep(self.config.keep.value))

    def choose(self, clusters: Range, starts: Nodes, embedded: Tables, assigned: Tables, order: Tables) -> pa.Table:
        """Stage `choice`."""
        config = self.config
        return answer(clusters, embedded, assigned, order, config.keep, config.threshold, self._products())

    def _products(self) -> Products:
        return Products(self.backend.name)
