"""Settings of `near_duplicates`."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, WithJsonSchema, field_validator, model_validator

from gpucurate.recipe.model import StepConfig
from gpucurate.steps.near_duplicates.curve import MOST, MOST_HASHES

SOME = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}  # the validator takes both


class Verify(StrEnum):
    """How a candidate pair is judged before it may remove anything."""

    JACCARD = "jaccard"
    SIGNATURE = "signature"
    NONE = "none"


class Keep(StrEnum):
    """Which document of a cluster is its representative; ties go to the smallest record id."""

    FIRST_ID = "first_id"
    LONGEST = "longest"
    EARLIEST = "earliest"
    NEWEST = "newest"
    QUALITY = "quality"


class NearDuplicatesConfig(StepConfig):
    """Settings of `near_duplicates`.  Defaults are FineWeb's (section 3.4: 5-word shingles, 14 bands of 8 rows)."""

    engine: Literal["native", "nemo"] = Field(
        "native",
        description="Who proposes pairs: gpucurate's own MinHash and LSH, or NeMo Curator's fuzzy deduplication (needs "
        "a GPU and the extra `nemo`). Verification and choice are the same for both.",
    )
    shingle: int = Field(5, ge=1, le=32, description="Words in a shingle.")
    bands: int = Field(14, ge=1, le=MOST, description="Bands of a signature: documents that share one are candidates.")
    rows: int = Field(
        8, ge=1, le=MOST, description="Hashes in a band; `gpucurate curve` shows what bands and rows find."
    )
    threshold: float = Field(
        0.8, gt=0, le=1, description="Least Jaccard similarity of two documents' shingle sets to be near-duplicates."
    )
    verify: Verify = Field(
        Verify.JACCARD,
        description="`jaccard` compares the shingle sets of every candidate pair exactly; `signature` trusts the share "
        "of equal hashes; `none` takes every candidate for a duplicate and merges all that are connected, as other "
        "tools do.",
    )
    scope: Literal["corpus", "source"] = Field(
        "corpus",
        description="Whether documents of different sources are compared. FineWeb (section 3.4) found deduplication of "
        "each snapshot by itself better: make each a source and choose `source`.",
    )
    keep: Keep = Field(
        Keep.FIRST_ID,
        description="Which document of a cluster stays: the smallest record id, the longest text, the earliest or the "
        "newest by its own modification time, or the best by an earlier step `quality`. Ties go to the smallest record "
        "id.",
    )
    all_pairs: int = Field(
        16,
        ge=2,
        le=1024,
        description="Buckets of at most so many documents propose all their pairs, larger ones each document with the "
        "best one only, so that a bucket of a million costs a million comparisons.",
    )
    against: Annotated[tuple[str, ...], WithJsonSchema(SOME)] = Field(
        (),
        description="Indexes (folders written by `gpucurate index`) of older corpora: their documents win against "
        "every document of this one.",
    )

    @field_validator("against", mode="before")
    @classmethod
    def _one_or_many(cls, value: object) -> object:
        folders = [value] if isinstance(value, str) else value
        if not isinstance(folders, (list, tuple)) or not all(isinstance(f, str) and f.strip() for f in folders):
            raise ValueError("expected the folder of an index, or a list of them")
        return tuple(folders)

    @model_validator(mode="after")
    def _fit_the_engine(self) -> NearDuplicatesConfig:
        if self.engine == "nemo" and (self.against or self.scope != "corpus"):
            raise ValueError("`engine: nemo` knows neither indexes (`against`) nor `scope: source`; use engine native")
        return self

    @model_validator(mode="after")
    def _fit_into_memory(self) -> NearDuplicatesConfig:
        if self.hashes > MOST_HASHES:
            raise ValueError(
                f"{self.bands} bands of {self.rows} rows are {self.hashes:,} hashes a document; at most "
                f"{MOST_HASHES:,} are kept (`gpucurate curve` shows what fewer find)"
            )
        return self

    @property
    def hashes(self) -> int:
        """Hashes in a signature."""
        return self.bands * self.rows
