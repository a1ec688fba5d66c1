"""The functions that run in the sandbox: a page of HTML as UTF-8 in, its title and main content out.

The answer is the title on the first line (often empty), then the text.  Engines may raise, hang or crash on a page;
nothing here guards against it, the sandbox does.
"""

from __future__ import annotations

import re

XML_DECLARATION = re.compile(r"\A[\ufeff\s]*<\?xml\b[^>]{0,1000}\?>")


def resiliparse(page: bytes) -> str:
    """Fast: resiliparse's rules for boilerplate (`main_content`), lists with bullets, no links, images or comments."""
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.html import HTMLTree

    tree = HTMLTree.parse(_as_html(page))
    text = extract_plain_text(tree, main_content=True, alt_texts=False, links=False, comments=False)
    return _answer(tree.title, text)


def trafilatura(page: bytes) -> str:
    """Careful: trafilatura in favour of precision, without comments, as FineWeb (Penedo et al. 2024, section 3.2)."""
    return _trafilatura(page, tables=True)


def trafilatura_without_tables(page: bytes) -> str:
    """As `trafilatura`, leaving out what stands in tables."""
    return _trafilatura(page, tables=False)


def _trafilatura(page: bytes, tables: bool) -> str:
    import trafilatura

    tree = trafilatura.load_html(_as_html(page))
    if tree is None:
        return _answer(None, None)
    titles = tree.xpath("//title[not(ancestor::svg)]")
    # No `deduplicate`: it remembers earlier pages, and the text of a page must not depend on them.
    text = trafilatura.extract(tree, include_comments=False, include_tables=tables, favor_precision=True)
    return _answer(titles[0].text if titles else None, text)


def _as_html(page: bytes) -> str:
    """Without what the engines stumble over: NUL characters, which HTML ignores (HTML standard, section 13.2.6.4.7),
    and an XML declaration of an encoding that no longer holds."""
    return XML_DECLARATION.sub("", page.decode("utf-8", "replace").replace("\0", "")).removeprefix("\ufeff")


def _answer(title: str | None, text: str | None) -> str:
    return " ".join((title or "").split()) + "\n" + (text or "").strip()
