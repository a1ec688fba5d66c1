from __future__ import annotations

import html
from collections.abc import Callable

import pytest

Plain = Callable[..., str]


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("&lt;ref&gt; &amp;lt; &#65;&#x42; &nbsp;&foo; &#39;&#39;a&#39;&#39;", "<ref> &lt; AB \u00a0&foo; ''a''"),
        ("&#150;&#x80;&#x92;", "–€’"),
        ("a&#10;b&#9;c&Tab;d", "a b c d"),
        (
            "&#0; &#8; &#x7f; &#x81; &#xD800; &#x110000; &#xFFFE; &#; &#x;",
            "&#0; &#8; &#x7f; &#x81; &#xD800; &#x110000; &#xFFFE; &#; &#x;",
        ),
        ("&#0000000000065; &amp &AMP;", "A &amp &"),
        ("&NotEqualTilde;&#x1F600;", "≂̸😀"),
        ("&lt;nowiki&gt;*", "<nowiki>*"),
    ],
)
def test_character_references(plain: Plain, page: str, text: str) -> None:
    assert plain(page) == text


def test_every_html5_entity_is_what_the_standard_library_says(extract_all: Callable[..., list[str]]) -> None:
    entities = [name for name in html.entities.html5 if name.endswith(";")]
    want = [
        "x" + ("'" if name == "apos;" else html.entities.html5[name].replace("\n", " ").replace("\t", " ")) + "x"
        for name in entities
    ]
    assert extract_all([f"x&{name}x" for name in entities]) == want
