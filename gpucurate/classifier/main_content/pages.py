"""Pages to learn from and to be measured on, and what is known of each.

| kind | where from | what is known |
|---|---|---|
| gold | Readability's test pages | the article, cut by hand |
| phrases | trafilatura's evaluation pages | phrases that must, and must not, be in the text |
| silver | archives, folders of HTML | nothing but what teachers say |
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import urlsplit

from blake3 import blake3

from gpucurate.core.errors import InputError
from gpucurate.sources.charset import decode_page
from gpucurate.sources.files import snapshot
from gpucurate.sources.warc.archive import read_archive
from gpucurate.sources.warc.pages import HtmlPage, block_limit, read_page
from gpucurate.sources.warc.record import Record

LONGEST = 4 << 20  # bytes of a page; longer ones are dumps rather than pages
SHORTEST = 200  # bytes: shorter ones are stubs
LANGUAGE = re.compile(r"<html[^>]{0,500}?\slang\s*=\s*[\"']?([A-Za-z]{2,3})", re.IGNORECASE)
HEAD = 5000  # characters among which the language is looked for
ARCHIVES = (".warc", ".warc.gz", ".arc", ".arc.gz", ".warc.zst")
NUMBERED = re.compile(r"[-_.]?\d+$")


@dataclass(frozen=True)
class Page:
    """`site` keeps the pages of one host together when folds are made; `gold` is HTML."""

    kind: str
    site: str
    html: str
    gold: str | None = None
    wanted: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()

    @cached_property
    def key(self) -> str:
        """Digest of the page."""
        return blake3(self.html.encode("utf-8", "replace")).hexdigest(16)

    @cached_property
    def language(self) -> str:
        """As the page says it; empty if it does not."""
        found = LANGUAGE.search(self.html[:HEAD])
        return found[1].lower() if found else ""


def read_gold(folder: Path) -> Iterator[Page]:
    """Readability's test pages: a folder each, with `source.html` and `expected.html`; numbered ones are one site."""
    for page in sorted(path for path in folder.iterdir() if (path / "source.html").is_file()):
        html = decode_page((page / "source.html").read_bytes(), None).text
        yield Page("gold", NUMBERED.sub("", page.name), html, (page / "expected.html").read_text(encoding="utf-8"))


def read_phrases(folder: Path) -> Iterator[Page]:
    """trafilatura's evaluation: `evaldata.json`, and those of its pages that are in `eval/` or `cache/`."""
    for url, entry in json.loads((folder / "evaldata.json").read_text(encoding="utf-8")).items():
        for place in (folder / "eval" / entry["file"], folder / "cache" / entry["file"]):
            if place.is_file():
                html = decode_page(place.read_bytes(), None).text
                yield Page("phrases", _host(url), html, None, tuple(entry["with"]), tuple(entry["without"]))
                break


def read_archives(folder: Path) -> Iterator[Page]:
    """Pages of all archives below a folder that can be read."""
    for file in snapshot([str(folder)], ARCHIVES):
        for record in read_archive(file, block_limit(LONGEST)):
            page = read_page(record, LONGEST) if isinstance(record, Record) else None
            if isinstance(page, HtmlPage) and isinstance(record, Record) and len(page.payload) >= SHORTEST:
                yield Page("silver", _host(record.uri or file.name), decode_page(page.payload, page.charset).text)


def read_folder(folder: Path, most: int) -> Iterator[Page]:
    """Files of HTML below a folder, at most so many of each of its sub-folders, which are taken for sites."""
    taken: dict[str, int] = {}
    for path in sorted((*folder.rglob("*.html"), *folder.rglob("*.htm")), key=lambda path: _shuffled(path, folder)):
        parts = path.relative_to(folder).parts
        site = parts[0] if len(parts) > 1 else folder.name
        if taken.get(site, 0) < most and SHORTEST <= path.stat().st_size <= LONGEST:
            taken[site] = taken.get(site, 0) + 1
            yield Page("silver", f"{folder.name}/{site}", decode_page(path.read_bytes(), None).text)


def distinct(pages: Iterator[Page]) -> list[Page]:
    """Each page once, the best labelled first.  Raises InputError if there are none."""
    rank = {"gold": 0, "phrases": 1, "silver": 2}
    found: dict[str, Page] = {}
    for page in pages:
        if page.key not in found or rank[page.kind] < rank[found[page.key].kind]:
            found[page.key] = page
    if not found:
        raise InputError(
            "there is no page to learn from. Remedy: name folders with pages, see classifiers/main_content"
        )
    return list(found.values())


def _host(url: str) -> str:
    return (urlsplit(url.strip("<>")).hostname or url).removeprefix("www.")


def _shuffled(path: Path, folder: Path) -> bytes:
    """An order that depends on the names below the folder alone."""
    return blake3(str(path.relative_to(folder)).encode()).digest()
