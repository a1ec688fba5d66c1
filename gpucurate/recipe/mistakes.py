"""Turning a mistake in a recipe into one line a person can act on: the key, what was expected, the nearest word."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel, ValidationError

TAGS_OF_PYDANTIC = ("function-", "is-instance", "tuple[", "list[", "union", "literal[")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?` with the nearest known word, or the list of all where nothing is near."""
    words = list(known)
    near = difflib.get_close_matches(word, words, n=1, cutoff=0.6)
    return f"; did you mean {near[0]!r}?" if near else f" (known: {', '.join(words)})"


def unknown_key(key: str, place: str, known: Iterable[str]) -> str:
    """Message for a key that does not exist."""
    return f"{place + '.' if place else ''}{key}: unknown key{did_you_mean(key, known)}"


def explain(error: ValidationError, model: type[BaseModel], place: str) -> str:
    """All mistakes of one block, a line each."""
    lines: list[str] = []
    for mistake in error.errors(include_url=False):
        path = [p for p in mistake["loc"] if not str(p).startswith(TAGS_OF_PYDANTIC)]
        where = ".".join([place, *map(str, path)])
        if mistake["type"] == "extra_forbidden":
            owner = _model_at(model, path[:-1])
            line = unknown_key(str(path[-1]), ".".join([place, *map(str, path[:-1])]), owner.model_fields)
        elif mistake["type"] == "missing":
            line = f"{where}: required and missing{_meaning(model, path)}"
        elif mistake["type"] in ("literal_error", "enum"):
            known = [
                w.strip().strip("'")
                for w in str(mistake.get("ctx", {}).get("expected", "")).replace(" or ", ",").split(",")
            ]
            line = f"{where}: no such choice {mistake['input']!r}{did_you_mean(str(mistake['input']), known)}"
        else:
            said = str(mistake["msg"]).removeprefix("Value error, ")
            found = f"; found {mistake['input']!r}" if path else ""
            line = f"{where}: {said}{found}{_meaning(model, path)}"
        if line not in lines:
            lines.append(line)
    return "\n".join(lines)


def _model_at(model: type[BaseModel], path: Iterable[object]) -> type[BaseModel]:
    """The block a path leads to; optional and nested blocks are looked through."""
    for key in path:
        info = model.model_fields.get(str(key))
        inner = _block_in(info.annotation) if info is not None else None
        if inner is None:
            return model
        model = inner
    return model


def _block_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for argument in getattr(annotation, "__args__", ()):
        found = _block_in(argument)
        if found is not None:
            return found
    return None


def _meaning(model: type[BaseModel], path: list[Any]) -> str:
    if not path:
        return ""
    info = _model_at(model, path[:-1]).model_fields.get(str(path[-1]))
    return f" ({info.description})" if info is not None and info.description else ""
