"""Pieces of markup from which pages are made that no person would write, and pages that are hard to read.

`python fragments.py fuzz SEED DOCUMENTS` and `python fragments.py count` run in processes of their own: under Numba's
bounds checks, and without compilation, where the lines that run can be counted.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator

import numpy as np

from gpucurate.core.text_buffers import pack_texts
from gpucurate.sources.wikitext import extract, make_rules, residue
from gpucurate.sources.wikitext.extraction import GROWTH

FRAGMENTS = [
    "{{",
    "}}",
    "{{{",
    "}}}",
    "[[",
    "]]",
    "[",
    "]",
    "|",
    "{",
    "}",
    "{|",
    "|}",
    "\n{|",
    "\n|}",
    "\n|-",
    "\n|",
    "\n!",
    "<ref>",
    "</ref>",
    "<ref/>",
    "<!--",
    "-->",
    "''",
    "'''",
    "'''''",
    "'",
    "==",
    "=",
    "\n==",
    "*",
    "#",
    ":",
    ";",
    "----",
    "-",
    "-{",
    "}-",
    "zh-hans:",
    "zh-hant:",
    "H|",
    "<nowiki>",
    "</nowiki>",
    "<nowiki/>",
    "<pre>",
    "</pre>",
    "<br>",
    "<p",
    "<div>",
    "</div>",
    "<table>",
    "</table>",
    "<noinclude>",
    "<includeonly>",
    "</includeonly>",
    "&amp;",
    "&#x1F600;",
    "&#39;",
    "&#150;",
    "&#0;",
    "&NotEqualTilde;",
    "&",
    "__NOTOC__",
    "__",
    "_",
    "http://a",
    "[http://a",
    "[//a",
    "[http://[::1]",
    "{{!}}",
    "{{{!}}",
    "{{!}}}",
    "File:",
    "Category:",
    "fr:",
    "Help:",
    "(x)",
    "convert|5|to|10|km2",
    "convert|6|ft|4|in",
    "adj=on",
    "nowrap|",
    "lang|fr|",
    "lang|a=b|",
    "as|of|2012|9",
    "{{as|of|",
    "{{circa|",
    "{{dts|1|9|1",
    "{{frac|",
    "{{e|",
    "{{chem|",
    "{{quote|",
    "text=",
    "1=",
    "ndash",
    "formatnum:6",
    "{{'",
    "a",
    "word",
    "é",
    "日本",
    "<",
    ">",
    "</",
    "/>",
    "\t",
    "\x00",
    "\x01",
    "\x03",
    "\x04",
    "\r",
]
FRAGMENTS += [" ", "{{x}}", "<ref/>", "(", ")", ",", ";", ".", "x" * 70, "{{as of|", "a " * 200, "\n", "\n\n"]

RULES = make_rules()

HARD: dict[str, Callable[[int], str]] = {
    "open templates": lambda n: "{{a" * n,
    "open visible templates": lambda n: "{{nowrap|" * n,
    "nested templates": lambda n: "{{a|<b>" * n + "}}" * n,
    "nested visible templates": lambda n: "{{nowrap|" * n + "x" * 9 * n + "}}" * n,
    "nested in second arguments": lambda n: "{{lang|" * n + "|x}}" * n,
    "nested short templates": lambda n: "{{circa|" * n + "}}" * n,
    "tags and templates": lambda n: "<x>" * n + "[[{{x}}" * n,
    "nested tables": lambda n: "\n{|\n|" * n + "\n|}" * n,
    "open tables": lambda n: "\n{|" * n,
    "tables in braces": lambda n: "\n{|" * n + "}}" * n,
    "html tables": lambda n: "{{" + "<table>" * n + "\n|}" * n,
    "open links": lambda n: "[[" * n,
    "open links over lines": lambda n: "[[a\n" * n + "]]" * n,
    "nested links": lambda n: "[[a|" * n + "x" * 4 * n + "]]" * n,
    "nested files": lambda n: "[[File:a|" * n + "]]" * n,
    "colons": lambda n: "[[" + "a:" * n + "]]" * n,
    "links and tables": lambda n: "{{" + "[[a|" * n + "\n|}" * n + "}}" * n,
    "open urls": lambda n: "[http://a " * n,
    "open references": lambda n: "<ref>" * n,
    "broken references": lambda n: "<ref>a</ref " * n,
    "open comments": lambda n: "<!--" * n,
    "comments in tags": lambda n: "<b <!---->" * n,
    "tags without end": lambda n: "<br " * n,
    "pre in pre": lambda n: "<pre><nowiki>" * n + "</pre>",
    "nowiki lines": lambda n: "<nowiki>\n" * n + "</nowiki>",
    "pipes": lambda n: "{{" + "|" * 3 * n,
    "braces": lambda n: "{" * 3 * n + "}" * 3 * n,
    "argument defaults": lambda n: "{{{a|" * n + "}}}" * n,
    "erased before tables": lambda n: "[[" + "a" * 200 + "|]]" + "{|" * n,
    "apostrophes": lambda n: "'" * 3 * n,
    "quotes": lambda n: "'' ''' x " * n,
    "equals": lambda n: "=" * 3 * n,
    "dashes": lambda n: "-" * 3 * n,
    "ampersands": lambda n: "&#1" * n + "&amp" * n,
    "underscores": lambda n: "__A" * n,
    "variants": lambda n: "-{" * n + "}-" * n,
    "variants by colon": lambda n: "-{zh:a;" * n + "}-" * n,
    "brackets in variants": lambda n: "-{" * n + "]" * n,
    "spaces": lambda n: " " * 3 * n,
    "newlines": lambda n: "\n" * 3 * n,
    "gaps": lambda n: "({{a}}, " * n + ")" * n,
    "gaps behind blanks": lambda n: "a" + " " * 9 * n + "({{a}})" * n,
    "separators behind blanks": lambda n: "a" + " " * 9 * n + "; {{a}}" * n,
    "stops behind blanks": lambda n: " " * 9 * n + "{{a}}. " * n,
    "gaps in blanks": lambda n: "{{a}} " * n + ", {{a}}" * n,
    "definitions": lambda n: ";" + "[[a|:]]" * n,
}


def random_pages(seed: int, documents: int) -> Iterator[list[str]]:
    """Batches of random pages."""
    choose = random.Random(seed)
    for _ in range(0, documents, 100):
        sizes = choose.choices((3, 8, 30, 200), k=100)
        yield ["".join(choose.choices(FRAGMENTS, k=size)) for size in sizes]


def check_batch(pages: list[str], pick: int) -> None:
    """Everything that must hold of any extraction; `pick` is extracted alone as well."""
    raw = pack_texts(pages)
    text = extract(raw, RULES)
    sizes, lengths = np.diff(raw.offsets), np.diff(text.offsets)
    assert text.offsets[0] == 0
    assert text.offsets[-1] == len(text.data)
    assert (lengths >= 0).all()
    assert (lengths <= GROWTH * sizes + 1).all()
    assert not ((text.data < 32) & (text.data != 9) & (text.data != 10)).any()
    for start, stop in zip(text.offsets[:-1], text.offsets[1:], strict=True):
        bytes(text.data[start:stop]).decode()
    alone = extract(pack_texts([pages[pick]]), RULES)
    assert bytes(alone.data) == bytes(text.data[text.offsets[pick] : text.offsets[pick + 1]])
    assert sum(residue(text).values()) <= len(text.data)


def fuzz(seed: int, documents: int) -> None:
    for batch in random_pages(seed, documents):
        check_batch(batch, len(batch) // 2)


def count_lines(page: str) -> int:
    """How many lines of the extractor's code run for a page; only without compilation."""
    raw = pack_texts([page])
    lines = 0

    def trace(frame: object, event: str, argument: object) -> object:
        nonlocal lines
        lines += event == "line"
        return trace

    sys.settrace(trace)  # type: ignore[arg-type]
    try:
        extract(raw, RULES)
    finally:
        sys.settrace(None)
    return lines


if __name__ == "__main__":
    if sys.argv[1] == "fuzz":
        fuzz(int(sys.argv[2]), int(sys.argv[3]))
    else:
        with np.errstate(over="ignore"):
            for name, make in HARD.items():
                print(name, count_lines(make(60)), count_lines(make(240)), sep="\t")
