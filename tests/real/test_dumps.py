from __future__ import annotations

import bz2
import gzip
import io
from pathlib import Path

import pytest
from lxml import etree

from gpucurate.sources.wikipedia import Wikipedia, WikipediaConfig
from gpucurate.sources.wikipedia.page import parse_page
from gpucurate.sources.wikipedia.pages import RawPage, split_pages
from gpucurate.sources.wikipedia.pieces import form_of, read_pieces
from tests.sources.wikipedia.exports import counts, documents, dropped, quarantined, read_file, unit_of

LTGWIKI = "wiki/ltgwiki/smallwiki-latest-pages-articles.xml.bz2"
ENWIKI = "wiki/gensim/enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"
BGWIKI = "wiki/gensim/bgwiki-latest-pages-articles-shortened.xml.bz2"
TESTCORPUS = "wiki/gensim/testcorpus.xml.bz2"
ITWIKI = "wiki/itwiki-categories.xml.gz"
AAWIKI = "wiki/dkpro-jwpl/dkpro-jwpl-datamachine/src/test-e2e/resources/aawiki-20260101-pages-meta-current.xml.bz2"
SMALL = "wiki/json-wikipedia/misc/wikipedia-small-test.xml.bz2"
REVISIONS = "wiki/mwxml/dump.xml"


def decoded(path: Path) -> bytes:
    raw = path.read_bytes()
    raw = bz2.decompress(raw) if path.suffix == ".bz2" else gzip.decompress(raw) if path.suffix == ".gz" else raw
    return raw.decode("utf-16").encode() if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else raw


@pytest.mark.parametrize("name", [LTGWIKI, ENWIKI, BGWIKI, TESTCORPUS, ITWIKI, AAWIKI, SMALL, REVISIONS])
def test_pages_are_what_an_xml_parser_reads(real_data: Path, name: str) -> None:
    unit = unit_of(real_data / name)
    with (real_data / name).open("rb") as stored:
        pieces = read_pieces(stored, unit, form_of(stored, unit.file), framed=True)
        pages = [parse_page(p.data) for p in split_pages(pieces) if isinstance(p, RawPage)]
    expected = []
    for _, element in etree.iterparse(io.BytesIO(decoded(real_data / name)), tag="{*}page", huge_tree=True):
        newest = element.findall("{*}revision")[-1]
        ns = element.findtext("{*}ns")
        expected.append(
            (
                element.findtext("{*}title"),
                None if ns is None else int(ns),
                element.find("{*}redirect") is not None,
                newest.findtext("{*}id"),
                (newest.findtext("{*}text") or "").encode(),
            )
        )
    assert [(p.title, p.namespace, p.redirect, p.revision, p.text) for p in pages] == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (LTGWIKI, {"pages": 2004, "in_namespaces": 1050, "redirects": 195, "articles": 903}),
        (ENWIKI, {"pages": 206, "redirects": 100, "articles": 106}),
        (ITWIKI, {"pages": 34_738, "other_namespaces": 34_738}),
        (BGWIKI, {"pages": 3, "articles": 1}),
        (TESTCORPUS, {"pages": 9, "articles": 9}),
        (AAWIKI, {"pages": 507, "redirects": 19}),
        (REVISIONS, {"pages": 2, "articles": 1}),
    ],
)
def test_counts_of_whole_dumps(real_data: Path, name: str, expected: dict[str, int]) -> None:
    chunks = read_file(real_data / name)
    count = counts(chunks)
    assert {key: count[key] for key in expected} == expected
    assert len(documents(chunks)) == count.get("articles", 0) - dropped(chunks).get("wikipedia.no_text", 0)
    assert quarantined(chunks) == []


@pytest.mark.parametrize("name", [LTGWIKI, ENWIKI])
def test_units_of_a_whole_dump_give_the_same_documents(real_data: Path, name: str) -> None:
    whole = documents(read_file(real_data / name))
    for size in (100_000, 333_333):
        assert documents(read_file(real_data / name, size)) == whole


def test_a_truncated_dump_gives_the_pages_before_the_cut(real_data: Path, tmp_path: Path) -> None:
    packed = (real_data / LTGWIKI).read_bytes()
    whole = documents(read_file(real_data / LTGWIKI))
    path = tmp_path / Path(LTGWIKI).name
    kept = []
    for size in (200_000, 400_000, 690_000, len(packed) - 1):
        path.write_bytes(packed[:size])
        chunks = read_file(path)
        rows = documents(chunks)
        assert rows == whole[: len(rows)]
        assert "wikipedia.damaged" in {row["reason"] for row in quarantined(chunks)}
        kept.append(len(rows))
    assert 0 < kept[0] < kept[1] < kept[2] <= kept[3] == len(whole)


def test_text_of_a_whole_dump_has_next_to_no_markup_left(real_data: Path) -> None:
    count = counts(read_file(real_data / ENWIKI))
    assert count["text_bytes"] > 2_000_000
    assert sum(count[name] for name in count if name.startswith("residue.")) < 20


def test_single_pages_of_many_wikis(real_data: Path) -> None:
    source = Wikipedia("pages", WikipediaConfig(path=str(real_data / "wiki" / "wikiclean" / "resources")))
    chunks = [chunk for unit in source.units(source.files()) for chunk in source.read(unit)]
    count = counts(chunks)
    assert count["pages"] == count["articles"] + count["empty"] + count.get("redirects", 0)
    assert len(documents(chunks)) >= 24
    assert quarantined(chunks) == []
