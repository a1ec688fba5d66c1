from __future__ import annotations

from collections.abc import Callable

import pytest

Plain = Callable[..., str]


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("== a ==\n=== ''b'' ===  \n= c\nd", "a\nb\n= c\nd"),
        ("== a == <!-- x -->\nb", "a\nb"),
        ("=== a ==", "= a"),
        ("=\n==\n===\n====", "=\n==\n=\n=="),
        ("a\n----\nb\n-----c", "a\n\nb\nc"),
    ],
)
def test_headings_and_rules(plain: Plain, page: str, text: str) -> None:
    assert plain(page) == text


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("* a\n** b\n# c\n: d\n*#:e", "a\nb\nc\nd\ne"),
        (";a:b\n; http://x : y\n; 1:00 :z", "a\nb\nhttp://x\ny\n1:00\nz"),
        (";[[a:b]] : c\n;[http://d e:f]: g\n;<nowiki>h:i</nowiki>:j", "a:b\nc\ne:f\ng\nh:i\nj"),
        (" a\n\tb", " a\n\tb"),
    ],
)
def test_lists_and_definitions(plain: Plain, page: str, text: str) -> None:
    assert plain(page) == text


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("!Kung people\n| prose\n a", "!Kung people\n| prose\n a"),
        ("{|\n|-\n! h\n| a\nprose", "prose"),
        ("{|\n| a\n== b ==\n! c", "b\n! c"),
        ("{|\n| a\n{{x\n|}\n! c", "{{x\n! c"),
        ("| a\n|-\n| b\n! c\n|}\n| d", "| a\n| d"),
        ("{{Infobox\n| name = a\n| b = c\nd", "{{Infobox\nd"),
    ],
)
def test_rows_are_dropped_only_where_a_table_or_template_never_closed(plain: Plain, page: str, text: str) -> None:
    assert plain(page) == text


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("a\n\n\n\nb\n \nc", "a\n\nb\n\nc"),
        ("\n\na\n\n", "a"),
        ("", ""),
        ("\n \n", ""),
        ("{{x}}", ""),
        ("a  \nb\t", "a\nb"),
    ],
)
def test_blank_lines_and_blanks_at_line_ends(plain: Plain, page: str, text: str) -> None:
    assert plain(page) == text


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("a __NOTOC__ b __init__ c_d __", "a  b __init__ c_d __"),
        ("__KEIN_INHALTSVERZEICHNIS__", "__KEIN_INHALTSVERZEICHNIS__"),
        ("__БЕЗ_ОГЛ__a", "a"),
    ],
)
def test_magic_words(plain: Plain, page: str, text: str) -> None:
    assert plain(page) == text
