"""Settings of `decontaminate`."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field, WithJsonSchema, field_validator, model_validator

from gpucurate.device.grams import LONGEST
from gpucurate.recipe.model import Block, StepConfig

SOME = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}  # the validator takes both


class Action(StrEnum):
    """What becomes of a document that holds an item."""

    FLAG = "flag"
    REMOVE = "remove"
    DROP = "drop"


class Holdout(Block):
    """A share of the corpus that is kept from training, to measure it with."""

    share: float = Field(0.01, gt=0, lt=1, description="Share of the clusters of near-duplicates that is held out.")
    seed: int = Field(0, ge=0, description="Another seed holds out other documents.")


class DecontaminateConfig(StepConfig):
    """Settings of `decontaminate`.  Lengths of grams are GPT-3's (appendix C: 8 to 13 words by data set)."""

    registry: Annotated[tuple[str, ...], WithJsonSchema(SOME)] = Field(
        (), description="Registry files (YAML, a benchmark each), or folders of them; docs/decontaminate.md."
    )
    folder: str | None = Field(
        None, description="Where the registry's relative paths begin; by default the folder of each registry file."
    )
    n: int = Field(13, ge=2, le=LONGEST, description="Words in a gram, for items of at least twice as many words.")
    threshold: float = Field(
        0.25, gt=0, le=1, description="Share of an item's grams that a document must hold to hold the item."
    )
    short_n: int = Field(
        8, ge=2, le=LONGEST, description="Words in a gram, for shorter items; those shorter than this one only flag."
    )
    short_threshold: float = Field(0.75, gt=0, le=1, description="The same share for shorter items.")
    common: int = Field(
        10,
        ge=0,
        description="A gram in more documents than this that hold little else of its item is common speech and counts "
        "for nothing (GPT-3, appendix C: 10).",
    )
    verdict: Action = Field(
        Action.DROP,
        description="What becomes of a document that holds an item: `drop` it, `remove` the item's words with a "
        "margin, or only `flag` it. A benchmark's own `verdict` in its registry file wins.",
    )
    margin: int = Field(
        35, ge=0, description="Words removed on both sides with `remove` (GPT-3, appendix C: 200 characters)."
    )
    holdout: Holdout | None = Field(
        None, description="Hold a share of the corpus out first, by cluster of near-duplicates, and protect it too."
    )

    @field_validator("registry", mode="before")
    @classmethod
    def _one_or_many(cls, value: object) -> object:
        paths = [value] if isinstance(value, str) else value
        if not isinstance(paths, (list, tuple)) or not all(isinstance(p, str) and p.strip() for p in paths):
            raise ValueError("expected a registry file, or a list of them")
        return tuple(paths)

    @model_validator(mode="after")
    def _protects_something(self) -> DecontaminateConfig:
        if not self.registry and self.holdout is None:
            raise ValueError("nothing to protect: name registry files in `registry`, or a share in `holdout`")
        if self.short_n > self.n:
            raise ValueError(f"short_n ({self.short_n}) is for items too short for n ({self.n}); it cannot be larger")
        return self

    def measuring(self) -> dict[str, object]:
        """Without the benchmarks' places: their digests are among the step's resources."""
        return {k: v for k, v in super().measuring().items() if k not in ("registry", "folder")}
