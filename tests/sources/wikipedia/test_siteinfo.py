from __future__ import annotations

import pytest

from gpucurate.sources.wikipedia.pieces import Gap, Piece
from gpucurate.sources.wikipedia.redirects import is_redirect
from gpucurate.sources.wikipedia.siteinfo import CANONICAL, Siteinfo, read_siteinfo
from tests.sources.wikipedia.exports import HEAD, TAIL, article, export


def read(xml: bytes, size: int = 1 << 20) -> Siteinfo | None:
    return read_siteinfo(Piece(xml[i : i + size], i, True, True) for i in range(0, len(xml), size))


@pytest.mark.parametrize("size", [1, 50, 1 << 20])
def test_names_and_base_are_read(size: int) -> None:
    site = read(export(article("A", "a")), size)
    assert site is not None
    assert site.base == "https://de.wikipedia.org/wiki/Wikipedia:Hauptseite"
    assert site.namespaces == {-2: "Medium", 0: "", 1: "Diskussion", 6: "Datei", 14: "Kategorie"}
    assert site.framed


@pytest.mark.parametrize(
    ("base", "title", "url"),
    [
        ("https://en.wikipedia.org/wiki/Main_Page", "A b/c (d)", "https://en.wikipedia.org/wiki/A_b/c_(d)"),
        (
            "https://de.wikipedia.org/wiki/Wikipedia:Hauptseite",
            "Öl & ?",
            "https://de.wikipedia.org/wiki/%C3%96l_%26_%3F",
        ),
        ("http://localhost/index.php/Main_Page", "A", "http://localhost/index.php/A"),
        (None, "A", None),
    ],
)
def test_page_addresses(base: str | None, title: str, url: str | None) -> None:
    assert Siteinfo(base).url_of(title) == url


def test_namespaces_by_prefix_for_exports_that_do_not_say() -> None:
    site = read(export())
    assert site is not None
    titles = {"Datei:X.png": 6, "file:X.png": 6, "Kategorie:Y": 14, "user talk:Z": 3, "Mission: Impossible": 0, "A": 0}
    assert {title: site.namespace_of(title) for title in titles} == titles


def test_the_licence_is_said_only_where_it_is_known() -> None:
    site = Siteinfo("https://simple.wikipedia.org/wiki/Main_Page")
    assert site.license() == (
        "CC-BY-SA-4.0",
        "dump: its siteinfo names simple.wikipedia.org (Wikimedia Terms of Use, section 7)",
    )
    for other in (None, "https://wikipedia.org.example/wiki/A", "https://notwikipedia.org/wiki/A", "http://[bad"):
        assert Siteinfo(other).license() is None


def test_what_is_no_export_and_exports_without_siteinfo() -> None:
    assert read(b"") is None
    assert read(b"<html>no</html>") is None
    assert read_siteinfo([Gap(0, "damaged", True)]) is None
    for base in ("nonsense", "http://[bad", "javascript:x"):
        odd = read(HEAD.replace("https://de.wikipedia.org/wiki/Wikipedia:Hauptseite", base).encode() + TAIL.encode())
        assert odd is not None
        assert (odd.base, odd.namespaces[6]) == (None, "Datei")
    bare = read(article("A", "a").encode())
    assert bare == Siteinfo(None, CANONICAL, framed=False)
    broken = read(HEAD.replace("</namespaces>", "").encode() + TAIL.encode())
    assert broken == Siteinfo(None, CANONICAL, framed=True)


@pytest.mark.parametrize(
    "text",
    [
        "#REDIRECT [[A]]",
        "#redirect:[[A]] {{R from move}}\n\nmore text that nobody sees",
        " \n# Redirect [[A]]",
        "#WEITERLEITUNG [[A|b]]",
        "#перенаправление [[Б]]",
        "#重定向 [[中]]",
        "＃転送 [[東京]]",
        "#تحويل [[ا]]",
        "#UNHEARDOF [[A]]\n[[Category:B]]\n{{c}}",
    ],
)
def test_redirects_in_any_language(text: str) -> None:
    assert is_redirect(text.encode())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "#",
        "# [[A]]\n# [[B]]",
        "#First [[A]] and then prose that goes on",
        "Text #REDIRECT [[A]]",
        "#REDIRECT A",
        "# item\n" * 400,
        "#x" * 5000 + "[[A]]",
        "#W [[" + "[" * 1900,
        "#W [[A]] " + "{{b}} " * 300 + "}",
    ],
)
def test_lists_and_prose_are_no_redirects(text: str) -> None:
    assert not is_redirect(text.encode())
