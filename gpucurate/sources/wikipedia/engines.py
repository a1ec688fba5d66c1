"""Wikitext to text for a batch of pages, by the engine that the recipe names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from importlib.util import find_spec
from typing import NamedTuple

import pyarrow as pa

from gpucurate.core.errors import MissingExtra
from gpucurate.core.text_buffers import pack_texts, text_array
from gpucurate.sources.sandbox import Failure, shared_sandbox
from gpucurate.sources.wikipedia import reference
from gpucurate.sources.wikipedia.config import WikipediaConfig
from gpucurate.sources.wikitext import Rules, extract, make_rules


class Extracted(NamedTuple):
    """`texts`: large_string, one a page, "" where the engine failed; `failures` by page says how."""

    texts: pa.Array
    failures: Mapping[int, Failure]


Engine = Callable[[Sequence[bytes]], Extracted]


def make_engine(config: WikipediaConfig, namespaces: Mapping[int, str]) -> Engine:
    """The engine for one wiki.  Raises MissingExtra if it needs a package that is not installed."""
    names = {key: (name,) for key, name in namespaces.items() if name}
    if config.engine == "mwparserfromhell":
        return _reference(names, config.page_seconds)
    rules = _rules(tuple(names.items()), config.visible_templates, config.keep_code)

    def scan(pages: Sequence[bytes]) -> Extracted:
        texts = extract(pack_texts(list(pages)), rules)
        return Extracted(text_array(texts.data, texts.offsets), {})

    return scan


@lru_cache(maxsize=8)  # the units of a dump share them
def _rules(names: tuple[tuple[int, tuple[str, ...]], ...], visible_templates: bool, keep_code: bool) -> Rules:
    return make_rules(dict(names), visible_templates=visible_templates, keep_code=keep_code)


def _reference(names: Mapping[int, Sequence[str]], seconds: float) -> Engine:
    if find_spec("mwparserfromhell") is None:
        raise MissingExtra("engine: mwparserfromhell", "mwparserfromhell", "wikitext-reference")
    sandbox = shared_sandbox(reference.__name__, reference.extract.__name__, seconds)

    def parse(pages: Sequence[bytes]) -> Extracted:
        texts: list[str] = []
        failures: dict[int, Failure] = {}
        for number, page in enumerate(pages):
            answer = sandbox.run(reference.pack(names, page))
            if isinstance(answer, Failure):
                failures[number] = answer
            texts.append(answer.decode() if isinstance(answer, bytes) else "")
        return Extracted(pa.array(texts, pa.large_string()), failures)

    return parse
