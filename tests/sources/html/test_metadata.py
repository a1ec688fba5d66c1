"""What a page says of itself."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from gpucurate.sources.html.blocks.engine import BlocksEngine
from gpucurate.sources.html.blocks.metadata import PageMetadata, spdx
from tests.sources.html.forests import EVERYTHING

pytestmark = pytest.mark.xdist_group("html")  # one process compiles the kernels, not both


def metadata(html: str) -> PageMetadata:
    before, found = BlocksEngine(trees=EVERYTHING).extract(["<p>another page", html])
    assert before.metadata == PageMetadata()
    return found.metadata


def test_all_fields() -> None:
    assert metadata(
        '<html LANG="de-AT"><title> A &amp;\n B </title><meta name=author content="J. Doe">'
        '<meta property="article:published_time" content="2021-02-03T04:05:06+02:00">'
        '<meta content="2022-01-01" name="last-modified"><link rel="canonical" href="https://x.org/?a=1&amp;b=2">'
        '<a rel="nofollow license" href="https://creativecommons.org/licenses/by-sa/3.0/de/">'
    ) == PageMetadata(
        "A & B",
        "de",
        "J. Doe",
        datetime(2021, 2, 3, 2, 5, 6, tzinfo=UTC),
        datetime(2022, 1, 1, tzinfo=UTC),
        "CC-BY-SA-3.0-DE",
        "https://x.org/?a=1&b=2",
    )


def test_which_of_several_is_taken() -> None:
    assert metadata("<svg><title>icon</title></svg><title>one</title><title>two</title>").title == "one"
    assert metadata("<meta property=og:title content=x>").title == "x"
    assert metadata("<meta http-equiv=content-language content='pt, en'>").language == "pt"
    assert metadata("<meta property=og:locale content=fr_FR>").language == "fr"
    assert metadata("<a href='//www.creativecommons.org/publicdomain/zero/1.0/'>").license == "CC0-1.0"
    assert metadata("<a rel=license href=/licence>").license == "/licence"
    assert metadata("<a href=/?u=//example.org/creativecommons.org/licenses/by/4.0>").license is None


def test_what_cannot_be_read_is_none() -> None:
    assert metadata("<html lang=''><title></title><meta name=date content=yesterday>") == PageMetadata()
    assert metadata("<meta name=date content='2021-02-31'>").published is None
    assert metadata("<meta name=date content='0001-01-01T00:00+09:00'>").published is None


@pytest.mark.parametrize(
    ("url", "identifier"),
    [
        ("http://creativecommons.org/licenses/by-nc-nd/2.5/", "CC-BY-NC-ND-2.5"),
        ("https://creativecommons.org/licenses/by/4.0/deed.de", "CC-BY-4.0"),
        ("https://creativecommons.org/publicdomain/mark/1.0/", "CC-PDM-1.0"),
        ("https://creativecommons.org/", None),
    ],
)
def test_creative_commons_as_spdx(url: str, identifier: str | None) -> None:
    assert spdx(url) == identifier
