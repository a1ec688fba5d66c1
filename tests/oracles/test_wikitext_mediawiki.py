"""MediaWiki's own parser cases (`!! wikitext` with `!! html`): the words its HTML shows against the extracted ones."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpucurate.core.text_buffers import pack_texts, text_array
from gpucurate.sources.wikitext import extract, make_rules
from tests.oracles.wikitext_recipe import token_f1

# Share of cases with exactly the same words, measured and rounded down; what is left is listed in docs/wikitext.md.
FLOORS = {
    "comments": 0.94,
    "definitionLists": 0.91,
    "extLinks": 0.92,
    "headings": 0.98,
    "indentPre": 1.0,
    "interwikiLinks": 0.94,
    "magicLinks": 1.0,
    "media": 0.90,
    "pWrapping": 0.98,
    "parserTests": 0.92,
    "preTags": 0.89,
    "quotes": 1.0,
    "sanitizer": 0.90,
    "tables": 0.96,
    "timedMediaHandlerParserTests": 1.0,
    "wikiLinks": 0.71,
    "wtEscaping": 0.88,
    "wtsTests": 0.88,
}
ALL = 0.905
EXPECTED = ("html/php", "html", "html/*", "html/parsoid", "html/php+tidy")
# Cases of another kind of text: edit summaries, pre-save transforms, links relative to a subpage, wikis in two scripts.
OTHER_TEXT = re.compile(
    r"\b(pst|msg|comment|showtitle|showindicators|cat|ill|section|replace|preload|language=|disabled|subpage)\b"
)
# Tags that exist on the test wiki only, raw HTML, and expansions that need a wiki.
OTHER_WIKI = re.compile(
    r"(?i)<(tag|t\u00e5g|statictag|spantag|dummyanno|ann2|i18ntag|i18nattr|asidetag|embedtag|sealtag|fakenestedtag|html|script|translate|langvar|tvar"
    r"|langconvert)\b|^#\s*redirect|NOT (USED|NEEDED)|\{\{"
)


def cases(path: Path) -> Iterator[tuple[str, str]]:
    for block in re.split(r"(?m)^!!\s*test\s*$", path.read_text(encoding="utf-8"))[1:]:
        sections = re.split(r"(?m)^!!\s*([\w/+*.-]+)[^\n]*\n", block)
        fields: dict[str, str] = {}
        for name, text in zip(sections[1::2], sections[2::2], strict=True):
            fields.setdefault(name.lower(), text)
        html = next((fields[name] for name in EXPECTED if fields.get(name)), None)
        wikitext = fields.get("wikitext")
        if html is None or wikitext is None or OTHER_WIKI.search(wikitext + html):
            continue
        if path.stem == "quotes" or not OTHER_TEXT.search(fields.get("options", "")):
            yield wikitext, shown(html)


def shown(html: str) -> str:
    """Text of the HTML without tables, media and footnotes, which the extraction leaves out on purpose."""
    import lxml.html

    if not html.strip():
        return ""
    root = lxml.html.fromstring(f"<div>{html}</div>")
    for element in list(root.iter()):
        if not isinstance(element.tag, str):
            element.text = None
        elif _left_out(element.tag, element.get("class", ""), element.get("typeof", ""), element.get("id", "")):
            tail = element.tail
            element.clear()
            element.tail = tail
    for element in root.iter(
        "br", "p", "div", "li", "dd", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "blockquote"
    ):
        element.tail = "\n" + (element.tail or "")
        if element.tag != "br":
            element.text = "\n" + (element.text or "")
    for element in root.iter("hr", "table", "figure"):
        element.tail = "\n" + (element.tail or "")
    return "".join(root.itertext())


def _left_out(tag: str, classes: str, kind: str, name: str) -> bool:
    return (
        tag in {"style", "script", "link", "meta", "table", "figure", "figure-inline", "audio", "video"}
        or "autonumber" in classes
        or classes.startswith(("mw-editsection", "toc", "reference", "gallery"))
        or kind.startswith("mw:File")
        or name == "toc"
    )


def test_mediawikis_own_cases(real_data: Path) -> None:
    same: dict[str, list[bool]] = defaultdict(list)
    scores = []
    for path in sorted((real_data / "wiki/parsoid").glob("*.txt")):
        if path.name == "COPYING.txt":
            continue
        pairs = list(cases(path))
        texts = text_array(*extract(pack_texts([page for page, _ in pairs]), make_rules())).to_pylist()
        for (_, expected), text in zip(pairs, texts, strict=True):
            want, got = (unicodedata.normalize("NFC", side).split() for side in (expected, text))
            same[path.stem].append(want == got)
            scores.append(token_f1(" ".join(want), " ".join(got)))
    shares = {name: sum(hits) / len(hits) for name, hits in same.items()}
    low = {name: shares.get(name, 0.0) for name, floor in FLOORS.items() if shares.get(name, 0.0) < floor}
    hits = [hit for group in same.values() for hit in group]
    assert low == {}
    assert len(hits) > 1200
    assert sum(hits) / len(hits) >= ALL
    assert sum(scores) / len(scores) >= ALL + 0.02


@pytest.mark.parametrize("names", [{14: ["Bólkur"]}])
def test_a_page_with_its_expected_text(real_data: Path, names: dict[int, list[str]]) -> None:
    folder = real_data / "wiki/mediawiki-dump/fixtures"
    page, want = ((folder / name).read_text(encoding="utf-8") for name in ("text.txt", "expected.txt"))
    [got] = text_array(*extract(pack_texts([page]), make_rules(names))).to_pylist()

    def lines(text: str) -> list[str]:
        return [line.strip() for line in text.split("\n") if line.strip()]

    assert lines(got) == lines(want)
