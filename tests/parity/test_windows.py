"""Sampled windows: the kernel, run on the host in any order of threads, against the CPU backend."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpucurate.core.text_buffers import TextBuffers, pack_texts
from gpucurate.device.cpu import CpuBackend
from gpucurate.device.cuda import CudaBackend
from gpucurate.device.cuda.engine import Limits
from tests.parity import documents
from tests.parity.host_engine import HostEngine, Shims
from tests.parity.test_memory import GREEDY, engine_of, within
from tests.parity.test_text_verbs import PIECES, counted
from tests.steps.repeated_spans.corpora import record_id, run

CPU = CpuBackend()


def agree(engine: HostEngine, texts: TextBuffers, window: int, span: int) -> int:
    made = CudaBackend(engine).sampled_windows(texts, window, span)
    for got, want in zip(made, CPU.sampled_windows(texts, window, span), strict=True):
        np.testing.assert_array_equal(got, want, strict=True)
    return len(made.hashes)


@pytest.mark.parametrize("order", [0, 7919, 1_000_003])
def test_random_documents(shims: Shims, order: int) -> None:
    engine = HostEngine(shims, order=order)
    texts = documents.within(documents.damaged(documents.packed(order, 1500), order), order)
    assert agree(engine, texts, 3, 4) > 10_000
    assert agree(engine, texts, 25, 26) > 100
    assert agree(engine, texts, 2, 1) > 50_000
    assert engine.launches["sample_windows"] == 3  # none fell back to the CPU


def test_long_texts_and_equal_hashes(shims: Shims) -> None:
    texts = pack_texts([counted(30_000), "same " * 20_000, "", "日本語テキスト" * 2000, "a b " * 9000])
    for workers in (1, 4):
        assert agree(HostEngine(shims, order=977 % workers, workers=workers), texts, 25, 26) > 10_000


@pytest.mark.parametrize("texts", [[], [""], ["", "a", ""], ["a b c"], ["a b c d"], ["!"]], ids=repr)
def test_little_text(shims: Shims, texts: list[str]) -> None:
    assert agree(HostEngine(shims), pack_texts(texts), 2, 3) == (texts == ["a b c d"])
    agree(HostEngine(shims), pack_texts(texts), 2, 1)


@settings(max_examples=100)
@given(st.lists(st.lists(st.sampled_from(PIECES), max_size=60).map(b"".join), max_size=4), st.integers(1, 4))
def test_pieces_of_characters(shims: Shims, texts: list[bytes], span: int) -> None:
    agree(HostEngine(shims, order=31), pack_texts(texts), 2, span)


def test_batches_do_not_show(shims: Shims) -> None:
    engine = HostEngine(shims, Limits(1 << 21, 1 << 13), order=7919)
    assert agree(engine, documents.packed(5, 1500), 3, 4) > 10_000
    assert engine.launches["sample_windows"] > 3


@pytest.mark.parametrize("name", GREEDY)
def test_memory_stays_within(shims: Shims, name: str) -> None:
    """Every window is sampled: no span leaves more."""
    texts, engine = pack_texts(GREEDY[name]), engine_of(shims)
    CudaBackend(engine).sampled_windows(texts, 2, 1)
    assert within(engine)
    assert engine.launches["count_words"] > 1 or not texts.data.size


def test_the_step_cuts_the_same(shims: Shims) -> None:
    texts = documents.mixed(3, 300)
    corpus = [(record_id(str(n)), text + texts[n // 2]) for n, text in enumerate(texts)]
    engine = HostEngine(shims, order=977)
    cut, _, _ = run(corpus, [100], CudaBackend(engine), words=3)
    assert (cut, True) == (run(corpus, words=3)[0], cut != [text for _, text in corpus])
    assert engine.launches["sample_windows"] == 4  # samples and all windows, of two parts
