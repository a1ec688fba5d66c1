"""The reference engine as the sandbox calls it: one payload in, one text out, in a process that may be ended."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache

from gpucurate.sources.wikitext.reference import ReferenceExtractor


def pack(namespaces: Mapping[int, Sequence[str]], page: bytes) -> bytes:
    """The payload for a page: what the wiki calls its namespaces, on a line of its own, then the wikitext."""
    return json.dumps({key: list(names) for key, names in namespaces.items()}).encode() + b"\n" + page


def extract(payload: bytes) -> str:
    """Text of a page as `pack` packed it.  Raises whatever the parser raises."""
    namespaces, _, page = payload.partition(b"\n")
    return _extractor(namespaces).extract(page.decode())


@cache
def _extractor(namespaces: bytes) -> ReferenceExtractor:
    return ReferenceExtractor({int(key): names for key, names in json.loads(namespaces).items()})
