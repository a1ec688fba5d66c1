"""JSON Schema of a recipe, for editors that complete and check YAML."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from gpucurate.recipe.recipe import Vocabulary

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def recipe_schema(vocabulary: Vocabulary) -> dict[str, Any]:
    """Draft 2020-12 schema of the whole recipe, built from the models behind each word."""
    words: dict[str, type[BaseModel]] = {**vocabulary.sources, **vocabulary.steps}
    models = [(m, "validation") for m in {*words.values(), vocabulary.tokens, vocabulary.shards}]
    refs, shared = models_json_schema(models, ref_template="#/$defs/{model}")  # type: ignore[arg-type]
    where: dict[type[BaseModel], Any] = {model: ref for (model, _), ref in refs.items()}  # type: ignore[misc]
    sources = [
        {
            "type": "object",
            "properties": {"name": {"type": "string"}, word: where[model]},
            "required": [word],
            "additionalProperties": False,
        }
        for word, model in vocabulary.sources.items()
    ]
    steps: list[dict[str, Any]] = [
        {"type": "object", "properties": {word: where[model]}, "required": [word], "additionalProperties": False}
        for word, model in vocabulary.steps.items()
    ]
    steps.append({"enum": list(vocabulary.steps)})
    return {
        "$schema": DIALECT,
        "title": "gpucurate recipe",
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "sources": {"type": "array", "minItems": 1, "items": {"anyOf": sources}},
            "steps": {"type": "array", "items": {"anyOf": steps}},
            "tokens": where[vocabulary.tokens],
            "shards": where[vocabulary.shards],
        },
        "required": ["sources"],
        "additionalProperties": False,
        "$defs": shared.get("$defs", {}),
    }
