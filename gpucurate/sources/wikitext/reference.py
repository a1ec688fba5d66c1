"""The reference engine: each page parsed into a tree by mwparserfromhell, which is walked once.

It keeps and drops what the usual recipe around that parser does (templates, tables, references, galleries, math, files
and categories go, the line filter takes what is left of tables), without its searches through the whole tree.
It is a hundred times slower than the scanner and there to be compared with; it must not learn the scanner's habits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any

from gpucurate.core.errors import MissingExtra
from gpucurate.sources.wikitext.vocabulary import HIDDEN_NAMESPACES

DROPPED_TAGS = frozenset({"ref", "table", "gallery", "math", "references", "timeline"})
ROW_STARTS = ("{|", "|", "!")


class ReferenceExtractor:
    """Extracts page by page; `namespaces` as for `make_rules`.  Raises MissingExtra without mwparserfromhell."""

    def __init__(self, namespaces: Mapping[int, Sequence[str]] | None = None) -> None:
        self._parser = _import_parser()
        self._hidden = tuple(
            f"{name.replace('_', ' ').lower()}:"
            for key, english in HIDDEN_NAMESPACES.items()
            for name in (*english.split(), *(namespaces or {}).get(key, ()))
        )

    def extract(self, text: str) -> str:
        """Plain text of one page of wikitext.

        The parser's own limits apply: it reads what nests too deeply as text, and it can take minutes for a page that
        was made to be slow, so pages of unknown origin belong under a time limit.
        """
        plain = "".join(self._visible(self._parser.parse(text)))
        return "\n".join(line for line in plain.split("\n") if not line.lstrip().startswith(ROW_STARTS))

    def _visible(self, code: Any) -> Iterator[str]:
        nodes = self._parser.nodes
        for node in code.nodes:
            if isinstance(node, nodes.Text):
                yield node.value
            elif isinstance(node, nodes.Wikilink):
                if not str(node.title).strip().lower().startswith(self._hidden):
                    yield from self._visible(node.title if node.text is None else node.text)
            elif isinstance(node, nodes.Tag):
                if node.contents is not None and str(node.tag).strip().lower() not in DROPPED_TAGS:
                    yield from self._visible(node.contents)
            elif isinstance(node, nodes.Heading):
                yield from self._visible(node.title)
            elif isinstance(node, nodes.ExternalLink):
                if node.brackets and node.title is not None:
                    yield from self._visible(node.title)
                elif not node.brackets:
                    yield str(node.url)
            elif isinstance(node, nodes.HTMLEntity):
                yield node.normalize()
            elif isinstance(node, nodes.Argument) and node.default is not None:
                yield from self._visible(node.default)


def _import_parser() -> ModuleType:
    try:
        import mwparserfromhell
    except ImportError as missing:
        raise MissingExtra(
            "the wikitext engine 'mwparserfromhell'", "mwparserfromhell", "wikitext-reference"
        ) from missing
    parser: ModuleType = mwparserfromhell
    return parser
