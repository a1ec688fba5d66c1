"""fastText's binary model format, version 12, as plain NumPy arrays.

Supervised models with softmax or hierarchical softmax are read, whole (.bin) or quantised (.ftz); quantised matrices
are spelled out, so that nothing else need know of them.  Sources: Joulin et al., "Bag of Tricks for Efficient Text
Classification", 2016, and "FastText.zip", 2016 (quantisation).  Nothing here knows a text.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

MAGIC, VERSION = 793_712_314, 12
SUPERVISED = 3
HIERARCHICAL_SOFTMAX, SOFTMAX = 1, 3
WORD, LABEL = 0, 1
CENTROIDS = 256  # of each sub-quantiser: a code is one byte
MOST_BUCKETS = 1 << 24  # eight times what is usual; a damaged file may ask for anything
LABEL_PREFIX = "__label__"

Matrix = NDArray[np.float32]


class ModelFile(NamedTuple):
    """What a model file says.  A row of `rows` belongs to a word (those come first) or to a bucket of n-grams."""

    minn: int  # fewest and most characters of an n-gram; no n-grams where maxn is 0
    maxn: int
    words: list[bytes]
    labels: list[str]  # without their prefix
    label_counts: NDArray[np.int64]  # how often training saw them; descending
    bucket_rows: NDArray[np.int32]  # [buckets], the row of each, -1 where it was pruned
    rows: Matrix  # [words + buckets that are left, dimensions]
    output: Matrix  # [labels, dimensions]; the last row is unused with a hierarchical softmax
    hierarchical: bool


def read_model(path: Path) -> ModelFile:
    """Read a model.  Raises ValueError, saying what is wrong, for a damaged file or a kind of model not supported."""
    values = _Values(path.read_bytes())
    if values.next("<2i") != (MAGIC, VERSION):
        raise ValueError(f"it does not begin as a fastText model of version {VERSION} does")
    dim, _, _, _, _, word_ngrams, loss, kind, buckets, minn, maxn, _, _ = values.next("<12id")
    if kind != SUPERVISED:
        raise ValueError("it is a model of word vectors, not a classifier")
    if loss not in (HIERARCHICAL_SOFTMAX, SOFTMAX):
        raise ValueError("its loss is neither softmax nor hierarchical softmax")
    if word_ngrams > 1:
        raise ValueError(f"it uses n-grams of {word_ngrams} words; only n-grams of characters are supported")
    if maxn > 0 and not 0 < buckets <= MOST_BUCKETS:
        raise ValueError(f"it uses n-grams of characters with {buckets} buckets for them")
    entries, word_count, label_count, _, pruned = values.next("<3i2q")
    if min(word_count, label_count) < 0 or entries != word_count + label_count or not label_count:
        raise ValueError("its dictionary is damaged")
    names, counts = _entries(values, word_count, label_count)
    bucket_rows = _bucket_rows(values, word_count, buckets if maxn > 0 else 0, pruned)
    (quantised,) = values.next("<?")
    rows = _quantised(values) if quantised else _dense(values)
    (output_quantised,) = values.next("<?")
    output = _quantised(values) if quantised and output_quantised else _dense(values)
    if rows.shape[1] != dim or output.shape != (label_count, dim) or not values.at_end():
        raise ValueError("its matrices do not fit its dictionary")
    if len(rows) < word_count or (len(bucket_rows) and bucket_rows.max() >= len(rows)):
        raise ValueError("it has fewer vectors than words and n-grams")
    if not (np.isfinite(rows).all() and np.isfinite(output).all()):
        raise ValueError("its vectors are not all finite")
    labels = [name.decode("utf-8", "replace").removeprefix(LABEL_PREFIX) for name in names[word_count:]]
    hierarchical = loss == HIERARCHICAL_SOFTMAX
    label_counts = np.array(counts[word_count:], np.int64)
    return ModelFile(minn, maxn, names[:word_count], labels, label_counts, bucket_rows, rows, output, hierarchical)


class _Values:
    """Little-endian values, one after another; ValueError where the file ends too early."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def expect(self, size: int) -> None:
        if not 0 <= size <= len(self.data) - self.at:
            raise ValueError("it ends too early or is damaged")

    def _take(self, size: int) -> int:
        self.expect(size)
        self.at += size
        return self.at - size

    def next(self, layout: str) -> tuple[Any, ...]:
        return struct.unpack_from(layout, self.data, self._take(struct.calcsize(layout)))

    def array(self, dtype: DTypeLike, count: int) -> NDArray[Any]:
        kind = np.dtype(dtype)
        at = self._take(kind.itemsize * count)
        return np.frombuffer(self.data, kind, count, at).astype(kind.newbyteorder("="))  # a copy, hence aligned

    def name(self) -> bytes:
        end = self.data.find(0, self.at)
        at = self._take(end + 1 - self.at)
        return self.data[at:end]

    def at_end(self) -> bool:
        return self.at == len(self.data)


