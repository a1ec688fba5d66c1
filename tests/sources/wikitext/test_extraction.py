from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpucurate.core.text_buffers import TextBuffers, pack_texts, text_array, text_buffers
from gpucurate.sources.wikitext import extract, make_rules
from gpucurate.sources.wikitext.extraction import extract_batch
from tests.sources.wikitext.fragments import FRAGMENTS, HARD, check_batch

PROGRAM = Path(__file__).with_name("fragments.py")
LINEAR = 4.6  # for four times the input; a quadratic step would give more than 8


def run(*arguments: str, **environment: str) -> str:
    root = Path(__file__).parents[3]
    complete = os.environ | {"PYTHONPATH": str(root)} | environment
    command = [sys.executable, str(PROGRAM), *arguments]
    return subprocess.run(command, env=complete, capture_output=True, text=True, check=True).stdout


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=5), max_size=40).map("".join), min_size=1))
def test_any_page_gives_valid_text_without_control_characters_and_alone_the_same(pages: list[str]) -> None:
    check_batch(pages, len(pages) - 1)


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet=st.characters(exclude_characters="{}[]<>|_&'=*#:;-!/", exclude_categories=["C"]), max_size=200))
def test_text_without_markup_is_kept_but_for_blanks_at_line_ends(text: str) -> None:
    result = extract(pack_texts([text]), make_rules())
    assert bytes(result.data).decode() == text.rstrip(" \t")


def test_random_pages_under_bounds_checks(pytestconfig: pytest.Config) -> None:
    cache = pytestconfig.cache.mkdir("wikitext-boundscheck")  # Numba's cache does not tell checked from unchecked code
    run("fuzz", "1", "10000", NUMBA_BOUNDSCHECK="1", NUMBA_CACHE_DIR=str(cache))


def test_work_grows_linearly_with_the_input_counted_in_lines_of_code() -> None:
    rows = [line.split("\t") for line in run("count", NUMBA_DISABLE_JIT="1").splitlines()]
    assert [name for name, *_ in rows] == list(HARD)
    growth = {name: int(four) / int(one) for name, one, four in rows}
    assert {name: ratio for name, ratio in growth.items() if ratio > LINEAR} == {}


def test_no_hard_page_takes_much_longer_than_its_size_allows(extract_all: Callable[..., list[str]]) -> None:
    article = "'''A''' is a [[town]] in [[b|B]].<ref>c {{d}}</ref>\n"

    def seconds_per_byte(page: str) -> float:
        best = 1e9
        for _ in range(3):
            start = time.process_time()
            extract_all([page])
            best = min(best, time.process_time() - start)
        return best / len(page)

    base = seconds_per_byte(article * 20_000)
    pages = {name: make(20_000) for name, make in HARD.items()} | {"80 KB of nested tables": "{|\n|" * 16_000}
    assert {name for name, page in pages.items() if seconds_per_byte(page) > 60 * base} == set()


@pytest.mark.parametrize(
    "page", ["a%b", "[[a%|b%]]", "</ref %>", "<nowiki>%</nowiki>", "{{lang|fr|a%}}", "[http://a% b]"]
)
def test_control_characters_are_dropped_wherever_they_stand(extract_all: Callable[..., list[str]], page: str) -> None:
    with_controls = [page.replace("%", chr(code)) for code in range(32) if code not in (9, 10)]
    assert not any(ord(letter) < 32 for text in extract_all(with_controls) for letter in text)


def test_slices_of_arrow_columns_are_read_in_place() -> None:
    column = text_array(*pack_texts(["[[a]]", "'''b'''", "", "{{c}}d"])).slice(1, 3)
    result = extract(text_buffers(column), make_rules())
    assert text_array(*result).to_pylist() == ["b", "", "d"]


def test_an_empty_batch_gives_an_empty_batch() -> None:
    result = extract(TextBuffers(np.zeros(0, np.uint8), np.zeros(1, np.int64)), make_rules())
    assert result.documents == 0
    assert len(result.data) == 0


def test_the_kernel_is_compiled_once_for_all_callers() -> None:
    extract(pack_texts(["a"]), make_rules())
    extract(pack_texts(["b", "c"]), make_rules(visible_templates=False, keep_code=False))
    extract(text_buffers(text_array(*pack_texts(["d"]))), make_rules())
    assert len(extract_batch.signatures) == 1  # type: ignore[attr-defined]
