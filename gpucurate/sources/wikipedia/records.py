"""Pages on their way into chunks: each becomes a document, or is dropped or put aside for a stated reason."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from gpucurate.core.digests import digest16
from gpucurate.core.documents import DocumentRow, QuarantineRow
from gpucurate.core.text_buffers import text_buffers
from gpucurate.sources.chunk import ChunkBuilder
from gpucurate.sources.contract import Chunk, Unit
from gpucurate.sources.wikipedia import config as reasons
from gpucurate.sources.wikipedia.config import WikipediaConfig
from gpucurate.sources.wikipedia.engines import Engine
from gpucurate.sources.wikipedia.page import MalformedPage, Page, parse_page
from gpucurate.sources.wikipedia.pages import BrokenPage, RawPage
from gpucurate.sources.wikipedia.pieces import Gap
from gpucurate.sources.wikipedia.redirects import is_redirect
from gpucurate.sources.wikipedia.siteinfo import Siteinfo
from gpucurate.sources.wikitext import residue

# What a dropped page is counted as; every page is counted once in `pages` and once in one of these, in `malformed` or
# in `articles`.
COUNTED = {
    reasons.REDIRECT: "redirects",
    reasons.NAMESPACE: "other_namespaces",
    reasons.MODEL: "other_models",
    reasons.DELETED: "deleted",
    reasons.EMPTY: "empty",
}


class Records:
    """The pages of one unit; `full` says when to close a chunk.  Articles wait for that, to be extracted together."""

    def __init__(
        self, config: WikipediaConfig, unit: Unit, site: Siteinfo, engine: Engine, skip_uri: Callable[[str], bool]
    ) -> None:
        self._config = config
        self._file = unit.file.name
        self._site = site
        self._engine = engine
        self._skip_uri = skip_uri
        self._builder = ChunkBuilder(unit.source)
        self._license = (config.license, "recipe") if config.license else site.license() or (None, None)
        self._waiting: list[tuple[DocumentRow, bytes]] = []  # with the wikitext; empty where it is not to be extracted
        self._waiting_bytes = 0

    @property
    def full(self) -> bool:
        """True once the raw bytes reach a chunk's limit."""
        return self._builder.full or self._waiting_bytes >= self._builder.limit

    @property
    def empty(self) -> bool:
        """True if nothing was added."""
        return self._builder.empty

    def add(self, record: RawPage | BrokenPage | Gap) -> None:
        """Account for one record of the split."""
        if isinstance(record, Gap):
            self._builder.counts["gaps"] += 1
            self._builder.quarantine(QuarantineRow(self._file, record.position, reasons.DAMAGED, record.detail))
            return
        self._builder.counts["pages"] += 1
        if isinstance(record, BrokenPage):
            self._malformed(record.position, record.detail, record.size)
            return
        try:
            page = parse_page(record.data)
        except MalformedPage as error:
            self._malformed(record.position, str(error), len(record.data))
            return
        self._add_page(page, record.position)

    def close(self) -> Chunk:
        """Extract what waits and give the chunk."""
        texts, failures = self._engine([wikitext for _, wikitext in self._waiting])
        sizes = pa.compute.binary_length(texts).to_pylist()
        kept: list[int] = []
        for number, (row, wikitext) in enumerate(self._waiting):
            if failure := failures.get(number):
                code = f"{reasons.FAMILY}.{failure.reason}"
                self._builder.quarantine(
                    QuarantineRow(self._file, row.position, code, failure.detail, row.raw_bytes, row.uri)
                )
            elif sizes[number] == 0 and wikitext:
                self._builder.drop(reasons.NO_TEXT, row.raw_bytes)
            else:
                self._builder.document(row)
                kept.append(number)
        texts = texts.take(pa.array(kept, pa.int64()))
        self._builder.counts["text_bytes"] += sum(sizes)
        for mark, count in residue(text_buffers(texts)).items():
            self._builder.counts[f"residue.{mark}"] += count
        self._waiting, self._waiting_bytes = [], 0
        return self._builder.close(texts)

    def _add_page(self, page: Page, position: int) -> None:
        namespace = self._site.namespace_of(page.title) if page.namespace is None else page.namespace
        wanted = namespace in self._config.namespaces
        self._builder.counts["in_namespaces"] += wanted  # whatever else becomes of them
        if reason := _reason_to_drop(page, wanted):
            self._builder.counts[COUNTED[reason]] += 1
            self._builder.drop(reason, len(page.text))
            return
        self._builder.counts["articles"] += 1
        row = DocumentRow(
            uri=self._site.url_of(page.title) or f"{self._file}#{page.title}",
            text="",
            raw_digest=digest16(page.text),
            raw_bytes=len(page.text),
            file=self._file,
            position=position,
            revision=page.revision,
            title=page.title,
            modified=page.modified,
            retrieved=self._config.retrieved,
            license=self._license[0],
            license_evidence=self._license[1],
        )
        self._waiting.append((row, b"" if self._skip_uri(row.uri) else page.text))
        self._waiting_bytes += len(page.text)

    def _malformed(self, position: int, detail: str, size: int) -> None:
        self._builder.counts["malformed"] += 1
        self._builder.quarantine(QuarantineRow(self._file, position, reasons.MALFORMED, detail, size))


def _reason_to_drop(page: Page, wanted: bool) -> str | None:
    if page.redirect or is_redirect(page.text):
        return reasons.REDIRECT
    if not wanted:
        return reasons.NAMESPACE
    if page.model != "wikitext":
        return reasons.MODEL
    if page.deleted:
        return reasons.DELETED
    return None if page.text.strip() else reasons.EMPTY
