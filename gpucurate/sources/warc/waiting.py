"""Pages that wait for their text: `blocks` takes many in one call, an engine in a sandbox one at a time.

The order of the documents is that of the records, and what waits depends on the records alone.
"""

from __future__ import annotations

from gpucurate.core.documents import DocumentRow, QuarantineRow
from gpucurate.core.reasons import Verdict
from gpucurate.sources.chunk import ChunkBuilder
from gpucurate.sources.html import extractor
from gpucurate.sources.html.extractor import Extractor, Page
from gpucurate.sources.sandbox import Failure
from gpucurate.sources.warc import pages

BATCH_PAGES = 64  # a call's own cost is spread thin enough
BATCH_CHARACTERS = 8 << 20  # and its memory bounded: the scan keeps about 200 bytes a tag
QUARANTINED = frozenset(r.code for r in (*pages.REASONS, *extractor.REASONS) if r.verdict is Verdict.QUARANTINE)


class Waiting:
    """Rows with the HTML that their text is in; None for rows that keep the text they have."""

    def __init__(self, builder: ChunkBuilder, engine: Extractor) -> None:
        self._builder = builder
        self._engine = engine
        self._pages = BATCH_PAGES if engine.engine == "blocks" else 1
        self._rows: list[tuple[DocumentRow, str | None]] = []
        self._characters = 0

    def add(self, row: DocumentRow, html: str | None) -> None:
        """The next row."""
        self._rows.append((row, html))
        self._characters += len(html or "")

    @property
    def full(self) -> bool:
        """Whether it is time for `extract`."""
        return len(self._rows) >= self._pages or self._characters >= BATCH_CHARACTERS

    def extract(self) -> None:
        """Hand every row on: as a document with its text, or refused with the engine's reason."""
        rows, self._rows, self._characters = self._rows, [], 0
        answers = iter(self._engine.extract_all([html for _, html in rows if html is not None]))
        for row, html in rows:
            if html is None:
                self._builder.document(row)
            else:
                self._settle(row, next(answers))

    def _settle(self, row: DocumentRow, answer: Page | Failure) -> None:
        if isinstance(answer, Failure):
            reason = f"html.{answer.reason}"
            refuse(
                self._builder,
                QuarantineRow(row.file, row.position, reason, answer.detail, row.raw_bytes, row.uri),
            )
        elif not answer.text:
            self._builder.drop("html.empty", row.raw_bytes)
        else:
            _describe(row, answer)
            self._builder.document(row)


def refuse(builder: ChunkBuilder, row: QuarantineRow) -> None:
    """Put a record aside, or drop it where its reason says so."""
    if row.reason in QUARANTINED:
        builder.quarantine(row)
    else:
        builder.drop(row.reason, row.raw_bytes)


def _describe(row: DocumentRow, page: Page) -> None:
    """What the engine drew from the page; the archive's word and the recipe's outrank the page's, but for the licence,
    which is a page's own."""
    said = page.metadata
    row.title, row.text, row.listing = page.title, page.text, page.listing
    row.author, row.language_hint, row.canonical_uri = said.author, said.language, said.canonical
    row.modified = said.modified or said.published or row.modified
    if said.license is not None:
        row.license, row.license_evidence = said.license, "page"
