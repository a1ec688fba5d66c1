"""The engine as sources see it: pages in, text or a reason out, in batches, without a sandbox since it cannot fail.

A batch releases the interpreter lock, so that threads of one process extract side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gpucurate.core.text_buffers import pack_texts
from gpucurate.sources.html.blocks.extraction import TOO_LARGE, TOO_MANY_TAGS, extract_pages
from gpucurate.sources.html.blocks.feature_names import FEATURE_DIGEST
from gpucurate.sources.html.blocks.metadata import PageMetadata, read_metadata
from gpucurate.sources.html.blocks.page import MAX_BYTES
from gpucurate.sources.html.blocks.trees import Trees
from gpucurate.sources.html.blocks.writing.options import Options
from gpucurate.sources.html.blocks.writing.signals import is_listing

REASONS = {TOO_LARGE: "too_large", TOO_MANY_TAGS: "too_many_tags"}


@dataclass(frozen=True, slots=True)
class BlocksPage:
    """`text` is empty where there is no main content; `reason` says why a page was not looked at (`too_large`,
    `too_many_tags`), `listing` that it mostly links to other pages."""

    text: str
    metadata: PageMetadata
    listing: bool
    reason: str | None = None


class BlocksEngine:
    """Raises MissingModel if the package holds no model."""

    def __init__(self, options: Options | None = None, max_bytes: int = MAX_BYTES, trees: Trees | None = None) -> None:
        self._options = options or Options()
        self._max_bytes = max_bytes
        self._trees = trees or Trees.load()

    @property
    def identity(self) -> str:
        """What the text depends on besides the page: features, model, options."""
        return f"blocks {FEATURE_DIGEST} {self._trees.digest} {tuple(self._options)}"

    def extract(self, pages: Sequence[str]) -> list[BlocksPage]:
        """The main content of each page, in the order of the pages."""
        encoded = [page.encode("utf-8", "replace") for page in pages]  # "replace": a lone surrogate is no character
        batch = pack_texts(encoded)
        found = extract_pages(batch, self._trees.forest, self._options, self._max_bytes)
        source, texts = batch.data.data, found.texts.data.data
        ends = found.texts.offsets.tolist()
        return [
            BlocksPage(
                str(texts[ends[k] : ends[k + 1]], "utf-8", "replace"),
                read_metadata(source, found.fields[k]),
                is_listing(found.signals[k]),
                REASONS.get(outcome),
            )
            for k, outcome in enumerate(found.outcomes.tolist())
        ]
