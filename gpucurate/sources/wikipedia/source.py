"""The source: which files, how they are cut, and the way of a unit from bytes to chunks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.metadata import version
from typing import ClassVar

from gpucurate.core.documents import QuarantineRow
from gpucurate.sources.bzip2 import warm as warm_bzip2
from gpucurate.sources.chunk import ChunkBuilder
from gpucurate.sources.contract import CHUNK_BYTES, Chunk, InputFile, Source, Unit
from gpucurate.sources.decompress import SUFFIXES
from gpucurate.sources.files import open_input
from gpucurate.sources.wikipedia.characters import unescape
from gpucurate.sources.wikipedia.config import NO_EXPORT, REASONS, WikipediaConfig
from gpucurate.sources.wikipedia.engines import make_engine
from gpucurate.sources.wikipedia.pages import split_pages
from gpucurate.sources.wikipedia.pieces import form_of, read_pieces
from gpucurate.sources.wikipedia.records import Records
from gpucurate.sources.wikipedia.siteinfo import read_siteinfo
from gpucurate.sources.wikitext import warm as warm_wikitext


class Wikipedia(Source[WikipediaConfig]):
    """`position` is a page's byte offset in a plain file, the offset of the block that holds its start
    in a bzip2 file, else its number from 0; the URI is its address, or `file#title` where the export gives none."""

    kind = "wikipedia"
    version = 1
    config_type = WikipediaConfig
    reasons = REASONS
    suffixes = tuple(".xml" + packed for packed in ("", *SUFFIXES))
    unit_bytes: ClassVar[dict[str, int]] = {"none": CHUNK_BYTES, "bzip2": CHUNK_BYTES // 4}  # wikitext packs fourfold

    def identity(self) -> dict[str, object]:
        """The configuration, and the parser's version where it is the engine."""
        identity = super().identity()
        if self.config.engine == "mwparserfromhell":
            identity["mwparserfromhell"] = version("mwparserfromhell")
        return identity

    def units(self, files: Sequence[InputFile]) -> list[Unit]:
        """Plain and bzip2 files in UTF-8 in byte ranges of `unit_bytes`, others whole."""
        return [unit for file in files for unit in self._cut(file)]

    def read(self, unit: Unit) -> Iterator[Chunk]:
        """Documents of the pages that begin in the unit."""
        with open_input(unit.file) as stored:
            form = form_of(stored, unit.file)
            head = Unit(unit.source, unit.file, 0, unit.file.size)
            site = read_siteinfo(read_pieces(stored, head, form, framed=False))
            if site is None:
                if unit.start == 0:
                    yield _no_export(unit)
                return
            engine = make_engine(self.config, site.namespaces)
            records = Records(self.config, unit, site, engine, self.skip_uri)
            stored.seek(0)
            for record in split_pages(read_pieces(stored, unit, form, site.framed)):
                records.add(record)
                if records.full:
                    yield records.close()
            if not records.empty:
                yield records.close()

    def warm(self) -> None:
        """Compile the kernels of bzip2, of character data and of the scanner."""
        warm_bzip2()
        warm_wikitext()
        unescape(b"&amp;")

    def _cut(self, file: InputFile) -> list[Unit]:
        with open_input(file) as stored:
            form = form_of(stored, file)
        size = self.unit_bytes.get(form.compression, file.size) if form.cuttable else file.size
        if file.size <= size:
            return [Unit(self.name, file, 0, file.size)]
        return [Unit(self.name, file, at, min(at + size, file.size)) for at in range(0, file.size, size)]


def _no_export(unit: Unit) -> Chunk:
    builder = ChunkBuilder(unit.source)
    what = "the file is empty" if unit.file.size == 0 else "the file does not begin as a MediaWiki XML export"
    remedy = "Remedy: name .xml files, plain or packed as .bz2, .gz or .zst (unpack .7z first)"
    builder.quarantine(QuarantineRow(unit.file.name, 0, NO_EXPORT, f"{what}. {remedy}"))
    return builder.close()
