from __future__ import annotations

from pathlib import Path

import pytest

from gpucurate.core.errors import RecipeError
from gpucurate.recipe.load import parse_recipe
from gpucurate.run.live import RunContext
from gpucurate.run.vocabulary import VOCABULARY
from gpucurate.store.directory import OutputDirectory


def live(source: dict[str, object], *steps: str) -> None:
    recipe = parse_recipe({"name": "r", "sources": [source], "steps": list(steps)}, VOCABULARY)
    _ = RunContext.of(OutputDirectory(Path("out")), recipe, "cpu").live


def test_cascade_wants_the_step_that_extracts_again() -> None:
    live({"warc": {"path": "a", "engine": "cascade"}}, "extract_again")
    with pytest.raises(RecipeError, match="add the step extract_again"):
        live({"warc": {"path": "a", "engine": "cascade"}}, "normalize")


def test_only_sources_that_can_are_extracted_again() -> None:
    with pytest.raises(RecipeError, match="cannot be extracted a second time"):
        live({"jsonl": {"path": "a"}}, "extract_again")
