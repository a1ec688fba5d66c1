from __future__ import annotations

from datetime import UTC, datetime
from xml.sax.saxutils import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from gpucurate.sources.wikipedia.page import MalformedPage, parse_page
from gpucurate.sources.wikipedia.revisions import keep_newest
from tests.sources.wikipedia.exports import page, revision

XML_TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"], include_characters="\t\n\r&<>\"'"), max_size=60)


def parsed_text(xml: bytes) -> bytes:
    """The oracle: a whole XML parse."""
    return "".join(etree.fromstring(xml).find("revision/text").itertext()).encode()


@given(XML_TEXT, st.sampled_from([{}, {'"': "&quot;"}, {"'": "&#039;", "é": "&#xE9;", "\r": "&#13;"}]))
@settings(deadline=None, max_examples=300)
def test_text_is_what_an_xml_parser_reads(text: str, entities: dict[str, str]) -> None:
    xml = page("T", revision("@")).replace(">@<", f">{escape(text, entities)}<").encode()
    assert parse_page(xml).text == parsed_text(xml)


@pytest.mark.parametrize(
    "element",
    [
        '<text xml:space="preserve"><![CDATA[a <b> </text> &amp; c]]></text>',
        "<text>a<!-- not text --> b</text>",
        "<text>a &#x1F600; &#128; &apos;</text>",
        '<text note="a &gt; b > c">d</text>',
        "<text note='a > b'>c</text>",
        "<text\n bytes='0'\n>\r\na\rb\r\n</text>",
        "<text></text>",
        "<text/>",
        "<text />",
        "<textile/><text>x</text>",
    ],
)
def test_unusual_text_elements_are_read_as_xml(element: str) -> None:
    xml = f"<page><title>T</title><revision><id>1</id>{element}</revision></page>".encode()
    assert parse_page(xml).text == parsed_text(xml)


def test_every_field_is_read() -> None:
    parsed = parse_page(page("A & B", revision("''x''", 42, model="css"), ns=8).encode())
    assert (parsed.title, parsed.namespace, parsed.revision, parsed.model) == ("A & B", 8, "42", "css")
    assert parsed.modified == datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)
    assert (parsed.redirect, parsed.deleted, parsed.text) == (False, False, b"''x''")


def test_slots_besides_the_main_one_are_left_out() -> None:
    slot = "<content><role>mediainfo</role><text>{}</text></content>"
    xml = page("T", revision("main").replace("</text>\n", "</text>\n" + slot)).encode()
    assert parse_page(xml).text == b"main"


def test_deleted_text_and_a_page_without_revision() -> None:
    gone = '<page><title>T</title><revision><id>1</id><text deleted="deleted" /></revision></page>'
    assert parse_page(gone.encode()).deleted
    bare = parse_page(b"<page><title>T</title><id>3</id></page>")
    assert (bare.text, bare.revision, bare.namespace, bare.deleted) == (b"", None, None, False)


def test_characters_that_no_text_can_hold_become_the_replacement_character() -> None:
    xml = page("T", revision("@")).replace(">@<", ">a&#0;b&#xD835;c&#x110000;<").encode()
    assert parse_page(xml).text.decode() == "a\ufffdb\ufffdc\ufffd"


def test_a_bad_date_costs_only_the_date() -> None:
    assert parse_page(page("T", revision("x", time="yesterday")).encode()).modified is None


@pytest.mark.parametrize(
    ("xml", "message"),
    [
        (b"<page><title>T</title><revision><text>a</text></page>", "XML is broken"),
        (b"<page><title>T</title><revision><text>a <b </text></revision></page>", "XML is broken"),
        (b"<page><title>T</title><revision><text>a & b</text></revision></page>", "begins no entity"),
        (b"<page><title>T</title><revision><text>&nbsp;</text></revision></page>", "begins no entity"),
        (b"<page><title>T</title><revision><text>a\xff</text></revision></page>", "not UTF-8 at its byte 1"),
        (b"<page><title>\xff</title><revision><text>a</text></revision></page>", "XML is broken"),
        (b"<page><title> </title></page>", "no title"),
        (b"<page></page>", "no title"),
        (b"<page><title>T</title><ns>main</ns></page>", "namespace 'main' is no number"),
        (b"<page><title>&lol;</title></page>", "XML is broken"),
    ],
)
def test_malformed_pages_say_why(xml: bytes, message: str) -> None:
    with pytest.raises(MalformedPage, match=message):
        parse_page(xml)


@given(st.binary(max_size=120))
@settings(deadline=None, max_examples=300)
def test_random_bytes_in_a_page_give_a_page_or_malformed(junk: bytes) -> None:
    for xml in (
        b"<page><title>T</title>" + junk + b"</page>",
        b"<page><title>T</title><revision><text>" + junk + b"</text></revision></page>",
    ):
        try:
            text = parse_page(xml).text
        except MalformedPage:
            continue
        assert text.decode().encode() == text


@given(st.permutations([("2004-01-01T00:00:00Z", 5), ("2004-01-01T00:00:00Z", 12), ("2003-12-31T23:59:59Z", 99)]))
def test_the_newest_revision_wins_by_time_then_by_number(order: list[tuple[str, int]]) -> None:
    xml = page("T", *(revision(f"text {number}", number, time) for time, number in order)).encode()
    assert parse_page(xml).revision == "12"
    assert parse_page(xml).text == b"text 12"
    cut = xml[: xml.rfind(b"<sha1>")]
    assert cut.endswith(keep_newest(cut)[-40:])
    assert keep_newest(cut).count(b"<revision>") == 2
