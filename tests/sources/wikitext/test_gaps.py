"""Punctuation around what vanished; nothing else is ever taken."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpucurate.sources.wikitext import make_rules

Plain = Callable[..., str]

AS_WRITTEN = make_rules(close_gaps=False)
VANISHING = ["{{x}}", "<ref>r</ref>", "<math>m</math>", "[[File:f|g]]"]
SHOWN = ["a", "b c", "[[d]]", "{{lang|fr|e}}", " ", "  ", ",", ";", ".", "(", ")", "\n", "* ", "<br>"]


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("Alberta ({{IPA}}) is", "Alberta is"),
        ("Andorra ({{a}}; {{b|x}}, {{c}}), is", "Andorra, is"),
        ("Aruba ({{a}} {{b}} ; {{c}} ) is", "Aruba is"),
        ("the Jews (<ref>a</ref>). The", "the Jews. The"),
        ("a ((({{x}}))) b", "a b"),
        ("{{x}} ({{y}}) a", "a"),
        ("a (, {{x}}) b", "a b"),
        ("a ({{x}}, ) b", "a b"),
        ("a (<small>{{x}}</small>) b", "a b"),
    ],
)
def test_brackets_left_empty_go_with_one_blank(plain: Plain, page: str, text: str) -> None:
    assert plain(page) == text


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("Albania ({{a}}, {{b}}; {{lang-sq|S}}) is", "Albania (S) is"),
        ("Achilles ({{a}}; A, B, {{b}}) was", "Achilles (A, B) was"),
        ("a (b ({{x}}), c)", "a (b, c)"),
        ("such as <math>x</math>, <math>y</math>, or <math>z</math>.", "such as, or."),
        ("a, {{x}}; b", "a; b"),
        ("{{cite}}, vol. 3", "vol. 3"),
        ("* {{cite}}.\n* a", "a"),
        ("a<br>{{x}}. b", "a\nb"),
        ("1971. {{isbn}}. b", "1971. b"),
    ],
)
def test_items_left_empty_go_with_a_separator(plain: Plain, page: str, text: str) -> None:
    assert plain(page) == text


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("({{age|1969}} years ago)", "(years ago)"),
        ("at {{coord}}, in {{x}}. Now", "at, in. Now"),
        ("(previously {{x}})", "(previously)"),
        ("[[a]] ({{x}} [[b]])", "a (b)"),
    ],
)
def test_no_blank_is_left_inside_brackets_or_before_commas_and_full_stops(plain: Plain, page: str, text: str) -> None:
    assert plain(page) == text


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("f({{x}}), Fe({{y}})", "f(), Fe()"),
        ("uses {{x}} .NET and {{y}} ...", "uses  .NET and  ..."),
        ("texte {{x}} ; suite", "texte  ; suite"),
        ("{{x}}: a", ": a"),
        ("{{x}}... a", "... a"),
        ("a {{x}} b", "a  b"),
    ],
)
def test_what_may_have_a_meaning_stays(plain: Plain, page: str, text: str) -> None:
    assert plain(page) == text


@pytest.mark.parametrize("page", ["<code>(</code>, <code>)</code>", "a <!-- x --> ( )", "(, ''[[a]]'')"])
def test_marks_of_what_is_shown_are_no_gaps(plain: Plain, page: str) -> None:
    assert plain(page) == plain(page, AS_WRITTEN)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(SHOWN), max_size=30).map("".join))
def test_where_nothing_vanished_nothing_changes(plain: Plain, page: str) -> None:
    assert plain(page) == plain(page, AS_WRITTEN)


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(SHOWN + 2 * VANISHING), max_size=30).map("".join))
def test_only_blanks_brackets_and_separators_are_taken_and_brackets_in_pairs(plain: Plain, page: str) -> None:
    before, after = plain(page, AS_WRITTEN), plain(page)
    assert re.findall(r"[^\s(),;.]+", after) == re.findall(r"[^\s(),;.]+", before)
    rest = iter(before)
    assert all(letter in rest for letter in after.replace("\n", ""))
    assert before.count("(") - after.count("(") == before.count(")") - after.count(")")
