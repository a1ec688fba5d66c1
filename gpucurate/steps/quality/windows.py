"""Texts as windows of token ids: the beginning alone, or consecutive windows over the whole text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

TEXTS_AT_ONCE = 256  # bounds what the tokenizer's own objects take
CHARACTERS_A_TOKEN = 24  # far more than any language needs: what lies behind so many a token is hardly looked at


@dataclass(frozen=True, slots=True)
class Windows:
    """Token ids of all windows, one after another, special tokens included."""

    ids: NDArray[np.int32]
    starts: NDArray[np.int64]  # [windows + 1], places in `ids`
    owner: NDArray[np.int64]  # [windows], number of the text, ascending

    def lengths(self) -> NDArray[np.int64]:
        """[windows]: tokens of each."""
        return np.diff(self.starts)

    def padded(self, chosen: NDArray[np.int64], pad: int) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
        """Ids of some windows, [chosen, longest of them], and their mask; no mask where nothing was padded."""
        lengths = self.lengths()[chosen]
        columns = np.arange(int(lengths.max()))
        mask = columns[None, :] < lengths[:, None]
        places = np.where(mask, self.starts[chosen][:, None] + columns[None, :], 0)
        ids = np.where(mask, self.ids[places], pad).astype(np.int64)
        return ids, None if mask.all() else mask.astype(np.int64)

    def joined(self, chosen: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Ids of some windows, one after another, and the lengths [chosen]."""
        lengths = self.lengths()[chosen]
        pieces = [self.ids[self.starts[n] : self.starts[n + 1]] for n in chosen]
        return np.concatenate(pieces).astype(np.int64), lengths


def cut(tokenizer: Any, texts: Sequence[str], max_tokens: int, long: str, max_windows: int) -> Windows:
    """Windows of at most `max_tokens` ids: one a text (`truncate`), or of a longer text up to `max_windows`, evenly
    spaced, the first and the last among them (`mean`)."""
    ids: list[NDArray[np.int32]] = []
    owner: list[int] = []
    for number, windows in enumerate(_windows(tokenizer, texts, max_tokens, long)):
        chosen = np.unique(np.linspace(0, len(windows) - 1, min(len(windows), max_windows)).round().astype(int))
        ids += [np.array(windows[n], np.int32) for n in chosen]
        owner += [number] * len(chosen)
    starts = np.cumsum([0, *map(len, ids)], dtype=np.int64)
    return Windows(np.concatenate(ids) if ids else np.zeros(0, np.int32), starts, np.array(owner, np.int64))


def _windows(tokenizer: Any, texts: Sequence[str], max_tokens: int, long: str) -> Iterator[list[list[int]]]:
    for low in range(0, len(texts), TEXTS_AT_ONCE):
        slab = texts[low : low + TEXTS_AT_ONCE]
        if long == "mean":
            yield from _all_windows(tokenizer, slab, max_tokens)
        else:
            yield from ([row] for row in _first_windows(tokenizer, slab, max_tokens))


def _all_windows(tokenizer: Any, texts: Sequence[str], max_tokens: int) -> list[list[list[int]]]:
    encoded = _encode(tokenizer, texts, max_tokens, return_overflowing_tokens=True)
    found: list[list[list[int]]] = [[] for _ in texts]
    for row, owner in zip(encoded["input_ids"], encoded["overflow_to_sample_mapping"], strict=True):
        found[owner].append(row)
    return found


def _first_windows(tokenizer: Any, texts: Sequence[str], max_tokens: int) -> list[list[int]]:
    """The first window, from the leading characters alone where they suffice: of a text of a megabyte the tokenizer
    would otherwise see all."""
    leading = [_leading(text, CHARACTERS_A_TOKEN * max_tokens) for text in texts]
    rows: list[list[int]] = list(_encode(tokenizer, leading, max_tokens)["input_ids"])
    short = [n for n, row in enumerate(rows) if len(row) < max_tokens and len(leading[n]) < len(texts[n])]
    if short:
        again = _encode(tokenizer, [texts[n] for n in short], max_tokens)["input_ids"]
        for n, row in zip(short, again, strict=True):
            rows[n] = row
    return rows


def _leading(text: str, characters: int) -> str:
    """Up to so many characters, ending before a space, so that no word is cut; the whole text where there is none."""
    end = text.rfind(" ", 0, characters) if len(text) > characters else -1
    return text[:end] if end > 0 else text


def _encode(tokenizer: Any, texts: Sequence[str], max_tokens: int, **more: bool) -> Any:
    return tokenizer(
        list(texts),
        truncation=True,
        max_length=max_tokens,
        return_attention_mask=False,
        return_token_type_ids=False,
        **more,
    )
