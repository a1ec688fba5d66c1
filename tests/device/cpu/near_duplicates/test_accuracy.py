"""The estimate of similarity that signatures give: no bias, the variance of independent hashes, recall on the S-curve.

Fixed seeds throughout.  Pairs are documents of single-word shingles of which a known share is common.
"""

from __future__ import annotations

import numpy as np
import pytest

from gpucurate.core.text_buffers import pack_texts
from gpucurate.device.cpu import CpuBackend
from gpucurate.device.hash_family import affine32

CPU = CpuBackend()
PAIRS = 2_000
BANDS, ROWS = 14, 8


@pytest.mark.parametrize("words", [30, 400])
@pytest.mark.parametrize("wanted", [0.5, 0.7, 0.8, 0.9])
def test_estimates(wanted: float, words: int) -> None:
    common = round(wanted * words)
    half = (words - common) // 2
    similarity = common / (common + 2 * half)
    texts = []
    for pair in range(PAIRS):
        names = [f"w{pair}x{i}" for i in range(common + 2 * half)]
        texts += [" ".join(names[: common + half]), " ".join(names[:common] + names[common + half :])]
    rows = CPU.signatures(pack_texts(texts), 1, affine32(BANDS * ROWS, 1)).rows
    one, other = rows[::2], rows[1::2]

    estimates = (one == other).mean(axis=1)
    variance = similarity * (1 - similarity) / (BANDS * ROWS)
    assert abs(estimates.mean() - similarity) < 4 * np.sqrt(variance / PAIRS)
    assert abs(estimates.var() / variance - 1) < 5 * np.sqrt(2 / PAIRS)

    keys_of_one, keys_of_other = (CPU.band_keys(each, BANDS, ROWS) for each in (one, other))
    recall = (keys_of_one == keys_of_other).any(axis=0).mean()
    expected = 1 - (1 - similarity**ROWS) ** BANDS
    assert abs(recall - expected) < 4 * np.sqrt(expected * (1 - expected) / PAIRS) + 1 / PAIRS
