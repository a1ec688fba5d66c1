from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest

from gpucurate.core.text_buffers import Offsets
from gpucurate.tokens.engines import Ids
from gpucurate.tokens.gigatoken_engine import GigatokenEngine, Unsupported
from gpucurate.tokens.vocabularies import VOCABULARIES, load_ranks

pytest.importorskip("gigatoken", reason="the accelerated engine is not installed")
TEXTS = pa.array([f"Document {i}: naïve 中文 {'x' * i}" for i in range(200)] + ["", ""], pa.large_string())


@pytest.fixture
def engine(named: Callable[..., object]) -> GigatokenEngine:
    named("gpt2", "reference")
    return GigatokenEngine.of_ranks(VOCABULARIES["gpt2"], load_ranks(VOCABULARIES["gpt2"]))


def same(left: tuple[Ids, Offsets], right: tuple[Ids, Offsets]) -> bool:
    return np.array_equal(left[0], right[0]) and np.array_equal(left[1], right[1])


def test_slices_of_a_column_are_read_where_they_are(engine: GigatokenEngine) -> None:
    tokens, offsets = engine.encode(TEXTS)
    part, part_offsets = engine.encode(TEXTS.slice(50, 100))
    assert part.tolist() == tokens[offsets[50] : offsets[150]].tolist()
    assert part_offsets.tolist() == (offsets[50:151] - offsets[50]).tolist()
    assert engine.encode(TEXTS.slice(0, 0))[1].tolist() == [0]


def test_loading_anew_changes_nothing(engine: GigatokenEngine) -> None:
    loads = 0
    first = engine._tokenizer

    def load() -> object:
        nonlocal loads
        loads += 1
        return first

    renewing = GigatokenEngine(load, renew_bytes=1000)
    assert all(same(renewing.encode(TEXTS), engine.encode(TEXTS)) for _ in range(3))
    assert loads == 3  # once at the beginning, then each time more than 1000 bytes had been seen


def test_threads_share_an_engine(engine: GigatokenEngine) -> None:
    expected = engine.encode(TEXTS)
    results: list[bool] = []
    threads = [threading.Thread(target=lambda: results.append(same(engine.encode(TEXTS), expected))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 4


@pytest.mark.parametrize("content", [b"{}", b'{"model": {"type": "WordLevel", "vocab": {"a": 0}}}'])
def test_what_it_cannot_read_is_said(content: bytes) -> None:
    with pytest.raises(Unsupported, match=r"missing field|Unsupported"):
        GigatokenEngine.of_json(content)
