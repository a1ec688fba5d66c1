"""The source `warc`: pages of HTML from web archives, with the main content as text.

Every record of a file is accounted for: as a document, as dropped by its type, as quarantined.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import pyarrow as pa
from pydantic import Field

from gpucurate.core.digests import digest16
from gpucurate.core.documents import DocumentRow, QuarantineRow, record_id
from gpucurate.recipe.model import SourceConfig
from gpucurate.sources.charset import decode_page
from gpucurate.sources.chunk import ChunkBuilder
from gpucurate.sources.contract import Chunk, Source, Unit
from gpucurate.sources.html import extractor
from gpucurate.sources.html.blocks.extraction import warm as warm_blocks
from gpucurate.sources.html.blocks.writing.options import MARKDOWN, TEXT, Options
from gpucurate.sources.html.extractor import Engine, Extractor, Page
from gpucurate.sources.sandbox import Failure
from gpucurate.sources.warc import pages
from gpucurate.sources.warc.archive import read_archive
from gpucurate.sources.warc.pages import HtmlPage, Refused, block_limit, read_page
from gpucurate.sources.warc.record import Damage, Record
from gpucurate.sources.warc.waiting import Waiting, refuse

REASONS = (*pages.REASONS, *extractor.REASONS)


class WarcConfig(SourceConfig):
    """Web archives: WARC (plain, .gz, .zst, .lz4) and ARC (plain, .gz)."""

    engine: Literal["blocks", "resiliparse", "trafilatura", "cascade"] = Field(
        "resiliparse",
        description="What draws the text from a page: `blocks` is our own (docs/html.md), `resiliparse` a fast peer, "
        "`trafilatura` a careful and slow one (extra `html`). `cascade` is resiliparse here, and the step "
        "`extract_again`, which the recipe must then contain, extracts those that are left by trafilatura.",
    )
    layout: Literal["text", "markdown"] = Field(
        "text", description="What `blocks` writes: plain text, or headings, lists, tables and code as in Markdown."
    )
    comments: bool = Field(False, description="Whether `blocks` keeps what readers wrote below an article.")
    captions: bool = Field(False, description="Whether `blocks` keeps the texts of pictures.")
    standfirst: bool = Field(True, description="Whether `blocks` keeps the lines that sum an article up.")
    seconds: float = Field(10.0, gt=0, description="CPU time a page may take to extract.")
    max_bytes: int = Field(16 << 20, gt=0, description="Largest page, in bytes of HTML; larger ones are put aside.")
    tables: bool = Field(True, description="Whether trafilatura keeps what stands in tables.")


class Warc(Source[WarcConfig]):
    """The URI is the record's target URI, the revision its WARC-Record-ID, the raw payload the
    decoded HTTP body."""

    kind = "warc"
    version = 1
    config_type = WarcConfig
    suffixes = tuple(f"{kind}{packed}" for kind in (".warc", ".arc") for packed in ("", ".gz", ".zst", ".lz4"))
    reasons = REASONS

    def __init__(self, name: str, config: WarcConfig) -> None:
        super().__init__(name, config)
        first: Engine = "resiliparse" if config.engine == "cascade" else config.engine
        layout = MARKDOWN if config.layout == "markdown" else TEXT
        options = Options(layout, config.comments, config.captions, config.standfirst)
        self._extractor = Extractor(first, config.seconds, config.tables, options)
        self._careful: Extractor | None = None
        if config.engine == "cascade":
            self._careful = Extractor("trafilatura", config.seconds, config.tables)

    def identity(self) -> dict[str, object]:
        """The configuration and the versions of the engines."""
        engines = [e.identity for e in (self._extractor, self._careful) if e is not None]
        return {**super().identity(), "engines": engines}

    def read(self, unit: Unit) -> Iterator[Chunk]:
        """Documents in the order of the records."""
        builder = ChunkBuilder(self.name)
        waiting = Waiting(builder, self._extractor)
        if unit.file.size == 0:
            builder.counts["warc.empty_files"] += 1
        for found in read_archive(unit.file, block_limit(self.config.max_bytes)):
            if isinstance(found, Damage):
                lost = QuarantineRow(
                    unit.file.name, found.position, "warc.damaged", found.detail, found.lost, found.uri
                )
                builder.quarantine(lost)
            else:
                self._add(builder, waiting, unit, found)
            if waiting.full:
                waiting.extract()
            if builder.full:
                waiting.extract()
                yield builder.close()
        waiting.extract()
        if not builder.empty:
            yield builder.close()

    def warm(self) -> None:
        """Compile the kernels of `blocks`."""
        if self.config.engine == "blocks":
            warm_blocks()

    @property
    def wants_second_extraction(self) -> bool:
        """`cascade` is half of an engine."""
        return self.config.engine == "cascade"

    def reextract(self, unit: Unit, documents: pa.Table) -> tuple[pa.Array, pa.Array]:
        """Text by trafilatura, or `html.empty`, `html.timeout`, `html.crash`; `warc.lost` for a record that is no
        longer found.  One pass over the file, from the first record that is asked for to the last."""
        careful = self._careful or Extractor("trafilatura", self.config.seconds, self.config.tables)
        wanted: dict[bytes, list[int]] = {}
        for row, identity in enumerate(documents["record_id"].to_pylist()):
            wanted.setdefault(identity, []).append(row)
        texts: list[str | None] = [None] * len(documents)
        failures: list[str | None] = ["warc.lost"] * len(documents)
        start = documents["position"][0].as_py() if wanted else 0
        for record, page in self._pages(unit, start) if wanted else ():
            payload = digest16(page.payload)
            rows = wanted.pop(record_id(self.name, record.uri_in(unit.file.name), record.revision, payload), ())
            if rows:
                answer = careful.extract(decode_page(page.payload, page.charset).text)
                for row in rows:
                    texts[row], failures[row] = _text_or_reason(answer)
            if not wanted:
                break
        return pa.array(texts, pa.large_string()), pa.array(failures, pa.string())

    def _pages(self, unit: Unit, start: int) -> Iterator[tuple[Record, HtmlPage]]:
        for found in read_archive(unit.file, block_limit(self.config.max_bytes), start):
            page = read_page(found, self.config.max_bytes) if isinstance(found, Record) else None
            if isinstance(found, Record) and isinstance(page, HtmlPage):
                yield found, page

    def _add(self, builder: ChunkBuilder, waiting: Waiting, unit: Unit, record: Record) -> None:
        if record.repaired:
            builder.counts["warc.length_repaired"] += 1
        page = read_page(record, self.config.max_bytes)
        if isinstance(page, Refused):
            size, uri = record.length, record.uri_in(unit.file.name)
            refuse(builder, QuarantineRow(unit.file.name, record.position, page.reason, page.detail, size, uri))
            return
        if page.truncated:
            builder.counts["warc.truncated"] += 1
        row = self._row(unit, record, page)
        if self.skip_uri(row.uri):
            waiting.add(row, None)
            return
        decoded = decode_page(page.payload, page.charset)
        if decoded.replaced:
            builder.counts["charset.replaced"] += 1
        waiting.add(row, decoded.text)

    def _row(self, unit: Unit, record: Record, page: HtmlPage) -> DocumentRow:
        return DocumentRow(
            uri=record.uri_in(unit.file.name),
            text="",
            raw_digest=digest16(page.payload),
            raw_bytes=len(page.payload),
            file=unit.file.name,
            position=record.position,
            revision=record.revision,
            modified=page.modified,
            retrieved=record.date or self.config.retrieved,
            license=self.config.license,
            license_evidence="recipe" if self.config.license else None,
        )


def _text_or_reason(answer: Page | Failure) -> tuple[str | None, str | None]:
    if isinstance(answer, Failure):
        return None, f"html.{answer.reason}"
    return (answer.text, None) if answer.text else (None, "html.empty")
