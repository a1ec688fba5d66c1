from __future__ import annotations

from collections.abc import Callable

import pytest

from gpucurate.sources.wikitext import make_rules

Plain = Callable[..., str]


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("[[a]] [[b|c]] [[d]]s [[e|f]]ing", "a c ds fing"),
        ("[[a|''b'' {{nowrap|c}} <small>d</small>]]", "b c d"),
        ("[[a|b\nc]]", "b\nc"),
        ("[[a#b]] [[a_b]]", "a#b a_b"),
        ("[[Main Page||The|]]", "|The|"),
        ("[[a|{{x}}]]b", "b"),
        ("[[Help:Mercury (planet)|]]", "Mercury"),
        ("[[#a]]\n[[*NSYNC]]\n[[:Category:x]]", "#a\n*NSYNC\nCategory:x"),
        ("[[a| b]] [[C++|C]] [[10:30]]", " b C 10:30"),
        ("[[a|b]]]", "b]"),
    ],
)
def test_links_show_their_label_or_target(plain: Plain, page: str, text: str) -> None:
    assert plain(page) == text


@pytest.mark.parametrize(
    "page",
    [
        "[[a b",
        "[[a\nb]]",
        "[[]]",
        "[[ ]]",
        "[[|x]]",
        "[[a<b]]",
        "[[a{b]]",
        "[[a]b]]",
        "[[a[b]]",
        "[[[[a]]b]] c".replace("[[a]]", "{a}"),
    ],
)
def test_what_is_no_link_stays_as_written(plain: Plain, page: str) -> None:
    assert plain(page) == page


def test_brackets_around_a_link_are_text(plain: Plain) -> None:
    assert plain("[[[[a]]]] [[[b]]]") == "[[a]] [[[b]]]"


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("[[File:a.jpg|thumb|x [[b|c]] [http://d e] {{f}}]]g", "g"),
        ("[[ image : a.jpg ]]b", "b"),
        ("[[Datei:a.jpg|mini|b]]c [[ファイル:a.jpg]]d", "c d"),
        ("a\n[[Category:b|c]]\nd", "a\n\nd"),
        ("[[Kategorie:b]]c [[КАТЕГОРИЯ:b]]d", "c d"),
        ("a [[fr:Titre]] [[zh-min-nan:b]]", "a"),
        ("[[:fr:Titre]] [[:File:a.jpg]] [[w:b]]", "fr:Titre File:a.jpg w:b"),
    ],
)
def test_files_categories_and_translations_show_nothing(plain: Plain, page: str, text: str) -> None:
    assert plain(page) == text


def test_namespace_names_and_aliases_come_from_siteinfo(plain: Plain) -> None:
    page = "[[Kateguoreja:a]][[Fails:b|c]][[Vītys Attāls:d]]e"
    assert plain(page) == "Kateguoreja:acVītys Attāls:de"
    rules = make_rules({14: ["Kateguoreja"], 6: ["Fails", "Vītys_attāls"], 10: ["e"]})
    assert plain(page, rules) == "e"


def test_aliases_and_translations_can_be_kept(plain: Plain) -> None:
    assert plain("[[Datei:a.jpg]]", make_rules(aliases=False)) == "Datei:a.jpg"
    assert plain("[[fr:Titre]]", make_rules(interlanguage=False)) == "fr:Titre"


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("[http://a b ''c''] [http://d]e", "b c e"),
        ("[https://a.b/c?d=[[e]]] f", "e f"),
        ("[//a b] [mailto:a@b c]", "b c"),
        ("[http://[2001:db8::1]/x label]", "label"),
        ("[http://a b\nc]", "[http://a b\nc]"),
        ("[[http://a b]] [[http://a|c]] [[//d e]]", " b c  e"),
        ("[a] [1] [ftp]", "[a] [1] [ftp]"),
        ("http://a.b/c", "http://a.b/c"),
        ("[[a|[http://b c]]]", "c"),
    ],
)
def test_external_links_show_their_label(plain: Plain, page: str, text: str) -> None:
    assert plain(page) == text
