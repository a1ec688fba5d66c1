from __future__ import annotations

from collections.abc import Callable

import pytest

Plain = Callable[..., str]


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("a{{x|{{y}}|z=[[q]]}}b", "ab"),
        ("a{{x|<br>{{y}}<ref>z</ref>}}b", "ab"),
        ("{{Infobox\n| name = {{nowrap|a}}\n| b = c }}\nd", "\nd".strip()),
        ("a{{{1}}}b{{{2|c}}}", "abc"),
        ("a{{{{{x}}}}}b", "ab"),
        ("{{a}}}b", "}b"),
        ("{{a}}}}b", "}}b"),
        ("{a} }} {{", "{a} }} {{"),
        ("a {{b\n* c", "a {{b\nc"),
        ("{{#if: x | y | z }}a", "a"),
        ("{{DISPLAYTITLE:a}}b", "b"),
        ("a {{b [[c]] d}} e", "a  e"),
    ],
)
def test_templates_and_arguments_pair_as_in_the_preprocessor(plain: Plain, page: str, text: str) -> None:
    assert plain(page) == text


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("a\n{| x\n|-\n| b\n|}\nc", "a\n\nc"),
        ("{|\n|\n{|\n|x\n|}\n|y\n|}\nz", "z"),
        ("a\n{{{!}}\n{{!}} b\n{{!}}}\nc", "a\n\nc"),
        ("{|\n| a\n{{!}}}\nb", "b"),
        ("a\n::{|\n|x\n|}\nb", "a\n\nb"),
        ("{{t|\n{|\n|a\n|}}}b", "b"),
        ("{|\n|{{x\n|y\n|}}\n|}\nb", "b"),
        ("{|\n|[[File:a.jpg|b]] || [[c|d]]\n|}\ne", "e"),
        ("a {| b", "a {| b"),
        ("{{x|a|}}b", "b"),
    ],
)
def test_tables_are_dropped_with_what_they_hold(plain: Plain, page: str, text: str) -> None:
    assert plain(page) == text


def test_only_open_constructs_up_to_the_depth_limit_are_resolved(plain: Plain) -> None:
    assert plain("{{a|<b>" * 2000 + "}}" * 2000) == "}}" * 1000
