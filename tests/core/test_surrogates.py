"""Lone surrogates are repaired, everything else is left alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpucurate.core.surrogates import repair_surrogates


@pytest.mark.parametrize(
    ("broken", "repaired"),
    [
        ("\ud835", "\ufffd"),
        ("a\udc00b", "a\ufffdb"),
        ("\ud835\udc00", "\U0001d400"),
        ("\udc00\ud835", "\ufffd\ufffd"),
        ("\ud835\ud835\udc00x", "\ufffd\U0001d400x"),
        ("\ud83d tail", "\ufffd tail"),
    ],
)
def test_known_cases(broken: str, repaired: str) -> None:
    assert repair_surrogates(broken) == repaired


@given(st.text(st.characters(exclude_categories=())))
def test_any_string_becomes_utf8_and_valid_ones_stay(text: str) -> None:
    repaired = repair_surrogates(text)
    assert repaired.encode().decode() == repaired
    if not any("\ud800" <= c <= "\udfff" for c in text):
        assert repaired is text
