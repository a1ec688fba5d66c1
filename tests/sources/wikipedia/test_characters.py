from __future__ import annotations

import html

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpucurate.sources.wikipedia.characters import ENTITY, UnknownEntity, unescape

PARTS = ["&lt;", "&gt;", "&amp;", "&quot;", "&apos;", "&#9;", "&#xE9;", "lt;", "amp;", ";", "x", "é", "\n", "\r"]
BROKEN = [
    "&",
    "&l",
    "&lt",
    "&am",
    "&amp",
    "&quo",
    "&quot",
    "&lt&gt;",
    "&&amp;",
    "&ltd;",
    "&ampx",
    "&quots;",
    "&#",
    "&#x;",
]


@given(st.lists(st.sampled_from(PARTS)).map("".join))
@settings(deadline=None, max_examples=300)
def test_entities_are_what_they_stand_for(text: str) -> None:
    expected = html.unescape(text.replace("\r\n", "\n").replace("\r", "\n"))
    assert unescape(text.encode()) == expected.encode()


@given(st.lists(st.sampled_from(PARTS)).map("".join), st.sampled_from(BROKEN), st.sampled_from(["", " ", "z", "é"]))
@settings(deadline=None, max_examples=300)
def test_an_ampersand_alone_is_told(before: str, broken: str, after: str) -> None:
    content = (before + broken + after).encode()
    if all(match[0] != b"&" for match in ENTITY.finditer(content)):
        assert unescape(content)
    else:
        with pytest.raises(UnknownEntity, match="begins no entity"):
            unescape(content)
