"""The words of a recipe and the classes behind them, imported only when a recipe uses them.

A new source or step is one line here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, TypeVar

from gpucurate.recipe.recipe import Vocabulary
from gpucurate.sources.contract import Source
from gpucurate.steps.contract import Step
from gpucurate.tokens.config import ShardsConfig, TokensConfig

SOURCES = {
    "wikipedia": "gpucurate.sources.wikipedia:Wikipedia",
    "warc": "gpucurate.sources.warc:Warc",
    "wet": "gpucurate.sources.wet:Wet",
    "jsonl": "gpucurate.sources.jsonl:Jsonl",
    "parquet": "gpucurate.sources.parquet:ParquetFiles",
    "text": "gpucurate.sources.text:TextFiles",
    "hub": "gpucurate.sources.hub:Hub",
}
STEPS = {
    "urls": "gpucurate.steps.urls:Urls",
    "page_signals": "gpucurate.steps.page_signals:PageSignals",
    "normalize": "gpucurate.steps.normalize:Normalize",
    "language": "gpucurate.steps.language:Language",
    "rules": "gpucurate.steps.rules:Rules",
    "quality": "gpucurate.steps.quality:Quality",
    "toxicity": "gpucurate.steps.toxicity:Toxicity",
    "extract_again": "gpucurate.steps.extract_again:ExtractAgain",
    "exact_duplicates": "gpucurate.steps.exact_duplicates:ExactDuplicates",
    "host_templates": "gpucurate.steps.host_templates:HostTemplates",
    "near_duplicates": "gpucurate.steps.near_duplicates:NearDuplicates",
    "semantic_duplicates": "gpucurate.steps.semantic_duplicates:SemanticDuplicates",
    "repeated_spans": "gpucurate.steps.repeated_spans:RepeatedSpans",
    "pii": "gpucurate.steps.pii:Pii",
    "decontaminate": "gpucurate.steps.decontaminate:Decontaminate",
}


def source_class(kind: str) -> type[Source[Any]]:
    """The class behind a word of `sources:`."""
    found: type[Source[Any]] = _load(SOURCES[kind])
    return found


def step_class(name: str) -> type[Step]:
    """The class behind a word of `steps:`."""
    found: type[Step] = _load(STEPS[name])
    return found


Model = TypeVar("Model")


class _Configs(Mapping[str, Model]):
    """Configuration models by word, each imported when it is looked up."""

    def __init__(self, places: Mapping[str, str]) -> None:
        self._places = places

    def __getitem__(self, word: str) -> Model:
        model: Model = _load(self._places[word]).config_type
        return model

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


VOCABULARY = Vocabulary(_Configs(SOURCES), _Configs(STEPS), TokensConfig, ShardsConfig)


def _load(place: str) -> Any:
    module, name = place.split(":")
    return getattr(import_module(module), name)
