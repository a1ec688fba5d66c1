"""The source `wet`: text that a crawl has already drawn from its pages, from Common Crawl's WET files.

The text of a conversion record is its block, exactly as long as Content-Length says, unchanged.  Every other record is
accounted for by its type.
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from gpucurate.core.digests import digest16
from gpucurate.core.documents import DocumentRow, QuarantineRow
from gpucurate.core.reasons import Reason, Verdict
from gpucurate.recipe.model import SourceConfig
from gpucurate.sources.chunk import ChunkBuilder
from gpucurate.sources.contract import Chunk, Source, Unit
from gpucurate.sources.warc.archive import read_archive
from gpucurate.sources.warc.record import Damage, Record


class WetConfig(SourceConfig):
    """Text conversions of web pages: WET (plain, .gz, .zst, .lz4)."""

    max_bytes: int = Field(64 << 20, gt=0, description="Longest text in bytes; longer ones are put aside.")


class Wet(Source[WetConfig]):
    """The URI is the page's, the revision the WARC-Record-ID of the conversion; text that is no UTF-8
    is decoded with U+FFFD and counted as `wet.replaced`."""

    kind = "wet"
    version = 1
    config_type = WetConfig
    suffixes = tuple(f".wet{packed}" for packed in ("", ".gz", ".zst", ".lz4"))
    reasons = (
        Reason("wet.warcinfo", "the record that describes the file"),
        Reason("wet.other_type", "a record that is no text conversion"),
        Reason("wet.empty", "the conversion gave no text"),
        Reason("wet.too_large", "the text is longer than max_bytes", verdict=Verdict.QUARANTINE),
        Reason("wet.damaged", "a place in the archive where no record could be read", verdict=Verdict.QUARANTINE),
    )

    def read(self, unit: Unit) -> Iterator[Chunk]:
        """Documents in the order of the records."""
        builder = ChunkBuilder(self.name)
        if unit.file.size == 0:
            builder.counts["wet.empty_files"] += 1
        for found in read_archive(unit.file, self.config.max_bytes):
            if isinstance(found, Damage):
                builder.quarantine(found.row(unit.file.name, "wet.damaged"))
            else:
                self._add(builder, unit.file.name, found)
            if builder.full:
                yield builder.close()
        if not builder.empty:
            yield builder.close()

    def _add(self, builder: ChunkBuilder, file: str, record: Record) -> None:
        media_type = record.headers.get("content-type", "text/plain").partition(";")[0].strip().lower()
        if record.type != "conversion" or media_type != "text/plain":
            builder.drop("wet.warcinfo" if record.type == "warcinfo" else "wet.other_type", record.length)
        elif record.length > len(record.block):
            detail = f"the text has {record.length} bytes, max_bytes is {self.config.max_bytes}"
            uri = record.uri_in(file)
            builder.quarantine(QuarantineRow(file, record.position, "wet.too_large", detail, record.length, uri))
        elif not record.block.strip():
            builder.drop("wet.empty", record.length)
        else:
            builder.document(self._row(builder, file, record))

    def _row(self, builder: ChunkBuilder, file: str, record: Record) -> DocumentRow:
        if record.repaired:
            builder.counts["wet.length_repaired"] += 1
        uri = record.uri_in(file)
        return DocumentRow(
            uri=uri,
            text="" if self.skip_uri(uri) else _decoded(builder, record.block),
            raw_digest=digest16(record.block),
            raw_bytes=record.length,
            file=file,
            position=record.position,
            revision=record.revision,
            retrieved=record.date or self.config.retrieved,
            license=self.config.license,
            license_evidence="recipe" if self.config.license else None,
        )


def _decoded(builder: ChunkBuilder, block: bytes) -> str:
    try:
        return block.decode()
    except UnicodeDecodeError:
        builder.counts["wet.replaced"] += 1
        return block.decode("utf-8", "replace")
