"""Real pages: no visible text is lost in scanning, by the text of lxml's tree."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import lxml.html
import pytest

from gpucurate.sources.charset import decode_page
from gpucurate.sources.html.blocks import block_texts, scan

pytestmark = pytest.mark.xdist_group("html")  # one process compiles the kernels, not both

UNSEEN = (
    "//script|//style|//noscript|//template|//svg|//select|//button|//datalist|//audio|//video|//canvas|//object|//map"
    "|//iframe|//textarea|//head|//math|//dialog|//comment()|//processing-instruction()"
    "|//span[@hidden or @aria-hidden='true' or contains(@style, 'none') or contains(@class, 'creen')]"
    "|//span[contains(@class, 'sr-only') or contains(@class, 'visually') or contains(@class, 'editsection')]"
)
# What starts a line of its own; lxml knows no layout.
BREAKING = frozenset(
    " ".join(
        (
            "p li ul ol dl dt dd div article section main header footer nav aside h1 h2 h3 h4 h5 h6 table tr td th",
            "thead tbody tfoot caption blockquote pre figure figcaption form fieldset legend address center",
            "details summary dir menu body br hr hgroup",
        )
    ).split()
)


def words(text: str) -> Counter[str]:
    dropped = dict.fromkeys(map(ord, "\u00ad\u200b\ufeff"))
    return Counter(text.translate(dropped).split())


def visible(html: str) -> str:
    tree = lxml.html.document_fromstring(html.encode(), parser=lxml.html.HTMLParser(encoding="utf-8", huge_tree=True))
    for element in tree.xpath(UNSEEN):
        if element.getparent() is not None:
            element.tail, tail = None, element.tail
            marker = lxml.html.HtmlElement()
            marker.tag, marker.tail = "i", tail
            element.getparent().replace(element, marker)
    for element in tree.iter(*sorted(BREAKING)):
        element.text, element.tail = f" {element.text or ''} ", f" {element.tail or ''}"
    return "".join(tree.itertext())


@pytest.mark.parametrize("where", ["readability/test-pages/*/source.html", "trafilatura/eval/*"])
def test_no_visible_word_is_lost(real_data: Path, where: str) -> None:
    paths = sorted((real_data / "html").glob(where))
    assert len(paths) > 90
    wanted = found = 0
    for path in paths:
        html = decode_page(path.read_bytes(), None).text.replace("\0", "")
        if html.strip():
            # Without word boundaries: lxml knows no blocks, so where words end differs between tags.
            there = Counter(" ".join(block_texts(scan(html.encode()))).split())
            here = words(visible(html))
            wanted += sum(here.values())
            found += sum((here & there).values())
    assert found >= 0.99 * wanted
