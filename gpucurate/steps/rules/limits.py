"""Thresholds of rule sets: what kinds of number they are, and that the least is not above the largest."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from gpucurate.recipe.model import Block

Count = Annotated[int, Field(ge=0)]
Ratio = Annotated[float, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]


class Limits(Block):
    """Base of rule sets; a field `min_x` goes with `max_x`."""

    @model_validator(mode="after")
    def _least_not_above_largest(self) -> Limits:
        for name in type(self).model_fields:
            least, largest = getattr(self, name), getattr(self, name.replace("min_", "max_", 1), None)
            if name.startswith("min_") and least is not None and largest is not None and least > largest:
                raise ValueError(f"{name} ({least}) is above {name.replace('min_', 'max_', 1)} ({largest})")
        return self
