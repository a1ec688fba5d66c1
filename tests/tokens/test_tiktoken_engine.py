from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpucurate.core.errors import InputError
from gpucurate.tokens.tiktoken_engine import BLANKS, TiktokenEngine
from gpucurate.tokens.tokenizer import Tokenizer
from gpucurate.tokens.vocabularies import VOCABULARIES, load_ranks

BLANKS_AND_SIGNS = st.text(st.sampled_from(" \n\r\t\u00a0\u2028ab7!/'é中😀\u0301\x1c"), max_size=60)


def column(*texts: str) -> pa.Array:
    return pa.array(texts, pa.large_string())


@pytest.fixture(scope="module")
def engines() -> dict[tuple[str, int], TiktokenEngine]:
    """Each vocabulary twice: as it is, and cutting every text with a blank by itself."""
    found = {}
    for name, vocabulary in VOCABULARIES.items():
        try:
            ranks = load_ranks(vocabulary)
        except InputError as error:
            pytest.skip(str(error))
        for blanks in (BLANKS, 1):
            found[name, blanks] = TiktokenEngine(vocabulary, ranks, blanks)
    return found


@given(BLANKS_AND_SIGNS | st.text(max_size=40))
@settings(max_examples=100, deadline=None)
def test_cutting_long_runs_changes_no_id(engines: dict[tuple[str, int], TiktokenEngine], text: str) -> None:
    for name in VOCABULARIES:
        plain, cut = engines[name, BLANKS], engines[name, 1]
        assert plain.encode(column(text))[0].tolist() == cut.encode(column(text))[0].tolist()


@pytest.mark.parametrize("name", VOCABULARIES)
def test_runs_that_overflow_tiktoken(name: str, named: Callable[..., Tokenizer]) -> None:
    """A million blanks before a letter end tiktoken with a panic."""
    lines = ["!" + "\n" * 1_000_000 + "x"] if name == "gpt2" else []  # the others treat line ends apart
    texts = column(" " * 1_000_000 + "x", "a" * 100_000, "^" * 1_000_000, *lines)
    expected = named(name, "auto").encode(texts)
    found = named(name, "reference").encode(texts)
    assert np.array_equal(expected[0], found[0])
    assert np.array_equal(expected[1], found[1])
    decoded = named(name, "reference").decode(*found)
    assert decoded.equals(texts.cast(pa.large_binary()))


@pytest.mark.parametrize(("text", "long"), [(" " * 99, False), ("x" + " " * 99 + "x", True), ("x " * 500, False)])
def test_runs_of_two_blocks_are_always_seen(
    text: str, long: bool, engines: dict[tuple[str, int], TiktokenEngine]
) -> None:
    engine = TiktokenEngine(VOCABULARIES["gpt2"], load_ranks(VOCABULARIES["gpt2"]), 50)
    assert engine._has_long_run(text) or not long
    for begin in range(50):
        assert engine._has_long_run("x" * begin + "\n" * 99 + "y")
        assert not engine._has_long_run("x" * begin + "\n" * 49 + "y" * 60)


@given(st.lists(st.text(max_size=30), max_size=8))
@settings(max_examples=50, deadline=None)
def test_decoding_gives_the_bytes_back(engines: dict[tuple[str, int], TiktokenEngine], texts: list[str]) -> None:
    for name in VOCABULARIES:
        engine = engines[name, BLANKS]
        assert engine.decode(*engine.encode(column(*texts))).to_pylist() == [text.encode() for text in texts]


def test_decoding_across_blocks(
    engines: dict[tuple[str, int], TiktokenEngine], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gpucurate.tokens.tiktoken_engine.DECODE_BLOCK", 3)
    engine = engines["gpt2", BLANKS]
    texts = ["one two three four five six", "", "seven"]
    assert engine.decode(*engine.encode(column(*texts))).to_pylist() == [text.encode() for text in texts]


def test_special_tokens_decode_to_their_names(engines: dict[tuple[str, int], TiktokenEngine]) -> None:
    tokens = np.array([50256, 31373], np.uint32)
    decoded = engines["gpt2", BLANKS].decode(tokens, np.array([0, 2]))
    assert decoded.to_pylist() == [b"<|endoftext|>hello"]
