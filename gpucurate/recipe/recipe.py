"""The recipe as a value: what the YAML said, checked and frozen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gpucurate.recipe.model import Block, SourceConfig, StepConfig


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words a recipe may use and the configuration model behind each; made by the room that knows them all."""

    sources: Mapping[str, type[SourceConfig]]
    steps: Mapping[str, type[StepConfig]]
    tokens: type[Block]
    shards: type[Block]


@dataclass(frozen=True, slots=True)
class SourceEntry:
    """One item of `sources:`; `name` is the user's, `kind` a word of the vocabulary."""

    name: str
    kind: str
    config: SourceConfig


@dataclass(frozen=True, slots=True)
class StepEntry:
    """One item of `steps:`; `label` is the step's name, numbered from the second use on (`normalize.2`)."""

    label: str
    name: str
    config: StepConfig


@dataclass(frozen=True, slots=True)
class Recipe:
    """A whole recipe.  `tokens` and `shards` are None where the recipe stops at curated documents."""

    name: str
    sources: tuple[SourceEntry, ...]
    steps: tuple[StepEntry, ...]
    tokens: Block | None
    shards: Block | None

    def as_data(self) -> dict[str, object]:
        """The recipe as plain data with every default spelled out; loading it again gives an equal recipe."""
        data: dict[str, object] = {
            "name": self.name,
            "sources": [{"name": s.name, s.kind: s.config.model_dump(mode="json")} for s in self.sources],
            "steps": [{s.name: s.config.model_dump(mode="json")} for s in self.steps],
        }
        for key, block in (("tokens", self.tokens), ("shards", self.shards)):
            if block is not None:
                data[key] = block.model_dump(mode="json")
        return data
