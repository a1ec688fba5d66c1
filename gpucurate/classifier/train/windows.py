"""Documents as windows of token ids, cut exactly as scoring cuts them, and addressed by document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.digests import digest16
from gpucurate.steps.quality.windows import Windows, cut


@dataclass(frozen=True, slots=True)
class DocumentWindows:
    """The windows of some documents, in their order; several documents' windows lie one after another."""

    cut: Windows
    first: NDArray[np.int64]  # [documents + 1], numbers of windows

    @classmethod
    def of(cls, tokenizer: Any, texts: Sequence[str], max_tokens: int, long: str, max_windows: int) -> DocumentWindows:
        """Cut texts: one window each (`truncate`), or up to `max_windows`, evenly spaced (`mean`)."""
        windows = cut(tokenizer, texts, max_tokens, long, max_windows)
        return cls(windows, np.searchsorted(windows.owner, np.arange(len(texts) + 1)))

    def counts(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """[rows]: windows of each document."""
        return np.asarray(self.first[rows + 1] - self.first[rows])

    def numbers(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The windows of these documents, in their order."""
        ranges = [np.arange(self.first[row], self.first[row + 1]) for row in rows]
        return np.concatenate(ranges) if ranges else np.empty(0, np.int64)

    def select(self, rows: NDArray[np.int64]) -> DocumentWindows:
        """These documents alone, in this order."""
        chosen, counts, old = self.numbers(rows), self.counts(rows), self.cut
        pieces = [old.ids[old.starts[w] : old.starts[w + 1]] for w in chosen]
        ids = np.concatenate(pieces) if pieces else old.ids[:0]
        starts = np.cumsum([0, *map(len, pieces)], dtype=np.int64)
        owner = np.repeat(np.arange(len(rows)), counts)
        return DocumentWindows(Windows(ids, starts, owner), np.cumsum([0, *counts], dtype=np.int64))

    def digest(self, chosen: NDArray[np.int64]) -> str:
        """32 hex digits over the token ids of these windows."""
        pieces = [self.cut.ids[self.cut.starts[w] : self.cut.starts[w + 1]] for w in chosen]
        sizes = np.array([len(piece) for piece in pieces], np.int64)
        return digest16(sizes.tobytes() + b"".join(piece.tobytes() for piece in pieces)).hex()
