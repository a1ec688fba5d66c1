"""Reading a recipe: YAML, then `--set` overrides, then the check of every block against its model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import ValidationError

from gpucurate.core.errors import RecipeError
from gpucurate.recipe.mistakes import did_you_mean, explain, unknown_key
from gpucurate.recipe.model import Block
from gpucurate.recipe.overrides import apply_overrides
from gpucurate.recipe.recipe import Recipe, SourceEntry, StepEntry, Vocabulary

TOP_KEYS = ("name", "sources", "steps", "tokens", "shards")
LONGEST_NAME = 64  # characters of a source's name, which begins the names of its files in the output directory
AnyBlock = TypeVar("AnyBlock", bound=Block)


class _OneOfEachKey(yaml.SafeLoader):
    """YAML where a key that is written twice is a mistake, not a silent choice of the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value != "<<":
                if key.value in seen:
                    raise yaml.constructor.ConstructorError(
                        None, None, f"the key {key.value!r} stands twice in one mapping", key.start_mark
                    )
                seen.add(key.value)
        return super().construct_mapping(node, deep)


def load_recipe(path: str | Path, vocabulary: Vocabulary, overrides: Sequence[str] = ()) -> Recipe:
    """Read and check a recipe file; a recipe without `name` is called after its file.

    Raises RecipeError that names the key, what was expected, and the nearest right word.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise RecipeError(f"cannot read recipe {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise RecipeError(f"recipe {path} is not UTF-8 text: {error.reason} at byte {error.start}") from error
    try:
        data = yaml.load(text, _OneOfEachKey)
    except yaml.YAMLError as error:
        raise RecipeError(f"recipe {path} is not valid YAML: {error}") from error
    if not isinstance(data, dict):
        raise RecipeError(f"recipe {path} must be a mapping with the keys {', '.join(TOP_KEYS)}")
    data.setdefault("name", path.stem)
    return parse_recipe(apply_overrides(data, overrides), vocabulary)


def parse_recipe(data: Mapping[str, Any], vocabulary: Vocabulary) -> Recipe:
    """Check plain data; raises RecipeError."""
    for key in data:
        if key not in TOP_KEYS:
            raise RecipeError(unknown_key(str(key), "", TOP_KEYS))
    if "shards" in data and "tokens" not in data:
        raise RecipeError("shards: there is nothing to pack without tokens; add tokens: {tokenizer: tiktoken:gpt2}")
    name = data.get("name")
    if not isinstance(name, str) or not name.strip():
        raise RecipeError("name: expected a word that identifies this recipe and its output directory")
    return Recipe(
        name,
        tuple(_sources(data.get("sources"), vocabulary)),
        tuple(_steps(data.get("steps", []), vocabulary)),
        _optional(data, "tokens", vocabulary.tokens),
        _optional(data, "shards", vocabulary.shards),
    )


def _sources(items: object, vocabulary: Vocabulary) -> list[SourceEntry]:
    if not isinstance(items, list) or not items:
        raise RecipeError(
            "sources: expected a list with at least one item, such as - {name: wiki, wikipedia: {path: …}}"
        )
    entries: list[SourceEntry] = []
    for number, item in enumerate(items):
        place = f"sources.{number}"
        if not isinstance(item, dict):
            raise RecipeError(f"{place}: expected a mapping of a name and one kind of source, found {item!r}")
        kinds = [key for key in item if key != "name"]
        if len(kinds) != 1:
            raise RecipeError(
                f"{place}: expected exactly one kind of source ({', '.join(vocabulary.sources)}), "
                f"found {', '.join(map(str, kinds)) or 'none'}"
            )
        kind = str(kinds[0])
        if kind not in vocabulary.sources:
            raise RecipeError(f"{place}.{kind}: no such source{did_you_mean(kind, vocabulary.sources)}")
        name = item.get("name", kind)
        if not isinstance(name, str) or not name.replace("-", "").replace("_", "").isalnum():
            raise RecipeError(f"{place}.name: expected letters, digits, '-' and '_', found {name!r}")
        if len(name) > LONGEST_NAME:
            raise RecipeError(f"{place}.name: expected at most {LONGEST_NAME} characters, found {len(name)}")
        if any(entry.name == name for entry in entries):
            raise RecipeError(f"{place}.name: {name!r} is already the name of another source; names must differ")
        entries.append(SourceEntry(name, kind, _block(item[kind], vocabulary.sources[kind], f"{place}.{kind}")))
    return entries


def _steps(items: object, vocabulary: Vocabulary) -> list[StepEntry]:
    if not isinstance(items, list):
        raise RecipeError("steps: expected a list, each item beginning with `- `")
    entries: list[StepEntry] = []
    for number, item in enumerate(items):
        place = f"steps.{number}"
        if isinstance(item, str):
            item = {item: {}}
        if not isinstance(item, dict) or len(item) != 1:
            raise RecipeError(f"{place}: expected one step with its settings, such as - language: {{keep: [en]}}")
        name = str(next(iter(item)))
        if name not in vocabulary.steps:
            raise RecipeError(f"{place}.{name}: no such step{did_you_mean(name, vocabulary.steps)}")
        uses = 1 + sum(entry.name == name for entry in entries)
        label = name if uses == 1 else f"{name}.{uses}"
        entries.append(StepEntry(label, name, _block(item[name], vocabulary.steps[name], f"{place}.{name}")))
    return entries


def _optional(data: Mapping[str, Any], key: str, model: type[Block]) -> Block | None:
    return _block(data[key], model, key) if key in data else None


def _block(value: object, model: type[AnyBlock], place: str) -> AnyBlock:
    if value is None:
        value = {}
    if not isinstance(value, dict):
        raise RecipeError(f"{place}: expected a mapping of settings, found {value!r}")
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise RecipeError(explain(error, model, place)) from error
