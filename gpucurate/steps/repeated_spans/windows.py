"""Windows of n units that may occur again: for passages those whose sample does, for other modes all.

Winnowing (Schleimer, Wilkerson and Aiken 2003) takes of every n - k + 1 consecutive windows of k = n / 2 words the one
with the least hash.  So every run of n words contains a sample of its own, equal runs have equal ones at equal places,
and a run whose own sample occurs once occurs once itself.  On ordinary text one window in n / 4 is a sample.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpucurate.core.compiled import kernel
from gpucurate.core.text_buffers import Bytes, Offsets, text_buffers
from gpucurate.device.backend import Backend
from gpucurate.device.cpu.near_duplicates.hashing import WORD_SEED, fold, mix
from gpucurate.device.cpu.near_duplicates.shingles import shingle_hashes
from gpucurate.steps.comparison import PartDocuments, Range
from gpucurate.steps.near_duplicates.numbering import HALF, column
from gpucurate.steps.repeated_spans.config import Mode
from gpucurate.steps.repeated_spans.places import batches, document_of, key_table, place, unit_of
from gpucurate.steps.repeated_spans.units import units_of

REPEATED = pa.schema([pa.field("key", pa.uint64(), nullable=False)])  # sorted


def sample_size(words: int) -> tuple[int, int]:
    """Words of a sample, and of how many consecutive ones one is taken, so that `words` words contain one."""
    size = (words + 1) // 2
    return size, words - size + 1


def sample_table(part: PartDocuments, backend: Backend, words: int) -> pa.Table:
    """Samples of every document of at least `words` words; schema KEYS."""
    found = backend.sampled_windows(text_buffers(part.texts()), *sample_size(words))
    rows = np.repeat(part.rows.astype(np.int64), np.diff(found.offsets))
    return key_table([found.hashes], [place(rows, found.positions)])


def repeated_keys(keys: Range, tables: Sequence[pa.Table]) -> pa.Table:
    """Keys of a range that occur more than once; schema REPEATED."""
    found = np.sort(np.concatenate([np.zeros(0, np.uint64), *(column(keys.of(t, "key"), "key") for t in tables)]))
    again = found[1:][found[1:] == found[:-1]]
    return pa.table([pa.array(np.unique(again))], schema=REPEATED)


def candidate_table(
    part: PartDocuments, samples: pa.Table, repeated: Sequence[pa.Table], backend: Backend, words: int
) -> pa.Table:
    """Windows of `words` words whose own sample is repeated; schema KEYS."""
    again = np.zeros(samples.num_rows, np.bool_)
    key = column(samples, "key")
    for table in repeated:
        wanted = column(table, "key")
        if len(wanted):
            near = slice(int(np.searchsorted(key, wanted[0])), int(np.searchsorted(key, wanted[-1], side="right")))
            again[near] = wanted[np.searchsorted(wanted, key[near])] == key[near]
    where = column(samples, "place")
    order = np.argsort(where)
    where, key, again = where[order], key[order], again[order]
    rows, texts = np.unique(document_of(where[again])), part.texts()
    at = np.searchsorted(part.rows, rows)
    position, keys, places = unit_of(where), [], []
    for batch in batches(_ends(texts, at)):
        some = rows[batch]
        found = backend.sampled_windows(text_buffers(texts.take(pa.array(at[batch]))), words, 1)
        bounds = np.searchsorted(where, np.stack([some, some + 1]).astype(np.uint64) << HALF)
        maybe = candidates(bounds, position, key, again, sample_size(words)[1], found.offsets)
        keys.append(found.hashes[maybe])
        places.append(place(np.repeat(some, np.diff(found.offsets)), found.positions)[maybe])
    return key_table(keys, places)


@kernel
def candidates(
    bounds: NDArray[np.int64],
    position: NDArray[np.int64],
    key: NDArray[np.uint64],
    again: NDArray[np.bool_],
    span: int,
    offsets: Offsets,
) -> NDArray[np.bool_]:
    """Mark the windows whose own sample occurs again.

    The samples of document d are numbers bounds[0, d] to bounds[1, d]; its windows are marked from offsets[d] on.  A
    window's own sample is the first least one of `span` positions, of which the window's own is the first.
    """
    maybe = np.zeros(offsets[len(offsets) - 1], np.bool_)
    for d in range(len(offsets) - 1):
        begin, stop = bounds[0, d], bounds[1, d]
        for s in range(begin, stop):
            if not again[s]:
                continue
            low, high = max(0, position[s] - span + 1), min(position[s], offsets[d + 1] - offsets[d] - 1)
            q = s - 1
            while q >= begin and position[q] >= low:
                if key[q] <= key[s]:
                    low = position[q] + 1
                q -= 1
            q = s + 1
            while q < stop and position[q] <= high + span - 1:
                if key[q] < key[s]:
                    high = max(position[q] - span, -1)
                q += 1
            maybe[offsets[d] + low : offsets[d] + high + 1] = True
    return maybe


def unit_table(part: PartDocuments, mode: Mode, units: int, words: int) -> pa.Table:
    """Every window of `units` units that has at least `words` words; schema KEYS.

    On the CPU for every device: one pass over text that is at hand there.
    """
    texts = part.texts()
    keys, places = [], []
    for batch in batches(_ends(texts, np.arange(len(texts)))):
        some = text_buffers(texts[batch])
        found = units_of(some, mode)
        before = found.words_before(units_of(some, Mode.PASSAGES), some)
        offsets, position, key = unit_windows(found.spelling, found.places, found.offsets, before, units, words)
        keys.append(key)
        places.append(place(np.repeat(part.rows[batch].astype(np.int64), np.diff(offsets)), position))
    return key_table(keys, places)


@kernel
def unit_windows(
    spelling: Bytes, places: Offsets, bounds: Offsets, before: NDArray[np.int64], units: int, words: int
) -> tuple[Offsets, NDArray[np.int64], NDArray[np.uint64]]:
    """Offsets [documents + 1], first units and hashes of windows; `before`: words before each unit [units + 1]."""
    hashes = np.empty(len(places) - 1, np.uint64)
    for u in range(len(hashes)):
        hashes[u] = hash_of(spelling[places[u] : places[u + 1]])
    offsets = np.zeros(len(bounds), np.int64)
    position, key, window = np.empty_like(before), np.empty_like(hashes), np.empty_like(hashes)
    n = 0
    for d in range(len(bounds) - 1):
        first, count = bounds[d], bounds[d + 1] - bounds[d]
        if count >= units:
            for i in range(shingle_hashes(hashes[first : first + count], count, units, window)):
                if before[first + i + units] - before[first + i] >= words:
                    position[n], key[n] = i, window[i]
                    n += 1
        offsets[d + 1] = n
    return offsets, position[:n].copy(), key[:n].copy()


@kernel
def hash_of(spelling: Bytes) -> np.uint64:
    """64 bits of a spelling, eight bytes a step; its length counts."""
    value = WORD_SEED ^ np.uint64(len(spelling))
    block = np.uint64(0)
    for i in range(len(spelling)):
        block |= np.uint64(spelling[i]) << np.uint64(8 * (i & 7))
        if i & 7 == 7:
            value = fold(value, block)
            block = np.uint64(0)
    return mix(fold(value, block))


def _ends(texts: pa.Array, at: NDArray[np.int64]) -> Offsets:
    """Running sum of the lengths of some texts, from 0."""
    lengths = np.diff(text_buffers(texts).offsets)[at]
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
