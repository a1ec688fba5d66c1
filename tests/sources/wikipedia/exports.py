"""Small exports for the tests of this folder."""

from __future__ import annotations

from pathlib import Path
from xml.sax.saxutils import escape

import pyarrow as pa

from gpucurate.core.tally import Tally, sum_tallies
from gpucurate.sources.contract import Chunk, InputFile, Unit
from gpucurate.sources.wikipedia import Wikipedia, WikipediaConfig

HEAD = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="de">
  <siteinfo>
    <sitename>Wikipedia</sitename>
    <base>https://de.wikipedia.org/wiki/Wikipedia:Hauptseite</base>
    <namespaces>
      <namespace key="-2" case="first-letter">Medium</namespace>
      <namespace key="0" case="first-letter" />
      <namespace key="1" case="first-letter">Diskussion</namespace>
      <namespace key="6" case="first-letter">Datei</namespace>
      <namespace key="14" case="first-letter">Kategorie</namespace>
    </namespaces>
  </siteinfo>
"""
TAIL = "</mediawiki>\n"


def revision(text: str, number: int = 1, time: str = "2024-05-06T07:08:09Z", model: str = "wikitext") -> str:
    size = len(text.encode())
    return (
        f"    <revision>\n      <id>{number}</id>\n      <timestamp>{time}</timestamp>\n"
        f"      <contributor><username>Zoë</username><id>99</id></contributor>\n      <model>{model}</model>\n"
        f'      <format>text/x-wiki</format>\n      <text bytes="{size}" xml:space="preserve">{escape(text)}</text>\n'
        "      <sha1>abc</sha1>\n    </revision>\n"
    )


def page(title: str, *revisions: str, ns: int = 0, more: str = "", number: int = 7) -> str:
    return (
        f"  <page>\n    <title>{escape(title)}</title>\n    <ns>{ns}</ns>\n    <id>{number}</id>\n{more}"
        f"{''.join(revisions)}  </page>\n"
    )


def article(title: str, text: str) -> str:
    return page(title, revision(text))


def export(*pages: str) -> bytes:
    return (HEAD + "".join(pages) + TAIL).encode()


def read_file(path: Path, size: int | None = None, **settings: object) -> list[Chunk]:
    """All chunks of a file, cut into units of `size` bytes if that is said; each must account for what it met."""
    source = Wikipedia("wiki", WikipediaConfig(path=str(path), **settings))
    if size is not None:
        source.unit_bytes = {"none": size, "bzip2": size}  # type: ignore[misc]
    chunks = [chunk for unit in source.units(source.files()) for chunk in source.read(unit)]
    for chunk in chunks:
        left = Tally(chunk.documents.num_rows, sum(chunk.documents["raw_bytes"].to_pylist()))
        put_aside = Tally(chunk.quarantine.num_rows, sum(chunk.quarantine["raw_bytes"].to_pylist()))
        assert sum_tallies([left, put_aside, *chunk.dropped.values()]) == chunk.entered
    return chunks


def documents(chunks: list[Chunk]) -> list[dict[str, object]]:
    return pa.concat_tables([c.documents for c in chunks]).to_pylist() if chunks else []


def quarantined(chunks: list[Chunk]) -> list[dict[str, object]]:
    return pa.concat_tables([c.quarantine for c in chunks]).to_pylist() if chunks else []


def counts(chunks: list[Chunk]) -> dict[str, int]:
    total: dict[str, int] = {}
    for chunk in chunks:
        for name, count in chunk.counts.items():
            total[name] = total.get(name, 0) + count
    return total


def dropped(chunks: list[Chunk]) -> dict[str, int]:
    total: dict[str, int] = {}
    for chunk in chunks:
        for reason, tally in chunk.dropped.items():
            total[reason] = total.get(reason, 0) + tally.documents
    return total


def unit_of(path: Path) -> Unit:
    size = path.stat().st_size
    return Unit("wiki", InputFile(str(path), size, "x", path.name), 0, size)
