from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpucurate.sources.wikipedia import pages as pages_module
from gpucurate.sources.wikipedia.page import parse_page
from gpucurate.sources.wikipedia.pages import BrokenPage, RawPage, split_pages
from gpucurate.sources.wikipedia.pieces import Gap, Piece
from tests.sources.wikipedia.exports import article, export, page, revision

TEXTS = ["", "short", "page &lt;page> <page>", "x" * 300]
EXPORT = export(*(article(f"T{i}", text) for i, text in enumerate(TEXTS)), "<pages/>", "<page bold='1'></page>")
STARTS = [i for i in range(len(EXPORT)) if EXPORT.startswith((b"<page>", b"<page "), i)]


def pieces(xml: bytes, cuts: list[int], stop: int | None = None) -> Iterator[Piece]:
    """`xml` cut at `cuts` and at `stop`, up to which the pieces are owned."""
    stop = len(xml) if stop is None else stop
    edges = sorted({0, len(xml), stop, *cuts})
    for start, end in itertools.pairwise(edges):
        yield Piece(xml[start:end], start, True, start < stop)


@given(st.lists(st.integers(0, len(EXPORT)), max_size=30), st.integers(0, len(EXPORT)))
@settings(deadline=None, max_examples=200)
def test_pages_do_not_depend_on_the_pieces_and_belong_where_they_begin(cuts: list[int], stop: int) -> None:
    whole = list(split_pages(pieces(EXPORT, [])))
    assert [p.position for p in whole if isinstance(p, RawPage)] == STARTS
    assert all(EXPORT.startswith(p.data, p.position) and p.data.endswith(b"</page>") for p in whole)  # type: ignore[union-attr]
    assert list(split_pages(pieces(EXPORT, cuts, stop))) == [p for p in whole if p.position < stop]


def test_one_byte_at_a_time() -> None:
    assert list(split_pages(pieces(EXPORT, list(range(len(EXPORT)))))) == list(split_pages(pieces(EXPORT, [])))


def test_blocks_and_streams_give_other_positions() -> None:
    a, b = article("A", "a").encode(), article("B", "b").encode()
    blocks = [Piece(a + b[:5], 100, False, True), Piece(b[5:] + a, 200, False, True)]
    assert [p.position for p in split_pages(blocks)] == [100, 100, 200]
    flow = [piece._replace(position=None) for piece in blocks]
    assert [p.position for p in split_pages(flow)] == [0, 1, 2]


def test_a_page_without_end_is_broken_and_the_next_is_read() -> None:
    good = article("B", "b").encode()
    split = list(split_pages(pieces(b"<page><title>A</title>" + good, [3, 30])))
    assert [type(p) for p in split] == [BrokenPage, RawPage]
    assert split[0] == BrokenPage(0, "the page has no end tag", 24)
    assert list(split_pages(pieces(good + b"<page><title>", [])))[1:] == [
        BrokenPage(len(good), "the file ends inside the page", 13)
    ]


def test_a_gap_breaks_the_page_it_cuts_and_ends_what_is_not_owned() -> None:
    a, b = article("A", "a").encode(), article("B", "b").encode()
    gap = Gap(77, "damaged", True)
    half = Piece(a + b[:20], 0, True, True)
    rest = Piece(b[20:] + b"<pa" + a, 90, True, True)
    split = list(split_pages([half, gap, rest]))
    assert [type(p) for p in split] == [RawPage, BrokenPage, Gap, RawPage]
    assert split[1:3] == [BrokenPage(len(a) + 2, "damage cuts the page off", 18), gap]
    foreign = list(split_pages([half, gap._replace(owned=False), rest]))
    assert foreign == split[:2]
    # a tag does not continue across a gap
    assert [type(p) for p in split_pages([Piece(b"<pa", 0, True, True), gap, Piece(b"ge></page>", 9, True, True)])] == [
        Gap
    ]


def test_a_history_is_compacted_while_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    revisions = [revision(f"{i} " + "x" * 500, i, f"20{10 + i % 80}-01-01T00:00:00Z") for i in range(400)]
    follow = article("Next", "n").encode()
    xml = page("History", *revisions).encode() + follow
    whole = list(split_pages(pieces(xml, [])))
    monkeypatch.setattr(pages_module, "COMPACT_BYTES", 5000)
    split = list(split_pages(pieces(xml, list(range(0, len(xml), 777)))))
    assert [p.position for p in split] == [p.position for p in whole]
    assert isinstance(split[0], RawPage)
    assert len(split[0].data) < 12_000
    assert parse_page(split[0].data) == parse_page(whole[0].data)  # type: ignore[union-attr]
    assert split[1] == whole[1]


def test_a_page_that_never_ends_does_not_fill_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages_module, "LONGEST_PAGE", 1000)
    good = article("A", "a").encode()
    xml = b"<page>" + b"x" * 5000 + good
    split = list(split_pages(pieces(xml, list(range(0, len(xml), 300)))))
    assert [type(p) for p in split] == [BrokenPage, RawPage]
    assert "longer than 1000 bytes" in split[0].detail  # type: ignore[union-attr]
