"""Texts to what is found in them, in a form tests can read."""

from __future__ import annotations

from functools import lru_cache

import pyarrow as pa

from gpucurate.steps.pii.config import PiiConfig
from gpucurate.steps.pii.finder import Finder

Found = tuple[str, str]  # class and text


@lru_cache
def finder(**settings: object) -> Finder:
    return Finder(PiiConfig.model_validate(settings))


def column(*texts: str) -> pa.Array:
    return pa.array(texts, pa.large_string())


def found(text: str, **settings: object) -> list[Found]:
    """Class and text of every finding.  Reserved values are found too, so that tests need no real ones."""
    rows = finder(**{"spare_reserved": False, **settings}).find(column(text)).to_pylist()
    raw = text.encode()
    return [(row["class"], raw[row["start"] : row["end"]].decode()) for row in rows]
