"""datatrove's four filters as FineWeb chains them, with spaCy's words or with ours.

Needs the package datatrove with spaCy; imported by one test that skips without it, and by benchmarks/rules.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache

from gpucurate.device.cpu.text_features.characters import ALONE, EXTEND, SPACE, WORD
from tests.oracles.rules_reference import sentences_of
from tests.oracles.text_features_reference import character_set

SETS = ("gopher_repetition", "gopher_quality", "c4", "fineweb")


def word_regex() -> re.Pattern[str]:
    """docs/rules.md as one regular expression, the fastest way Python has for these words."""
    letter = f"[{character_set(WORD, ALONE)}]"
    joined = f"{letter}+(?:[.,]{letter}+)*"
    alone = f"[{character_set(ALONE)}][{character_set(EXTEND)}]*"
    return re.compile(f"(?<={letter})['’]{joined}|{joined}|{alone}|[^{character_set(SPACE)}]")


@contextmanager
def our_words() -> Iterator[None]:
    """While open, datatrove splits words and sentences as we do."""
    from datatrove.pipeline.filters import c4_filters, fineweb_quality_filter, gopher_quality_filter
    from datatrove.pipeline.filters import gopher_repetition_filter as repetition

    find = word_regex().findall
    words: Callable[..., list[str]] = lru_cache(5)(lambda text, language=None: find(text))  # as datatrove caches
    modules = (gopher_quality_filter, repetition, fineweb_quality_filter)
    theirs = [module.split_into_words for module in modules]
    their_sentences = c4_filters.split_into_sentences
    for module in modules:
        module.split_into_words = words
    c4_filters.split_into_sentences = lambda line, language=None: [""] * sentences_of(line)
    try:
        yield
    finally:
        for module, function in zip(modules, theirs, strict=True):
            module.split_into_words = function
        c4_filters.split_into_sentences = their_sentences


def verdicts(texts: list[str]) -> list[dict[str, str | None]]:
    """Reason or None by rule set; every set sees every document, FineWeb's sees what C4 left of it.

    Where C4 drops a document it leaves its text alone, so FineWeb sees the whole; so it is compared on kept ones only.
    """
    from datatrove.data import Document
    from datatrove.pipeline.filters import (
        C4QualityFilter,
        FineWebQualityFilter,
        GopherQualityFilter,
        GopherRepetitionFilter,
    )

    c4 = C4QualityFilter(filter_no_terminal_punct=False)
    filters = dict(
        zip(SETS, (GopherRepetitionFilter(), GopherQualityFilter(), c4, FineWebQualityFilter()), strict=True)
    )
    rows = []
    for text in texts:
        document = Document(text=text, id="")
        row: dict[str, str | None] = {}
        for name, peer in filters.items():
            verdict = peer.filter(document)
            row[name] = None if verdict is True else str(verdict[1])
        rows.append(row)
    return rows
