from __future__ import annotations

import sys

import pytest

from gpucurate.core.errors import MissingExtra
from gpucurate.sources.wikitext.reference import ReferenceExtractor


def test_keeps_and_drops_what_the_recipe_does() -> None:
    page = (
        "{{a|[[b]]}}'''C''' [[d|e]] [[File:f.jpg|g]]<ref>h</ref> [http://i j] &lt; {{{k|l}}} <b>m</b>\n"
        "== n ==\n* o\n{|\n| p\n|}\n| q\n! r\nhttp://s<math>t</math><!-- u --><br>"
    )
    assert ReferenceExtractor().extract(page) == "C e  j < l m\n n \n o\n\nhttp://s"


def test_takes_the_names_of_namespaces_from_siteinfo() -> None:
    page = "[[Kateguoreja:a]]b"
    assert ReferenceExtractor().extract(page) == "Kateguoreja:ab"
    assert ReferenceExtractor({14: ["Kateguoreja"]}).extract(page) == "b"


def test_names_the_missing_package_and_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mwparserfromhell", None)
    with pytest.raises(MissingExtra, match=r"pip install 'gpucurate\[wikitext-reference\]'"):
        ReferenceExtractor()