def _entries(values: _Values, words: int, labels: int) -> tuple[list[bytes], list[int]]:
    """Names and counts of the dictionary: words, then labels."""
    names, counts = [], []
    for number in range(words + labels):
        names.append(values.name())
        count, kind = values.next("<qb")
        if kind != (WORD if number < words else LABEL):
            raise ValueError("its dictionary is damaged")
        counts.append(count)
    return names, counts


def _bucket_rows(values: _Values, words: int, buckets: int, pruned: int) -> NDArray[np.int32]:
    """Row of each bucket: in order behind the words, or, in a pruned model (`pruned` >= 0), as its table says."""
    if pruned < 0:
        values.expect(buckets)  # every bucket has a row, of a byte at least
        return np.arange(words, words + buckets, dtype=np.int32)
    table = values.array("<i4", 2 * pruned).reshape(-1, 2)
    if len(table) and (table.min() < 0 or table[:, 0].max() >= buckets):
        raise ValueError("its table of pruned n-grams is damaged")
    rows = np.full(buckets, -1, np.int32)
    rows[table[:, 0]] = words + table[:, 1]
    return rows


def _dense(values: _Values) -> Matrix:
    height, width = _shape(values)
    return values.array("<f4", height * width).reshape(height, width)


def _quantised(values: _Values) -> Matrix:
    """A product quantiser: `width / part` bytes a row, each the number of a centroid of `part` dimensions; the length
    of the row may be quantised apart ("FastText.zip", section 3.2)."""
    (norms_apart,) = values.next("<?")
    height, width = _shape(values)
    (size,) = values.next("<i")
    codes = values.array("u1", size)
    matrix = _from_centroids(values, codes, height, width)
    if norms_apart:
        matrix *= _from_centroids(values, values.array("u1", height), height, 1)
    return matrix


def _from_centroids(values: _Values, codes: NDArray[np.uint8], height: int, width: int) -> Matrix:
    dim, parts, part, last = values.next("<4i")
    if (
        dim != width
        or parts < 1
        or min(part, last) < 1
        or (parts - 1) * part + last != dim
        or codes.size != height * parts
    ):
        raise ValueError("its quantised matrix is damaged")
    centroids = values.array("<f4", dim * CENTROIDS)
    matrix = np.empty((height, dim), np.float32)
    for k, code in enumerate(codes.reshape(height, parts).T):
        first, stop = k * part, min((k + 1) * part, dim)
        matrix[:, first:stop] = centroids[first * CENTROIDS : stop * CENTROIDS].reshape(CENTROIDS, -1)[code]
    return matrix


def _shape(values: _Values) -> tuple[int, int]:
    height, width = values.next("<2q")
    if not (0 < height < 1 << 31 and 0 < width < 1 << 15):
        raise ValueError("it has a matrix of no possible size")
    return height, width
