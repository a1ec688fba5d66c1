"""The recipe reference, made from the configuration models, so that it cannot be out of date."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from enum import Enum
from importlib import import_module
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from gpucurate.core.reasons import Reason
from gpucurate.run.vocabulary import SOURCES, STEPS, VOCABULARY, source_class, step_class

PLAIN = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
    datetime: "time",
    NoneType: "null",
}
HEAD = """# Recipe reference

Made by `gpucurate reference`; do not edit. A recipe is YAML with the keys `name`, `sources`, `steps`, `tokens` and
`shards`. Paths are relative to the working directory. Any place can be changed with `--set key.path=value`; list items
are addressed by number (`--set sources.0.jsonl.path=a.jsonl`).
"""


def reference() -> str:
    """The whole page as Markdown."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield HEAD
    yield "## Sources"
    for word in SOURCES:
        source = source_class(word)
        yield from _entry(word, _said_of(SOURCES[word], source), source.config_type, source.reasons)
    yield "\n## Steps"
    for word in STEPS:
        step = step_class(word)
        yield from _entry(word, _said_of(STEPS[word], step), step.config_type, step.reasons)
    yield "\n## Tokens and shards"
    yield from _entry("tokens", str(VOCABULARY.tokens.__doc__), VOCABULARY.tokens, ())
    yield from _entry("shards", str(VOCABULARY.shards.__doc__), VOCABULARY.shards, ())


def _said_of(place: str, described: type) -> str:
    """What the module says of its idea, then what the class says of its columns."""
    module = import_module(place.split(":")[0])
    return f"{module.__doc__}\n\n{described.__doc__}"


def _entry(word: str, doc: str, config: type[BaseModel], reasons: tuple[Reason, ...]) -> Iterator[str]:
    yield f"\n### `{word}`\n"
    yield "\n\n".join(" ".join(paragraph.split()) for paragraph in doc.strip().split("\n\n"))
    yield "\n| key | type | default | meaning |\n|---|---|---|---|"
    yield from _fields(config, "")
    if reasons:
        yield "\n| reason | verdict | meaning | origin |\n|---|---|---|---|"
        for reason in reasons:
            yield f"| `{reason.code}` | {reason.verdict} | {_cell(reason.meaning)} | {_cell(reason.origin)} |"


def _fields(model: type[BaseModel], place: str) -> Iterator[str]:
    for name, info in model.model_fields.items():
        inner = _block_in(info.annotation)
        yield f"| `{place}{name}` | {_type(info)} | {_default(info)} | {_cell(info.description or '')} |"
        if inner is not None:
            any_name = "NAME." if get_origin(info.annotation) is dict else ""
            yield from _fields(inner, f"{place}{name}.{any_name}")


def _block_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for a in getattr(annotation, "__args__", ()) if (found := _block_in(a)) is not None), None)


def _type(info: FieldInfo) -> str:
    """The type in a recipe writer's words."""
    return _cell(" or ".join(dict.fromkeys(_words(info.annotation))))


def _words(annotation: Any) -> Iterator[str]:
    arguments = get_args(annotation)
    origin = get_origin(annotation)
    if origin is Annotated:
        yield from _words(arguments[0])
    elif origin in (Union, UnionType):
        for argument in arguments:
            yield from _words(argument)
    elif origin is Literal:
        yield from (f"`{choice}`" for choice in arguments)
    elif origin in (tuple, list):
        yield f"list of {' or '.join(_words(arguments[0]))}"
    elif origin is dict:
        yield f"names with a {' or '.join(_words(arguments[1]))} each"
    elif isinstance(annotation, type) and issubclass(annotation, Enum):
        yield from (f"`{choice.value}`" for choice in annotation)
    elif isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield "block"
    else:
        yield PLAIN.get(annotation, str(annotation))


def _default(info: FieldInfo) -> str:
    if info.is_required():
        return "required"
    value = info.default if info.default is not PydanticUndefined else "…"
    if isinstance(value, BaseModel):
        return "see below"
    return _cell(f"`{_written(value)}`") if value is not None else "null"


def _written(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_written(key)}: {_written(each)}" for key, each in value.items()) + "}"
    return str(value.value if isinstance(value, Enum) else value)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
