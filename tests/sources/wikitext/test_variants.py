from __future__ import annotations

from collections.abc import Callable

import pytest

Plain = Callable[..., str]


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("-{zh-hans:a;zh-hant:b}-", "a"),
        ("x -{ zh-hant : [[b]] ; zh-hans : a }- y", "x b y"),
        ("-{a}- -{a:b}-", "a a:b"),
        ("-{H|zh-hans:a;zh-hant:b}-x-{T|c}--{-|zh:d}-", "x"),
        ("-{A|zh-hans:a;zh-hant:b}- -{R|c}-", "a c"),
        ("a-{{x}}-b -{{{1|c}}}-", "a--b -c-"),
        ("-{a [[b]]\n'''c'''", "-{a b\nc"),
        ("[[a|-{b]] [http://c -{d]", "-{b -{d"),
        ("-{}-", ""),
    ],
)
def test_script_variants(plain: Plain, page: str, text: str) -> None:
    assert plain(page) == text
