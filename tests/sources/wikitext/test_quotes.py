from __future__ import annotations

from collections.abc import Callable

import pytest

Plain = Callable[..., str]


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("''a'' '''b''' '''''c'''''", "a b c"),
        ("''Iliad'''s", "Iliad's"),
        ("L'''amour''' de l''art''", "Lamour de lart"),
        ("'''a'' b''' c'", "a b c'"),
        ("''''a''''", "'a'"),
        ("''''''a''''''", "'a'"),
        ("'''this is about ''foo'''s family'''", "'this is about foos family"),
        ("''{{x}}'' ''[[File:a]]'' ''<ref>b</ref>''", ""),
        ("''[[R (P)|''R'']]'' ''[http://a ''b'']'' ''{{lang|fr|''c''}}''", "R b c"),
        ("'<b>''a''</b>'", "'a'"),
        ("'''a\n'''b", "a\nb"),
        ("don't 'quote'", "don't 'quote'"),
    ],
)
def test_apostrophes_as_in_do_quotes(plain: Plain, page: str, text: str) -> None:
    assert plain(page) == text
