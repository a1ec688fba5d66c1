"""Signatures against datasketch's own MinHash with the scheme `affine32`, fed the same shingle hashes.

datasketch mixes a 32-bit hash before its functions see it, so the hash function given to it undoes that first.
"""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest
from datasketch import MinHash

from gpucurate.core.text_buffers import pack_texts
from gpucurate.device.cpu import CpuBackend
from gpucurate.device.hash_family import affine32
from tests.device.cpu.near_duplicates.reference import shingles

TEXTS = [
    "It is a truth universally acknowledged, that a single man in possession of a good fortune must be in want.",
    "Ça ira, ça ira! Ηλθε ο κόσμος. 中文字沒有空格。 🎉🎉 naïve café",
    "one two",
    "word " * 500,
]


def before_their_mixing(value: int) -> int:
    """The inverse of MurmurHash3's 32-bit finaliser."""
    value ^= value >> 16
    value = value * pow(0xC2B2AE35, -1, 2**32) % 2**32
    value ^= value >> 13 ^ value >> 26
    value = value * pow(0x85EBCA6B, -1, 2**32) % 2**32
    return value ^ value >> 16


def theirs(text: str, shingle: int, hashes: int, seed: int) -> list[int]:
    family = affine32(hashes, seed)
    sketch = MinHash(
        num_perm=hashes, scheme="affine32", permutations=(family.a, family.b), hashfunc=before_their_mixing
    )
    sketch.update_batch([x % 2**32 for x in shingles(text.encode(), shingle)])
    return [int(value) for value in sketch.hashvalues]


@pytest.mark.parametrize(("shingle", "hashes", "seed"), [(5, 112, 1), (2, 260, 9), (1, 13, 0)])
def test_written_texts(shingle: int, hashes: int, seed: int) -> None:
    rows = CpuBackend().signatures(pack_texts(TEXTS), shingle, affine32(hashes, seed)).rows
    assert rows.tolist() == [theirs(text, shingle, hashes, seed) for text in TEXTS]


def test_real_texts(real_data: Path) -> None:
    with ZipFile(real_data / "books" / "udhr2.zip") as archive:
        names = [name for name in archive.namelist() if not name.endswith("/")][::8]
        texts = [archive.read(name).decode("utf-8", "replace")[:2_000] for name in names]
    rows = CpuBackend().signatures(pack_texts(texts), 5, affine32(112, 1)).rows
    assert len(texts) > 40
    assert rows.tolist() == [theirs(text, 5, 112, 1) for text in texts]


def test_the_undoing_is_exact() -> None:
    values = np.random.default_rng(0).integers(0, 2**32, 1_000).tolist()

    def mixed(value: int) -> int:
        value ^= value >> 16
        value = value * 0x85EBCA6B % 2**32
        value ^= value >> 13
        value = value * 0xC2B2AE35 % 2**32
        return value ^ value >> 16

    assert [mixed(before_their_mixing(value)) for value in values] == values
