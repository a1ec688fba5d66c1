"""Which texts are copies of one another: exact Jaccard similarity of word shingles, as `near_duplicates` defines them.

Candidates come from many bands of few rows, which cost little at the size of a labelled sample: of pairs at similarity
.8 one in 20 million is missed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.text_buffers import pack_texts
from gpucurate.device.backend import Backend, Pairs
from gpucurate.device.choice import pick
from gpucurate.device.hash_family import affine32

SHINGLE = 5  # words, the default of `near_duplicates`
SIMILAR = 0.8  # Jaccard similarity from which two texts count as copies, its default threshold
BANDS, ROWS = 32, 4  # 1 - (1 - .8^4)^32 = 1 - 5e-8
SEED = 1
ALL_PAIRS = 64  # a bucket up to this size gives all its pairs, a larger one those with its first text
BATCH = 4096  # texts signed, and pairs verified, at a time


def near_duplicates(texts: Sequence[str], backend: Backend | None = None) -> Pairs:
    """Pairs (places in `texts`, lesser first, sorted, each once) of similarity SIMILAR or more.

    Texts without words are like nothing.  The pairs do not depend on the device.
    """
    backend = backend or pick("cpu")
    candidates = _candidates(texts, backend)
    verified = [_verified(texts, candidates[low : low + BATCH], backend) for low in range(0, len(candidates), BATCH)]
    return np.concatenate(verified) if verified else candidates


def components(nodes: int, pairs: Pairs, backend: Backend | None = None) -> NDArray[np.int64]:
    """[nodes]: the least node that each is connected with over `pairs`, itself included."""
    return (backend or pick("cpu")).components(nodes, [np.ascontiguousarray(pairs, np.int64)])


def _candidates(texts: Sequence[str], backend: Backend) -> Pairs:
    hashes = affine32(BANDS * ROWS, SEED)
    keys, shingles = [], []
    for low in range(0, len(texts), BATCH):
        signed = backend.signatures(pack_texts(list(texts[low : low + BATCH])), SHINGLE, hashes)
        keys.append(backend.band_keys(signed.rows, BANDS, ROWS))
        shingles.append(signed.shingles)
    found = [np.zeros((0, 2), np.int64)]
    if keys:
        worded = np.flatnonzero(np.concatenate(shingles) > 0)
        for band in np.concatenate(keys, axis=1)[:, worded]:
            order = worded.astype(np.uint64)
            found.append(worded[backend.group(np.ascontiguousarray(band), order, order, ALL_PAIRS)])
    return np.unique(np.concatenate(found), axis=0)


def _verified(texts: Sequence[str], pairs: Pairs, backend: Backend) -> Pairs:
    nodes, places = np.unique(pairs, return_inverse=True)
    sets = backend.shingle_sets(pack_texts([texts[node] for node in nodes]), SHINGLE)
    both = np.ascontiguousarray(places.reshape(pairs.shape), np.int64)
    shared = backend.shared(both, sets)
    sizes = np.diff(sets.offsets)[both].sum(axis=1)
    verified: Pairs = pairs[shared / (sizes - shared) >= SIMILAR]
    return verified
