from __future__ import annotations

import importlib.util
from collections.abc import Callable

import pytest

from gpucurate.core.errors import MissingExtra
from gpucurate.sources.html import engines
from gpucurate.sources.html.extractor import Engine, Extractor, Page
from gpucurate.sources.sandbox import Failure
from tests.sources.archives import page

ENGINES: tuple[Engine, ...] = ("resiliparse", "trafilatura")


@pytest.fixture(params=ENGINES, scope="module")
def extractor(request: pytest.FixtureRequest) -> Extractor:
    return Extractor(request.param, seconds=3.0, tables=True)


def test_title_and_main_content(extractor: Extractor) -> None:
    found = extractor.extract(page("kettle").decode())
    assert isinstance(found, Page)
    assert found.title == "On kettle"
    assert found.text.count("The kettle stood in paragraph") == 3
    assert "<" not in found.text


def test_the_title_is_the_page_s_own(extractor: Extractor) -> None:
    found = extractor.extract(
        "<svg><title>Icon</title></svg><head><title>\n A &amp;\tB </title></head>" + page("x").decode()
    )
    assert isinstance(found, Page)
    assert found.title == "A & B"


@pytest.mark.parametrize("html", ["", " ", "<html></html>", "\ufeff", "<!-- x -->", "<title>Only a title</title>"])
def test_nothing_comes_of_nothing(extractor: Extractor, html: str) -> None:
    found = extractor.extract(html)
    assert isinstance(found, Page)
    assert not found.text.replace("Only a title", "")


def test_nul_characters_are_ignored(extractor: Extractor) -> None:
    assert extractor.extract(page("ke\0ttle").decode()) == extractor.extract(page("kettle").decode())
    assert isinstance(extractor.extract("<p>a\x00b"), Page)


@pytest.mark.parametrize("declared", ["windows-1251", "utf-16", "bogus", "utf-8"])
def test_an_xml_declaration_says_nothing_of_a_decoded_page(extractor: Extractor, declared: str) -> None:
    html = page("žemė").decode()
    declaration = f"\ufeff \n<?xml version='1.0' encoding='{declared}' standalone='yes'?>"
    assert extractor.extract(declaration + html) == extractor.extract(html)


def test_a_meta_charset_says_nothing_of_a_decoded_page(extractor: Extractor) -> None:
    found = extractor.extract("<meta charset=koi8-r>" + page("žemė").decode())
    assert isinstance(found, Page)
    assert found.text.count("The žemė stood") == 3


def test_lone_surrogates_do_not_reach_the_text(extractor: Extractor) -> None:
    found = extractor.extract(page("kettle").decode() + "<p>\ud835</p>")
    assert isinstance(found, Page)
    found.text.encode()


@pytest.mark.parametrize(
    "html",
    ["<div>" * 200_000 + "x", "<p>some words here</p>" * 300_000, "<table><tr><td>" * 30_000, "<a href=x>" * 100_000],
    ids=["deep", "long", "tables", "links"],
)
def test_hostile_pages_end_in_time(html: str) -> None:
    for engine in ENGINES:
        found = Extractor(engine, seconds=0.5, tables=True).extract(html)
        assert isinstance(found, Page) or found.reason in ("timeout", "crash")


def test_a_page_that_takes_too_long_is_a_failure() -> None:
    found = Extractor("trafilatura", seconds=0.5, tables=True).extract("<p>some words here</p>" * 300_000)
    assert isinstance(found, Failure)
    assert found.reason == "timeout"
    assert found.detail.startswith("gpucurate.sources.html.engines.trafilatura ended after")


def test_tables_are_a_choice() -> None:
    html = page("kettle").decode().replace("</article>", "<table><tr><td>spout</td><td>lid</td></tr></table></article>")
    with_tables = Extractor("trafilatura", 3.0, tables=True).extract(html)
    without = Extractor("trafilatura", 3.0, tables=False).extract(html)
    assert isinstance(with_tables, Page)
    assert isinstance(without, Page)
    assert "spout" in with_tables.text
    assert "spout" not in without.text


@pytest.mark.parametrize("engine", [engines.resiliparse, engines.trafilatura])
def test_a_page_s_text_does_not_depend_on_the_pages_before(engine: Callable[[bytes], str]) -> None:
    first = engine(page("kettle"))
    assert [engine(page("kettle")) for _ in range(5)] == [first] * 5


def test_a_missing_package_is_told_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"pip install 'gpucurate\[html\]'"):
        Extractor("trafilatura", 1.0, tables=True)


def test_identity_names_the_version() -> None:
    assert Extractor("resiliparse", 1.0, tables=True).identity.startswith("resiliparse 2.")
