"""The usual recipe around mwparserfromhell, to the letter, and the measure that compares two extractions.

Only tests and benchmarks use it: removing a node by `code.remove` searches the whole tree, so it is quadratic.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

import mwparserfromhell

DROPPED_TAGS = {"ref", "table", "gallery", "math", "references", "timeline"}
DROPPED_LINKS = ("file:", "image:", "category:", "media:")


def recipe(wikitext: str) -> str:
    code = mwparserfromhell.parse(wikitext)
    unwanted = list(code.filter_templates(recursive=False))
    _remove(code, unwanted)
    _remove(code, [tag for tag in code.filter_tags() if str(tag.tag).strip().lower() in DROPPED_TAGS])
    _remove(
        code,
        [link for link in code.filter_wikilinks() if str(link.title).strip().lower().startswith(DROPPED_LINKS)],
    )
    text = str(code.strip_code())
    return "\n".join(line for line in text.split("\n") if not line.lstrip().startswith(("{|", "|", "!")))


def _remove(code: mwparserfromhell.wikicode.Wikicode, nodes: list[mwparserfromhell.nodes.Node]) -> None:
    for node in nodes:
        try:
            code.remove(node)
        except ValueError:
            continue  # went with a node around it


def normalized(text: str) -> str:
    text = unicodedata.normalize("NFC", text)
    lines = (re.sub(r"[ \t\u00a0]+", " ", line).strip() for line in text.split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def token_f1(left: str, right: str) -> float:
    """F1 of the two texts' words as multisets; 1.0 if both are empty."""
    ours, theirs = Counter(left.split()), Counter(right.split())
    total = ours.total() + theirs.total()
    return 2 * (ours & theirs).total() / total if total else 1.0
