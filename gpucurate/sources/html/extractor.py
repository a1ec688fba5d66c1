"""The engines as sources see them: a page in, its text or a typed failure out, never an exception.

Each engine runs in a sandbox of its own, since both crash or hang on pages that a crawl contains.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from importlib.metadata import version
from typing import Literal

from gpucurate.core.errors import MissingExtra
from gpucurate.core.reasons import Reason, Verdict
from gpucurate.sources.html import engines
from gpucurate.sources.sandbox import Failure, shared_sandbox

Engine = Literal["resiliparse", "trafilatura"]
MEMORY_BYTES = 4 << 30  # address space of a sandbox child; a page of 16 MB takes a tenth

REASONS = (
    Reason("html.empty", "the engine found no main content"),
    Reason("html.timeout", "the page took more than its time limit to extract", verdict=Verdict.QUARANTINE),
    Reason("html.crash", "the engine failed on the page", verdict=Verdict.QUARANTINE),
    Reason("html.too_large", "the page is larger than max_bytes", verdict=Verdict.QUARANTINE),
)


@dataclass(frozen=True, slots=True)
class Page:
    """What an engine drew from a page; `text` is empty where it found no content."""

    title: str | None
    text: str


class Extractor:
    """An engine with its settings.  Raises MissingExtra if its package is not installed."""

    def __init__(self, engine: Engine, seconds: float, tables: bool) -> None:
        self.engine = engine
        if importlib.util.find_spec(engine) is None:
            raise MissingExtra(f"engine {engine!r}", engine, "html")
        function = engines.trafilatura if tables else engines.trafilatura_without_tables
        function = engines.resiliparse if engine == "resiliparse" else function
        self._sandbox = shared_sandbox(function.__module__, function.__name__, seconds, MEMORY_BYTES)

    @property
    def identity(self) -> str:
        """Engine and version: another version may draw other text."""
        return f"{self.engine} {version(self.engine)}"

    def extract(self, page: str) -> Page | Failure:
        """Title and main content of a page, or why there is none (`timeout` or `crash`)."""
        answer = self._sandbox.run(page.encode("utf-8", "replace"))
        if isinstance(answer, Failure):
            return answer
        title, _, text = (answer or b"\n").decode().partition("\n")
        return Page(title or None, text)
