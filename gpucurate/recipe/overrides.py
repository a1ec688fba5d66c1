"""`--set key.path=value`: changing one place of a recipe from the command line."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import yaml

from gpucurate.core.errors import RecipeError


def apply_overrides(data: dict[str, Any], overrides: Sequence[str]) -> dict[str, Any]:
    """A copy of `data` with each `path=value` set; list items are addressed by number, values are read as YAML.

    Raises RecipeError if an override has no `=`, or its path leads through something that is not there.
    """
    data = copy.deepcopy(data)
    for override in overrides:
        path, sign, value = override.partition("=")
        if not sign or not path:
            raise RecipeError(f"--set {override}: expected key.path=value, such as steps.1.language.threshold=0.8")
        try:
            parsed = yaml.safe_load(value) if value else ""
        except yaml.YAMLError as error:
            raise RecipeError(f"--set {override}: the value is not valid YAML: {error}") from error
        _set(data, path.split("."), parsed, override)
    return data


def _set(data: dict[str, Any], keys: list[str], value: object, override: str) -> None:
    place: Any = data
    for number, key in enumerate(keys):
        last = number == len(keys) - 1
        if isinstance(place, list):
            index = _index(key, place, override)
            if last:
                place[index] = value
            elif isinstance(place[index], str):  # a step written as a bare word
                place[index] = {place[index]: {}}
            place = place[index]
        elif isinstance(place, dict):
            if last:
                place[key] = value
            elif place.get(key) is None:
                place[key] = {}
            place = place[key]
        else:
            raise RecipeError(f"--set {override}: {'.'.join(keys[:number])} is a value, not a mapping")


def _index(key: str, items: list[Any], override: str) -> int:
    if not (key.isascii() and key.isdigit()) or int(key) >= len(items):
        named = ", ".join(f"{number} {_name(item)}" for number, item in enumerate(items))
        raise RecipeError(
            f"--set {override}: expected a number from 0 to {len(items) - 1} where {key!r} stands ({named})"
        )
    return int(key)


def _name(item: object) -> str:
    """What a person calls an item of a list: a source by its `name`, a step by its only key."""
    if isinstance(item, dict):
        return str(item.get("name") or next(iter(item), ""))
    return str(item)
