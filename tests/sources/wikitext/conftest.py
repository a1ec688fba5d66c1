"""One page in, its text out: how every test here calls the extractor."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest

from gpucurate.core.text_buffers import TextBuffers, pack_texts
from gpucurate.sources.wikitext import Rules, extract, make_rules


def unpack(texts: TextBuffers) -> list[str]:
    raw = texts.data.tobytes()
    bounds = texts.offsets.tolist()
    return [raw[start:stop].decode() for start, stop in pairwise(bounds)]


@pytest.fixture(scope="session")
def extract_all() -> Callable[..., list[str]]:
    default = make_rules()

    def run(pages: list[str], rules: Rules = default) -> list[str]:
        return unpack(extract(pack_texts(pages), rules))

    return run


@pytest.fixture(scope="session")
def plain(extract_all: Callable[..., list[str]]) -> Callable[..., str]:
    def run(page: str, rules: Rules | None = None) -> str:
        return (extract_all([page]) if rules is None else extract_all([page], rules))[0]

    return run
