"""The scanner, the reference engine and the usual recipe around mwparserfromhell on the same real pages."""

from __future__ import annotations

from pathlib import Path
from statistics import mean

import pytest

from gpucurate.core.text_buffers import pack_texts, text_array
from gpucurate.sources.wikitext import extract, make_rules, residue
from gpucurate.sources.wikitext.reference import ReferenceExtractor
from tests.oracles.wikitext_pages import long_pages, section_groups
from tests.oracles.wikitext_recipe import normalized, recipe, token_f1

RECIPE_RULES = {"visible_templates": False, "interlanguage": False, "aliases": False, "close_gaps": False}
FLOOR = 0.997


@pytest.fixture(scope="module")
def pages(real_data: Path) -> list[str]:
    return [page for page in long_pages(real_data) if len(page) < 60_000]  # the recipe takes seconds for longer ones


def scanned(pages: list[str], **options: bool) -> list[str]:
    result = extract(pack_texts(pages), make_rules(**options))
    return [normalized(text) for text in text_array(*result).to_pylist()]


def test_words_are_those_of_the_recipe_under_its_rules(pages: list[str]) -> None:
    for sample in (pages[::2], section_groups(pages)[::2]):
        expected = [normalized(recipe(page)) for page in sample]
        scores = [token_f1(*pair) for pair in zip(expected, scanned(sample, **RECIPE_RULES), strict=True)]
        assert mean(scores) >= FLOOR


def test_visible_templates_add_words_and_take_none(pages: list[str]) -> None:
    bare = scanned(pages, visible_templates=False)
    full = scanned(pages)
    added = sum(len(text.split()) for text in full) - sum(len(text.split()) for text in bare)
    assert 0.003 < added / sum(len(text.split()) for text in bare) < 0.03


def test_the_reference_engine_is_the_recipe_without_its_searches(pages: list[str]) -> None:
    extractor = ReferenceExtractor()
    scores = [token_f1(normalized(recipe(page)), normalized(extractor.extract(page))) for page in pages[:40]]
    assert mean(scores) >= FLOOR


def test_almost_no_markup_is_left(real_data: Path) -> None:
    # Two fixtures are no pages: one is escaped twice, one has lost its newlines.
    pages = [page for page in long_pages(real_data) if "&lt;ref" not in page and page.count("\n") > 1]
    text = extract(pack_texts(pages), make_rules())
    left = {mark: count for mark, count in residue(text).items() if count}
    assert sum(left.values()) <= 2e-6 * len(text.data), left
