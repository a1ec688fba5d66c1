"""Finding grams: the kernel, run on the host in any order of threads, against the CPU backend."""

from __future__ import annotations

import numpy as np
import pytest

from gpucurate.core.text_buffers import TextBuffers, pack_texts
from gpucurate.device.cpu import CpuBackend
from gpucurate.device.cuda import CudaBackend
from gpucurate.device.cuda.engine import Limits
from gpucurate.device.cuda.shingles import TASK
from gpucurate.device.grams import GramTable, gram_table
from tests.device.cpu.grams.test_gram_hits import some_grams
from tests.parity import documents
from tests.parity.host_engine import HostEngine, Shims

CPU = CpuBackend()


def agree(engine: HostEngine, texts: TextBuffers, table: GramTable) -> int:
    """How many hits both give."""
    made, expected = CudaBackend(engine).gram_hits(texts, table), CPU.gram_hits(texts, table)
    for got, want in zip(made, expected, strict=True):
        np.testing.assert_array_equal(got, want, strict=True)
    return len(expected.grams)


@pytest.mark.parametrize("order", [0, 7919, 1_000_003])
def test_random_documents(shims: Shims, order: int) -> None:
    engine = HostEngine(shims, order=order)
    texts = documents.within(documents.damaged(documents.packed(order, 600), order), order)
    assert agree(engine, texts, some_grams(texts, (5, 8, 13), every=4)) > 500
    assert engine.launches["search_grams"] == 3


def test_more_hits_than_there_is_room_for(shims: Shims) -> None:
    """A text of one word, all of whose grams are searched for, and tasks of one document side by side."""
    engine = HostEngine(shims, order=977)
    texts = pack_texts(["la " * 40_000, "", "la", "la " * (TASK + 1)])
    table = gram_table({2: CPU.shingle_sets(texts, 2).hashes})
    assert agree(engine, texts, table) == 39_999 + TASK
    assert engine.launches["search_grams"] == 2


def test_batches_and_threads(shims: Shims) -> None:
    texts = documents.packed(5, 900)
    table = some_grams(texts, (1, 3), every=9)
    small = HostEngine(shims, Limits(3 << 20, 1 << 14), order=7919)
    hits = agree(small, texts, table)
    assert small.launches["search_grams"] > 4
    for workers in (0, 4):
        assert agree(HostEngine(shims, workers=workers), texts, table) == hits


def test_it_stays_within_its_memory(shims: Shims) -> None:
    for text in ("a " * 100_000, "a©" * 50_000):
        engine = HostEngine(shims, Limits(24 << 20, 1 << 30))
        texts = pack_texts([text] * 20)
        agree(engine, texts, gram_table({1: CPU.shingle_sets(texts, 1).hashes}))
        assert engine.meter.held == 0
        assert 0 < engine.meter.peak <= engine.limits.memory
        assert engine.launches["search_grams"] > 1


def test_what_does_not_fit_goes_to_the_cpu(shims: Shims) -> None:
    engine = HostEngine(shims, Limits(4 << 20, 1 << 30))
    texts = pack_texts([b"one two", b"x" * 40 + b"\x97" * 5000 + b"a b", b"three four"])
    assert agree(engine, texts, gram_table({2: CPU.shingle_sets(texts, 2).hashes})) > 2
    assert engine.launches["search_grams"] == 0
    large = gram_table({1: np.arange(1 << 19, dtype=np.uint64)})
    assert agree(engine, texts, large) == 0
    assert engine.launches["count_words"] == 1  # of the damaged text; the large table was not uploaded
    assert agree(engine, pack_texts([]), gram_table({2: np.ones(1, np.uint64)})) == 0
