"""What is protected: items, the texts each of them may appear as, and the grams of every text.

A text of L words is searched for by grams of

- n words (13) if L >= 2 n, at a share of `threshold`;
- short_n words (8) if L >= short_n, at a share of `short_threshold`;
- LEAST_WORDS words (5) if L >= LEAST_WORDS: all of them must be there, and the document is only flagged, as a question
  of so few words may be asked by anybody;
- nothing below that.  An item all of whose texts are so short is reported as not protected.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpucurate.core.digests import digest16
from gpucurate.core.text_buffers import pack_texts
from gpucurate.device.backend import Backend
from gpucurate.device.grams import GramTable, gram_table
from gpucurate.device.hash_family import affine32
from gpucurate.steps.decontaminate.config import Action, DecontaminateConfig
from gpucurate.steps.decontaminate.registry import HELD_OUT, Benchmark

LEAST_WORDS = 5
ID_BYTES = 6  # of an item's digest: enough to tell items of one benchmark apart, and to look one up
STATES = ("protected", "flagged_only", "too_short", "empty", "duplicate")
ACTIONS = (Action.FLAG, Action.REMOVE, Action.DROP)  # the later one wins
Numbers = NDArray[np.int64]

ITEMS = pa.schema(
    [
        pa.field("benchmark", pa.string(), nullable=False),
        pa.field("item", pa.string(), nullable=False),  # opaque: digest of its texts
        pa.field("record", pa.int64(), nullable=False),  # its place in the benchmark's files, from 0
        pa.field("state", pa.string(), nullable=False),  # one of STATES
        pa.field("words", pa.int64(), nullable=False),  # of its longest text
    ]
)


@dataclass(frozen=True, slots=True)
class TextGrams:
    """Texts as gram sets: text k has `lengths[k]` words a gram (0: it is not searched for) and the hashes
    `hashes[offsets[k]:offsets[k + 1]]`, sorted and distinct."""

    words: Numbers
    lengths: Numbers
    shares: NDArray[np.float64]  # of its grams that must be found
    offsets: Numbers
    hashes: NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Protected:
    """Everything that is searched for.  Text k belongs to item `items[k]`; items of different texts are different."""

    table: GramTable
    items: Numbers  # [texts]
    shares: NDArray[np.float64]  # [texts]
    starts: Numbers  # [texts + 1], into `grams`
    grams: Numbers  # places in the table, sorted within a text
    benchmarks: list[str]  # [items] names
    names: list[str]  # [items] opaque ids
    actions: Numbers  # [texts] place in ACTIONS
    owner_starts: Numbers  # [grams of the table + 1], into `owners`
    owners: Numbers  # the texts that have each gram, ascending
    lengths: Numbers  # [grams of the table] words

    @property
    def sizes(self) -> Numbers:
        """[texts] how many grams each has."""
        return np.diff(self.starts)


def opaque(texts: Sequence[str]) -> str:
    """The id of an item, which says nothing of its content."""
    return digest16("\0".join(texts).encode()).hex()[: 2 * ID_BYTES]


def text_grams(
    texts: Sequence[str], config: DecontaminateConfig, backend: Backend, benchmark: Benchmark | None = None
) -> TextGrams:
    """Grams of texts by the rule above; a benchmark may have its own n and threshold."""
    n = config.n if benchmark is None or benchmark.n is None else benchmark.n
    share = config.threshold if benchmark is None or benchmark.threshold is None else benchmark.threshold
    packed = pack_texts(list(texts))
    words = backend.signatures(packed, 1, affine32(1, 0)).shingles
    least = min(LEAST_WORDS, config.short_n)
    classes = [(words >= 2 * n), (words >= config.short_n), (words >= least)]
    lengths = np.select(classes, [n, config.short_n, least], 0).astype(np.int64)
    shares = np.select(classes, [share, max(share, config.short_threshold), 1.0], 1.0)
    sets = [np.zeros(0, np.uint64)] * len(texts)
    for length in np.unique(lengths[lengths > 0]).tolist():
        rows = np.flatnonzero(lengths == length)
        found = backend.shingle_sets(pack_texts([texts[row] for row in rows.tolist()]), length)
        for row, low, high in zip(rows.tolist(), found.offsets[:-1], found.offsets[1:], strict=True):
            sets[row] = found.hashes[low:high]
    offsets = np.cumsum([0, *(len(each) for each in sets)]).astype(np.int64)
    return TextGrams(words, lengths, shares, offsets, np.concatenate([np.zeros(0, np.uint64), *sets]))


class Collection:
    """Items as they are collected."""

    def __init__(self, config: DecontaminateConfig, backend: Backend) -> None:
        self.rows: list[tuple[str, str, int, str, int]] = []  # of ITEMS
        self._config, self._backend = config, backend
        self._parts: list[TextGrams] = []
        self._items: list[Numbers] = []
        self._benchmarks: list[str] = []
        self._names: list[str] = []
        self._actions: list[Numbers] = []

    def copy(self) -> Collection:
        """One that more can be added to."""
        other = Collection(self._config, self._backend)
        other.rows = list(self.rows)
        other._parts, other._items = list(self._parts), list(self._items)
        other._benchmarks, other._names, other._actions = list(self._benchmarks), list(self._names), list(self._actions)
        return other

    def add_benchmark(self, benchmark: Benchmark, records: Iterable[tuple[str, ...]]) -> None:
        """All records of a benchmark; equal ones are one item."""
        items = list(records)
        each = len(benchmark.items)
        made = text_grams([text for texts in items for text in texts], self._config, self._backend, benchmark)
        words = made.words.reshape(-1, each)
        lengths = made.lengths.reshape(-1, each)
        seen: set[str] = set()
        wanted: list[int] = []
        for record, texts in enumerate(items):
            name = opaque(texts)
            state = _state(words[record], lengths[record], self._config, name in seen)
            self.rows.append((benchmark.name, name, record, state, int(words[record].max(initial=0))))
            if state in STATES[:2]:
                wanted += range(record * each, (record + 1) * each)
                self._add_item(benchmark.name, name)
            seen.add(name)
        first = len(self._names) - len(wanted) // each
        self._items.append(first + np.repeat(np.arange(len(wanted) // each), each))
        self._parts.append(_chosen(made, np.array(wanted, np.int64)))
        self._add_actions(benchmark.verdict or self._config.verdict)

    def add_held_out(self, names: Sequence[str], grams: TextGrams) -> None:
        """Documents of the corpus itself, by record id; they are never cut out of others, only drop or flag them."""
        action = Action.FLAG if self._config.verdict is Action.FLAG else Action.DROP
        first = len(self._names)
        for name in names:
            self._add_item(HELD_OUT, name)
        self._items.append(first + np.arange(len(names)))
        self._parts.append(grams)
        self._add_actions(action)

    def protected(self) -> Protected:
        """All of it, with every gram in one table."""
        lengths = np.concatenate([np.zeros(0, np.int64), *(part.lengths for part in self._parts)])
        sizes = np.concatenate([np.zeros(0, np.int64), *(np.diff(part.offsets) for part in self._parts)])
        hashes = np.concatenate([np.zeros(0, np.uint64), *(part.hashes for part in self._parts)])
        of_hash = np.repeat(lengths, sizes)
        table = gram_table({n: hashes[of_hash == n] for n in np.unique(of_hash).tolist()})
        grams = np.zeros(len(hashes), np.int64)
        for t, n in enumerate(table.lengths.tolist()):
            low, high = int(table.bounds[t]), int(table.bounds[t + 1])
            mine = of_hash == n
            grams[mine] = low + np.searchsorted(table.hashes[low:high], hashes[mine])
        counts = np.bincount(grams, minlength=len(table.hashes))
        return Protected(
            table,
            np.concatenate([np.zeros(0, np.int64), *self._items]),
            np.concatenate([np.zeros(0), *(part.shares for part in self._parts)]),
            np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            grams,
            self._benchmarks,
            self._names,
            np.concatenate([np.zeros(0, np.int64), *self._actions]),
            np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            np.repeat(np.arange(len(sizes)), sizes)[np.argsort(grams, kind="stable")],
            np.repeat(table.lengths, np.diff(table.bounds)),
        )

    def _add_item(self, benchmark: str, name: str) -> None:
        self._benchmarks.append(benchmark)
        self._names.append(name)

    def _add_actions(self, action: Action) -> None:
        """For the texts added last: those of few words only flag."""
        few = self._parts[-1].words < self._config.short_n
        self._actions.append(np.where(few, ACTIONS.index(Action.FLAG), ACTIONS.index(action)).astype(np.int64))


def _state(words: Numbers, lengths: Numbers, config: DecontaminateConfig, seen: bool) -> str:
    if not words.any():
        return "empty"
    if seen:
        return "duplicate"
    if not lengths.any():
        return "too_short"
    return "protected" if (words >= config.short_n).any() else "flagged_only"


def _chosen(grams: TextGrams, texts: Numbers) -> TextGrams:
    sizes = np.diff(grams.offsets)[texts]
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    at = np.arange(int(offsets[-1])) + np.repeat(grams.offsets[texts] - offsets[:-1], sizes)
    return TextGrams(grams.words[texts], grams.lengths[texts], grams.shares[texts], offsets, grams.hashes[at])
