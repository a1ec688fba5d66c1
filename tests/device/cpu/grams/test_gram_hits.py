"""Finding grams: the kernel against plain Python over words as the oracle of near-duplicates has them."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpucurate.core.text_buffers import TextBuffers, pack_texts
from gpucurate.device.cpu import CpuBackend
from gpucurate.device.cpu.grams.search import PIECE
from gpucurate.device.grams import GramTable, gram_table, unmixed
from tests.device.cpu.near_duplicates import reference
from tests.parity import documents

CPU = CpuBackend()


def brute_force(texts: list[bytes], table: GramTable) -> list[tuple[int, int, int]]:
    """(document, word, gram) of every hit."""
    found = []
    for t, n in enumerate(table.lengths.tolist()):
        places = {int(table.hashes[i]): i for i in range(int(table.bounds[t]), int(table.bounds[t + 1]))}
        for d, text in enumerate(texts):
            if len(reference.words(text)) >= n:
                found += [(d, w, places[h]) for w, h in enumerate(reference.shingles(text, n)) if h in places]
    return sorted(found)


def some_grams(texts: TextBuffers, lengths: tuple[int, ...], every: int) -> GramTable:
    """A share of the texts' own grams, and as many that are in none."""
    strange = pack_texts([f"q{i} x{i} z{i} " * 20 for i in range(50)])
    grams = {}
    for n in lengths:
        own = CPU.shingle_sets(texts, n).hashes
        grams[n] = np.concatenate([own[:: every + n], CPU.shingle_sets(strange, n).hashes, own[:3]])
    return gram_table(grams)


def listed(hits: tuple[np.ndarray, ...]) -> list[tuple[int, int, int]]:
    return list(zip(*(column.tolist() for column in hits), strict=True))


@pytest.mark.parametrize("lengths", [(1,), (5, 8, 13), (2, 32)], ids=str)
def test_equal_to_brute_force(lengths: tuple[int, ...]) -> None:
    texts = documents.within(documents.damaged(documents.packed(3, 250), 3), 3)
    table = some_grams(texts, lengths, every=3)
    raw = [texts.data[a:b].tobytes() for a, b in zip(texts.offsets[:-1], texts.offsets[1:], strict=True)]
    expected = brute_force(raw, table)
    assert len(expected) > 100
    assert listed(CPU.gram_hits(texts, table)) == expected


def test_grams_across_pieces_of_a_long_text() -> None:
    """Every gram of a text of several pieces is found once, at its place."""
    count = 3 * PIECE + 17
    text = pack_texts([" ".join(f"w{n}" for n in range(count))])
    for n in (1, 2, 13, 32):
        table = gram_table({n: CPU.shingle_sets(text, n).hashes})
        hits = CPU.gram_hits(text, table)
        assert hits.words.tolist() == list(range(count - n + 1))
        assert sorted(hits.grams.tolist()) == list(range(count - n + 1))


@settings(max_examples=80)
@given(st.lists(st.lists(st.sampled_from("abc"), max_size=40), max_size=4), st.integers(1, 4))
def test_repeated_words(texts: list[list[str]], n: int) -> None:
    """Few different words: the same gram at many places, and documents shorter than a gram."""
    raw = [" ".join(words).encode() for words in texts]
    table = some_grams(pack_texts([b"a b c a b a c c b", *raw[:1]]), (n, n + 1), every=0)
    assert listed(CPU.gram_hits(pack_texts(raw), table)) == brute_force(raw, table)


def test_tables() -> None:
    assert gram_table({}).longest == 0
    assert len(CPU.gram_hits(pack_texts(["a b"]), gram_table({})).grams) == 0
    assert len(CPU.gram_hits(pack_texts(["a b"]), gram_table({3: np.zeros(0, np.uint64)})).grams) == 0
    table = gram_table({2: np.array([5, 5, 3], np.uint64), 1: np.array([9], np.uint64)})
    assert (table.lengths.tolist(), table.bounds.tolist(), table.hashes.tolist()) == ([1, 2], [0, 1, 3], [9, 3, 5])
    for n in (0, 33):
        with pytest.raises(ValueError, match="grams of"):
            gram_table({n: np.zeros(1, np.uint64)})
    draw = random.Random(1)
    values = [draw.getrandbits(64) for _ in range(100)]
    mixed = np.array([reference.mix(value) for value in values], np.uint64)
    assert unmixed(mixed).tolist() == values


def test_the_sieve_lets_few_pass() -> None:
    """At most one bit in 32 is set, whatever the number of grams."""
    hashes = np.random.default_rng(1).integers(0, 1 << 64, 100_000, np.uint64)
    sieve = gram_table({13: hashes}).sieve
    taken = int(np.bitwise_count(sieve).sum()) / (64 * len(sieve))
    assert 1 / 70 < taken <= 1 / 32
