from __future__ import annotations

from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpucurate.core.errors import InputError, UserError
from gpucurate.tokens.encode import encode_part, write_tokens
from gpucurate.tokens.remainder import open_remainder
from gpucurate.tokens.tokenizer import Tokenizer
from gpucurate.tokens.verify import verify_shards
from tests.tokens.small_corpus import Corpus, corpus, documents

RUNS = st.lists(st.lists(st.text("ab", max_size=12), max_size=6), min_size=2, max_size=4)


def flat(directory: Path) -> list[int]:
    arrays = [np.load(path).reshape(-1).tolist() for path in sorted(directory.glob("*.npy"))]
    return list(chain.from_iterable(arrays))


@given(runs=RUNS, length=st.integers(1, 30))
@settings(deadline=None, max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_runs_that_carry_over_make_one_stream(
    runs: list[list[str]], length: int, bytewise: Tokenizer, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Each run begins with what the last one left; all rows together are the rows of one run over everything."""
    tmp_path = tmp_path_factory.mktemp("runs")
    expected: list[int] = []
    made: list[int] = []
    begin_with: str | None = None
    for number, texts in enumerate(runs):
        small = corpus(bytewise, [texts], tmp_path / "tokens", f"run{number}")
        config = {"length": length, "size": 64, "remainder": "carry", "shuffle": False, "begin_with": begin_with}
        content = small.make(tmp_path / str(number), **config)
        assert verify_shards(tmp_path / str(number), small.parts, bytewise) == []
        expected += chain.from_iterable([*text.encode(), 256] for text in texts if text)
        made += flat(tmp_path / str(number))
        begin_with = str(tmp_path / str(number) / "remainder.arrow") if content.remainder else None
        assert content.account["carried_out"] == len(expected) - len(made)
    assert made == expected[: len(expected) // (length + 1) * (length + 1)]


@pytest.fixture
def carried(bytewise: Tokenizer, tmp_path: Path) -> tuple[Corpus, Path]:
    small = corpus(bytewise, [["abcdefgh", "ij"]], tmp_path / "tokens")
    small.make(tmp_path / "shards", length=4, size=5, remainder="carry", shuffle=False)
    return small, tmp_path / "shards" / "remainder.arrow"


def test_a_cut_document_says_where_it_was_cut(carried: tuple[Corpus, Path]) -> None:
    small, path = carried
    found = open_remainder(path, small.tokenizer.identity())
    assert (found.first_offset, found.stream_tokens) == (1, 2)  # of "ij" its j is left, and a separator
    assert bytes(found.tokens.tokens.tolist()) == b"j"


def test_another_tokenizer_is_refused(carried: tuple[Corpus, Path]) -> None:
    small, path = carried
    other = Corpus(replace(small.tokenizer, name="other"), small.parts, small.token_files, small.index)
    with pytest.raises(UserError, match="made by bytes, this run uses other"):
        other.plan(begin_with=str(path))


def test_what_is_no_remainder_is_refused(carried: tuple[Corpus, Path], tmp_path: Path) -> None:
    small, _ = carried
    write_tokens(encode_part(documents(["x"]), small.tokenizer), tmp_path / "tokens.arrow")
    (tmp_path / "text").write_bytes(b"x")
    for path in (tmp_path / "missing", tmp_path / "text", tmp_path / "tokens.arrow"):
        with pytest.raises(InputError, match=r"is not a remainder.*Remedy: name the remainder\.arrow"):
            small.plan(begin_with=str(path))
