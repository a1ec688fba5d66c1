"""The engines as sources see them: a page in, its text or a typed failure out, never an exception.

`resiliparse` and `trafilatura` run in a sandbox of their own, since both crash or hang on pages that a crawl contains.
`blocks` does neither; it runs in the process, on many pages at once.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Literal

from gpucurate.core.errors import MissingExtra
from gpucurate.core.reasons import Reason, Verdict
from gpucurate.sources.html import engines
from gpucurate.sources.html.blocks.engine import BlocksEngine
from gpucurate.sources.html.blocks.metadata import PageMetadata
from gpucurate.sources.html.blocks.writing.options import Options
from gpucurate.sources.sandbox import Failure, shared_sandbox

Engine = Literal["blocks", "resiliparse", "trafilatura"]
MEMORY_BYTES = 4 << 30  # address space of a sandbox child; a page of 16 MB takes a tenth

NOTHING_SAID = PageMetadata()

REASONS = (
    Reason("html.empty", "the engine found no main content"),
    Reason("html.timeout", "the page took more than its time limit to extract", verdict=Verdict.QUARANTINE),
    Reason("html.crash", "the engine failed on the page", verdict=Verdict.QUARANTINE),
    Reason("html.too_large", "the page is larger than max_bytes", verdict=Verdict.QUARANTINE),
    Reason("html.too_many_tags", "the page has more tags than the engine keeps room for", verdict=Verdict.QUARANTINE),
)


@dataclass(frozen=True, slots=True)
class Page:
    """What an engine drew from a page; `text` is empty where it found no content.

    Only `blocks` reads `metadata` and tells a `listing`, a page that mostly links to others; None is not known.
    """

    title: str | None
    text: str
    metadata: PageMetadata = NOTHING_SAID
    listing: bool | None = None


class Extractor:
    """An engine with its settings; `seconds` and `tables` are for those in a sandbox, `options` for `blocks`.

    Raises MissingExtra if the engine's package is not installed, MissingModel if `blocks` has no model.
    """

    def __init__(self, engine: Engine, seconds: float, tables: bool, options: Options | None = None) -> None:
        self.engine = engine
        self._blocks = BlocksEngine(options) if engine == "blocks" else None
        if self._blocks is None:
            if importlib.util.find_spec(engine) is None:
                raise MissingExtra(f"engine {engine!r}", engine, "html")
            function = engines.trafilatura if tables else engines.trafilatura_without_tables
            function = engines.resiliparse if engine == "resiliparse" else function
            self._sandbox = shared_sandbox(function.__module__, function.__name__, seconds, MEMORY_BYTES)

    @property
    def identity(self) -> str:
        """Engine and version: another version may draw other text."""
        return self._blocks.identity if self._blocks is not None else f"{self.engine} {version(self.engine)}"

    def extract(self, page: str) -> Page | Failure:
        """Title and main content of a page, or why there is none (`timeout`, `crash`, `too_large`, `too_many_tags`)."""
        return self.extract_all([page])[0]

    def extract_all(self, pages: Sequence[str]) -> list[Page | Failure]:
        """As `extract`, for each page; `blocks` takes them in one call without the interpreter lock."""
        if self._blocks is None:
            return [self._in_sandbox(page) for page in pages]
        return [
            Failure(found.reason, "more than the engine `blocks` takes")
            if found.reason
            else Page(found.metadata.title, found.text, found.metadata, found.listing)
            for found in self._blocks.extract(pages)
        ]

    def _in_sandbox(self, page: str) -> Page | Failure:
        answer = self._sandbox.run(page.encode("utf-8", "replace"))
        if isinstance(answer, Failure):
            return answer
        title, _, text = (answer or b"\n").decode().partition("\n")
        return Page(title or None, text)
