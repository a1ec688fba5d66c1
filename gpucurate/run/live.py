"""A recipe come alive in one process: its sources and steps built, its device chosen.

Tasks carry only plain data between processes; each process builds this once a run and keeps it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any
from uuid import uuid4

from gpucurate.core.digests import canonical_json
from gpucurate.core.errors import RecipeError
from gpucurate.device import Backend, pick
from gpucurate.recipe.load import parse_recipe
from gpucurate.recipe.recipe import Recipe, StepEntry
from gpucurate.run.vocabulary import VOCABULARY, source_class, step_class
from gpucurate.sources.contract import Source
from gpucurate.steps.contract import CorpusStep, ReextractingStep, Step, UriStep
from gpucurate.store.directory import OutputDirectory
from gpucurate.tokens.config import ShardsConfig, TokensConfig


@dataclass(frozen=True, slots=True)
class RunContext:
    """What every task needs to know, as plain data: where, which recipe, which device."""

    root: str
    recipe: str  # canonical JSON of Recipe.as_data()
    device: str
    resources: str = "{}"  # of a finished run, as JSON: digests of models and word lists, by step's label and name
    started: str = ""  # another one each time: a process that serves several runs reads changed files anew

    @classmethod
    def of(cls, directory: OutputDirectory, recipe: Recipe, device: str) -> RunContext:
        """Context of a run."""
        return cls(str(directory.root.absolute()), canonical_json(recipe.as_data()), device, started=uuid4().hex)

    @property
    def directory(self) -> OutputDirectory:
        """The output directory."""
        return OutputDirectory(Path(self.root))

    @property
    def live(self) -> LiveRecipe:
        """The recipe in this process."""
        return _live(self.recipe, self.device, self.resources, self.started)


@dataclass(frozen=True, slots=True)
class LiveStep:
    """A step of the recipe, built."""

    label: str
    entry: StepEntry
    step: Step
    recorded: Mapping[str, str] | None = None  # resources of a finished run, whose files need not be there any more

    def resources(self) -> dict[str, str]:
        """Digests that are part of task keys: as a finished run recorded them, else of the files as they are."""
        return dict(self.step.resources() if self.recorded is None else self.recorded)

    @property
    def corpus(self) -> bool:
        """True for corpus-scope steps."""
        return isinstance(self.step, CorpusStep)


@dataclass(frozen=True, slots=True)
class LiveRecipe:
    """Sources by name and steps in order."""

    recipe: Recipe
    backend: Backend
    sources: dict[str, Source[Any]]
    steps: tuple[LiveStep, ...]

    @property
    def tokens(self) -> TokensConfig | None:
        """The `tokens` block."""
        assert self.recipe.tokens is None or isinstance(self.recipe.tokens, TokensConfig)
        return self.recipe.tokens

    @property
    def shards(self) -> ShardsConfig | None:
        """The `shards` block."""
        assert self.recipe.shards is None or isinstance(self.recipe.shards, ShardsConfig)
        return self.recipe.shards

    def uri_steps(self) -> list[UriStep[Any]]:
        """The first steps of the recipe, as far as they judge by URI alone."""
        leading: list[UriStep[Any]] = []
        for live in self.steps:
            if not isinstance(live.step, UriStep):
                break
            leading.append(live.step)
        return leading


@lru_cache(maxsize=4)
def _live(recipe_json: str, device: str, resources: str, started: str) -> LiveRecipe:
    recipe = parse_recipe(json.loads(recipe_json), VOCABULARY)
    backend = pick(device)
    recorded = json.loads(resources)
    steps = tuple(
        LiveStep(e.label, e, step_class(e.name)(e.config, backend), recorded.get(e.label)) for e in recipe.steps
    )
    sources = {s.name: source_class(s.kind)(s.name, s.config) for s in recipe.sources}
    live = LiveRecipe(recipe, backend, sources, steps)
    _check_second_extraction(live)
    _check_ratings(live)
    leading = live.uri_steps()
    if leading:
        for source in sources.values():
            source.skip_uri = lambda uri: any(step.blocks(uri) for step in leading)
    return live


def _check_ratings(live: LiveRecipe) -> None:
    """A step that chooses by quality needs one before it that says what quality is."""
    rated = False
    for each in live.steps:
        if isinstance(each.step, CorpusStep):
            if each.step.wants_rating and not rated:
                raise RecipeError(
                    f"step {each.label!r} chooses by quality, but no step before it measures any; "
                    "remedy: put the step quality before it, or choose another `keep`"
                )
        else:
            rated = rated or each.step.rating is not None


def _check_second_extraction(live: LiveRecipe) -> None:
    """A source that is extracted fast needs the step that extracts again, and that step a source that can."""
    again = any(isinstance(s.step, ReextractingStep) for s in live.steps)
    for name, source in live.sources.items():
        if source.wants_second_extraction and not again:
            raise RecipeError(
                f"source {name!r} ({source.kind}) extracts fast text only and wants its survivors extracted again; "
                "remedy: add the step extract_again after the steps that decide, or choose another engine"
            )
        if again and type(source).reextract is Source.reextract:
            raise RecipeError(
                f"source {name!r} ({source.kind}) cannot be extracted a second time; "
                "remedy: take the step extract_again out, or use it with warc sources only"
            )
