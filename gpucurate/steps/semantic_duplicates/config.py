"""Settings of `semantic_duplicates`."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import Field

from gpucurate.recipe.model import StepConfig

MAX_WINDOWS = 8


class KeepSemantic(StrEnum):
    """Which of similar documents stays; ties go to the smallest record id."""

    FARTHEST = "farthest"
    NEAREST = "nearest"
    FIRST_ID = "first_id"
    LONGEST = "longest"
    EARLIEST = "earliest"
    NEWEST = "newest"
    QUALITY = "quality"


class SemanticDuplicatesConfig(StepConfig):
    """Settings of `semantic_duplicates`."""

    model: str = Field(
        min_length=1,
        description="A sentence-embedding model: a directory as sentence-transformers or transformers save it, or a "
        "name on the Hugging Face hub.",
    )
    threshold: float = Field(
        0.95,
        gt=0,
        le=1,
        description="Least cosine of two documents' vectors to be duplicates: SemDeDup's 1 − ε. What a cosine means "
        "differs by model; look at samples before trusting one.",
    )
    keep: KeepSemantic = Field(
        KeepSemantic.FARTHEST,
        description="Which of similar documents stays: the farthest from its cluster's centre (SemDeDup), the nearest, "
        "the smallest record id, the longest text, the earliest or the newest by its own modification time, or the "
        "best by an earlier step `quality`. Ties go to the smallest record id.",
    )
    clusters: int | None = Field(
        None,
        ge=1,
        description="Clusters of k-means; only documents of one cluster are compared. `null` takes the square root of "
        "the number of documents, with which clustering and comparing cost alike.",
    )
    iterations: int = Field(20, ge=1, description="Rounds of k-means at most; it stops when no document moves.")
    sample: int = Field(
        500_000,
        ge=1,
        description="Documents that k-means learns from at most (and at most 256 a cluster); all are assigned then.",
    )
    seed: int = Field(0, ge=0, description="Of the sample and of where k-means begins.")
    pooling: Literal["auto", "mean", "cls"] = Field(
        "auto", description="From tokens to one vector; `auto` as the model's own files say, else `mean`."
    )
    max_tokens: int | None = Field(
        None, ge=8, description="Tokens the model sees at a time, special ones included; `null` as its own files say."
    )
    long: Literal["mean", "truncate"] = Field(
        "mean",
        description="Longer documents: `mean` takes the mean vector of consecutive windows, so that the whole counts; "
        "`truncate` the beginning alone.",
    )
    max_windows: int = Field(
        MAX_WINDOWS, ge=1, description="Windows of a document with `long: mean`, evenly spaced where it has more."
    )
    prefix: str = Field("", description="Put before every text, for models that were trained so (E5: `passage: `).")
    precision: Literal["auto", "fp32", "bf16", "fp16", "int8"] = Field(
        "auto", description="Arithmetic of the model: `auto` is bf16 on a GPU and fp32 on a CPU."
    )

    def embedding(self) -> dict[str, object]:
        """What shapes a document's vector, but for the model itself."""
        return self.model_dump(
            mode="json", include={"pooling", "max_tokens", "long", "max_windows", "prefix", "precision"}
        )

    def measuring(self) -> dict[str, object]:
        """Without the model's place: its digest is among the step's resources."""
        return {k: v for k, v in super().measuring().items() if k != "model"}
