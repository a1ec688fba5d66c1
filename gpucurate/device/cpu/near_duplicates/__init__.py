"""The verbs of near-duplicate removal on the CPU: from text to shingles, signatures and sets, from keys to clusters.

Every room is one idea: hashing, eight_bytes and characters make words; words make shingles; those make signatures or
sets; bands, grouping, verification and components know only numbers.  No threshold and no policy is known here.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.text_buffers import Scalar, TextBuffers, pack_texts, read_only
from gpucurate.device.backend import Pairs, ShingleSets, Signatures
from gpucurate.device.cpu.near_duplicates.bands import hash_bands
from gpucurate.device.cpu.near_duplicates.components import flatten, unite
from gpucurate.device.cpu.near_duplicates.grouping import group_partition, partition_bits, scatter
from gpucurate.device.cpu.near_duplicates.minhash import sign
from gpucurate.device.cpu.near_duplicates.sets import collect
from gpucurate.device.cpu.near_duplicates.verification import count_shared
from gpucurate.device.hash_family import HashFamily, affine32
from gpucurate.device.shingle_characters import shingle_characters


def signatures(texts: TextBuffers, shingle: int, hashes: HashFamily) -> Signatures:
    """See `gpucurate.device.backend.Backend.signatures`.  Memory beside texts and result: a few tens of kilobytes.

    Raises ValueError if a shingle has no word.
    """
    _check_shingle(shingle)
    rows = np.empty((texts.documents, len(hashes.a)), np.uint32)
    shingles = np.empty(texts.documents, np.int64)
    a, b = _fixed(hashes.a, np.uint32), _fixed(hashes.b, np.uint32)
    sign(read_only(texts.data), read_only(texts.offsets), shingle_characters(), shingle, a, b, rows, shingles)
    return Signatures(rows, shingles)


def shingle_sets(texts: TextBuffers, shingle: int) -> ShingleSets:
    """See `gpucurate.device.backend.Backend.shingle_sets`.  Memory: at most about 2.5 times the result's 8 bytes
    a shingle, and 12 bytes a shingle of the longest document.

    Raises ValueError if a shingle has no word.
    """
    _check_shingle(shingle)
    return ShingleSets(*collect(read_only(texts.data), read_only(texts.offsets), shingle_characters(), shingle))


def band_keys(signatures: NDArray[np.uint32], bands: int, rows: int) -> NDArray[np.uint64]:
    """See `gpucurate.device.backend.Backend.band_keys`.  Raises ValueError if the signatures have too few columns."""
    if bands * rows > signatures.shape[1]:
        raise ValueError(f"{bands} bands of {rows} rows ask for more hashes than the {signatures.shape[1]} there are")
    keys = np.empty((bands, len(signatures)), np.uint64)
    hash_bands(_fixed(signatures, np.uint32), rows, keys)
    return keys


def group(keys: NDArray[np.uint64], first: NDArray[np.uint64], second: NDArray[np.uint64], all_pairs: int) -> Pairs:
    """See `gpucurate.device.backend.Backend.group`.  Memory: 16 bytes a row, twice the result's 16 bytes
    a pair, and about 50 bytes a row of the largest partition (a 2^11th of the rows, unless keys are skewed).

    Raises ValueError if the three arrays differ in length.
    """
    if not len(keys) == len(first) == len(second):
        raise ValueError(f"keys, first and second have {len(keys)}, {len(first)} and {len(second)} rows")
    keys, first, second = _fixed(keys, np.uint64), _fixed(first, np.uint64), _fixed(second, np.uint64)
    bounds, rows, partitioned = scatter(keys, partition_bits(len(keys)))
    parts = [np.empty((0, 2), np.int64)]
    for start, stop in pairwise(bounds.tolist()):
        parts.append(group_partition(rows[start:stop], partitioned[start:stop], first, second, all_pairs))
    return np.concatenate(parts)


def shared(pairs: Pairs, sets: ShingleSets) -> NDArray[np.int64]:
    """See `gpucurate.device.backend.Backend.shared`.

    Raises ValueError if a pair names a document that is not there.
    """
    _check_places(pairs, len(sets.offsets) - 1)
    counts = np.empty(len(pairs), np.int64)
    count_shared(_fixed(pairs, np.int64), _fixed(sets.offsets, np.int64), _fixed(sets.hashes, np.uint64), counts)
    return counts


def components(nodes: int, batches: Iterable[Pairs]) -> NDArray[np.int64]:
    """See `gpucurate.device.backend.Backend.components`.  Memory: 8 bytes a node and one batch.

    Raises ValueError if a pair names a node that is not there.
    """
    parents = np.arange(nodes, dtype=np.int64)
    for pairs in batches:
        _check_places(pairs, nodes)
        unite(_fixed(pairs, np.int64), parents)
    flatten(parents)
    return parents


def prepare() -> None:
    """Compile every kernel of this package, or load it from the cache."""
    texts = pack_texts(["to be or not to be"] * 2)
    keys = band_keys(signatures(texts, 2, affine32(8, 0)).rows, 2, 4)
    pairs = group(keys[0], keys[0], keys[0], 2)
    shared(pairs, shingle_sets(texts, 2))
    components(2, [pairs])


def _check_shingle(shingle: int) -> None:
    if shingle < 1:
        raise ValueError(f"a shingle of {shingle} words")


def _check_places(pairs: Pairs, places: int) -> None:
    """Compiled code does not look where it writes."""
    if len(pairs) and not 0 <= int(pairs.min()) <= int(pairs.max()) < places:
        raise ValueError(f"pairs name places from {pairs.min()} to {pairs.max()}; there are {places}")


def _fixed(array: NDArray[Scalar], kind: type[Scalar]) -> NDArray[Scalar]:
    """Read-only and contiguous: one layout for every caller, hence one compilation."""
    return read_only(np.ascontiguousarray(array, kind))
