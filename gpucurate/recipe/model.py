"""Base classes of every configuration block: frozen, no unknown keys, every field described.

A field's description ends up in the recipe reference and in the JSON Schema, so it is written for users.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema, field_validator


class Block(BaseModel):
    """Any mapping in a recipe."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True, allow_inf_nan=False)


ONE_OR_MANY = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]}
Paths = Annotated[tuple[str, ...], WithJsonSchema(ONE_OR_MANY)]  # the validator below takes a bare string too


class SourceConfig(Block):
    """What every source takes."""

    path: Paths = Field(description="File, directory, glob or fsspec URL (s3://, gs://, https://), or a list of them.")
    license: str | None = Field(None, description="SPDX licence identifier of the content, if the user knows it.")
    retrieved: datetime | None = Field(None, description="When the files were fetched from their origin (ISO 8601).")

    @field_validator("path", mode="before")
    @classmethod
    def _one_or_many(cls, value: object) -> object:
        paths = [value] if isinstance(value, str) else value
        if (
            not isinstance(paths, (list, tuple))
            or not paths
            or not all(isinstance(p, str) and p.strip() for p in paths)
        ):
            raise ValueError("expected a path or a list of paths")
        return tuple(paths)


class StepConfig(Block):
    """What every step takes.

    `judging` names the fields that only turn signals into decisions.  They stay out of the task key, so that a
    changed threshold re-judges without measuring again.
    """

    judging: ClassVar[frozenset[str]] = frozenset()
    on: Literal["all", "survivors"] = Field(
        "all",
        description="Which documents are measured: `all` lets the funnel answer what-if questions, `survivors` saves "
        "time where measuring is expensive.",
    )

    def measuring(self) -> dict[str, object]:
        """The settings that shape the signals, in plain JSON types: part of the task key."""
        return {k: v for k, v in self.model_dump(mode="json").items() if k not in self.judging}
