"""Words and phrases found in texts, whole words only, whatever their case and form.

Texts and entries are brought to NFKC, then cut into words as near_duplicates does (docs/near-duplicates.md): runs of
letters, marks and digits, in lower case; Han, kana and Thai characters are words of their own, so that in scripts
without spaces an entry matches wherever its characters stand in a row.  Words are compared by 64-bit hashes.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import kernel
from gpucurate.core.text_buffers import Bytes, Offsets, TextBuffers, pack_texts
from gpucurate.device.cpu.near_duplicates.words import word_hashes
from gpucurate.device.shingle_characters import shingle_characters

BETWEEN_WORDS = frozenset(" -'’.,·_/&\u00ad\u200b\u200c\u200d")  # that an entry may have without losing its sense
ROOM = 4  # places more than words that the kernel of words wants


class Matcher(NamedTuple):
    """Entries as hashes of their words, those with the same first word together, longest first."""

    firsts: NDArray[np.uint64]  # [first words], sorted
    groups: NDArray[np.int64]  # [first words + 1], into `starts`
    starts: NDArray[np.int64]  # [entries + 1], into `words`
    words: NDArray[np.uint64]


class Matches(NamedTuple):
    """By document: how often entries occur (of several at one place the longest, and none within another), how many
    words those are, and of how many."""

    found: NDArray[np.int32]
    covered: NDArray[np.int32]
    words: NDArray[np.int32]


def has_symbols(entry: str) -> bool:
    """True if cutting into words would lose more of an entry than spaces and punctuation within or between words."""
    table = shingle_characters()
    shown = unicodedata.normalize("NFKC", entry)
    words = [c for c in shown if ord(c) >= len(table) or table[ord(c)]]
    lost = [c for c in shown if ord(c) < len(table) and not table[ord(c)] and c not in BETWEEN_WORDS]
    return not words or bool(lost)


def normalised(texts: Sequence[str]) -> TextBuffers:
    """Texts as they are matched."""
    return pack_texts([text if text.isascii() else unicodedata.normalize("NFKC", text) for text in texts])


def make_matcher(entries: Sequence[str]) -> Matcher:
    """Entries without a word match nothing."""
    by_first: dict[int, set[tuple[int, ...]]] = defaultdict(set)
    for words in hashes_of(normalised(entries)):
        if words:
            by_first[words[0]].add(words)
    firsts = sorted(by_first)
    ordered = [sorted(by_first[first], key=lambda words: (-len(words), words)) for first in firsts]
    flat = [words for group in ordered for words in group]
    return Matcher(
        np.array(firsts, np.uint64),
        np.cumsum([0, *map(len, ordered)], dtype=np.int64),
        np.cumsum([0, *map(len, flat)], dtype=np.int64),
        np.array([word for words in flat for word in words], np.uint64),
    )


def hashes_of(texts: TextBuffers) -> list[tuple[int, ...]]:
    """Hashes of the words of each text."""
    found = []
    for begin, end in zip(texts.offsets[:-1].tolist(), texts.offsets[1:].tolist(), strict=True):
        out = np.empty(end - begin + ROOM, np.uint64)
        count, _ = word_hashes(texts.data, begin, end, shingle_characters(), out, 0)
        found.append(tuple(out[:count].tolist()))
    return found


def count_matches(texts: TextBuffers, matcher: Matcher) -> Matches:
    """Matches of every text."""
    counts = np.zeros((3, texts.documents), np.int32)
    longest = int(np.diff(texts.offsets).max(initial=0))
    buffer = np.empty(longest + ROOM, np.uint64)
    _count(texts.data, texts.offsets, shingle_characters(), *matcher, buffer, *counts)
    return Matches(*counts)


@kernel
def _count(
    data: Bytes,
    offsets: Offsets,
    table: NDArray[np.uint32],
    firsts: NDArray[np.uint64],
    groups: NDArray[np.int64],
    starts: NDArray[np.int64],
    words: NDArray[np.uint64],
    buffer: NDArray[np.uint64],
    found: NDArray[np.int32],
    covered: NDArray[np.int32],
    counted: NDArray[np.int32],
) -> None:
    for document in range(len(offsets) - 1):
        count, _ = word_hashes(data, offsets[document], offsets[document + 1], table, buffer, 0)
        counted[document] = count
        at = 0
        while at < count:
            place = np.searchsorted(firsts, buffer[at])
            length = 0
            if place < len(firsts) and firsts[place] == buffer[at]:
                for entry in range(groups[place], groups[place + 1]):
                    size = starts[entry + 1] - starts[entry]
                    if at + size > count:
                        continue
                    same = True
                    for n in range(1, size):
                        if buffer[at + n] != words[starts[entry] + n]:
                            same = False
                            break
                    if same:
                        length = size
                        break
            if length:
                found[document] += 1
                covered[document] += length
            at += max(length, 1)
