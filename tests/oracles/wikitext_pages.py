"""Real pages for oracles and benchmarks: long articles, and groups of sections of Simple English Wikipedia's size."""

from __future__ import annotations

import bz2
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

ENWIKI = "enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"
SMALL, LARGE = 2_500, 9_000  # bytes of wikitext


def long_pages(data: Path) -> list[str]:
    """Articles of the gensim dump and the raw pages of wtf_wikipedia."""
    singles = sorted((data / "wiki/wtf_wikipedia").rglob("*.txt"))
    return [*_articles(data / "wiki/gensim" / ENWIKI), *(path.read_text(encoding="utf-8") for path in singles)]


def section_groups(pages: list[str]) -> list[str]:
    """Consecutive sections joined until they reach `SMALL`; what then exceeds `LARGE` is left out."""
    groups = []
    for page in pages:
        group = ""
        for section in re.split(r"(?m)^(?===[^=])", page):
            group += section
            if len(group) > SMALL:
                groups.append(group)
                group = ""
    return [group for group in groups if len(group) < LARGE]


def _articles(path: Path) -> Iterator[str]:
    with bz2.open(path) as stream:
        for _, element in ElementTree.iterparse(stream):
            if element.tag.endswith("}page"):
                text = element.findtext("{*}revision/{*}text") or ""
                if element.findtext("{*}ns") == "0" and text and not text[:9].upper().startswith("#REDIRECT"):
                    yield text
                element.clear()
