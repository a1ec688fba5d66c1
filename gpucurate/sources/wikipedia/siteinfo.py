"""What an export says of its wiki, at its head: where pages live on the web, and what its namespaces are called."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote

from lxml import etree

from gpucurate.sources.wikipedia.pages import START
from gpucurate.sources.wikipedia.pieces import Gap, Piece

LONGEST_HEAD = 16 << 20
ADDRESS = re.compile(r"https?://([\w.\-]+)(?::\d+)?/\S*")
SITEINFO, SITEINFO_END = b"<siteinfo", b"</siteinfo>"
# MediaWiki's own names, for exports without siteinfo (includes/title/NamespaceInfo.php, canonical names).
CANONICAL = {-2: "Media", -1: "Special", 0: "", 1: "Talk", 2: "User", 3: "User talk", 4: "Project", 5: "Project talk"}
CANONICAL |= {6: "File", 7: "File talk", 8: "MediaWiki", 9: "MediaWiki talk", 10: "Template", 11: "Template talk"}
CANONICAL |= {12: "Help", 13: "Help talk", 14: "Category", 15: "Category talk"}
UNESCAPED = ";@$!*(),/~:"  # as wfUrlencode leaves them in page addresses
# Projects whose text is under CC BY-SA 4.0 (Wikimedia Foundation Terms of Use, section 7, since June 2023).
SHARE_ALIKE = ("wikipedia", "wiktionary", "wikibooks", "wikiquote", "wikisource", "wikiversity", "wikivoyage")


@dataclass(frozen=True, slots=True)
class Siteinfo:
    """`base` is the address of the main page; `framed` says that the file begins as a whole export."""

    base: str | None = None
    namespaces: Mapping[int, str] = field(default_factory=lambda: CANONICAL)
    framed: bool = False

    def url_of(self, title: str) -> str | None:
        """Address of a page; None if the export does not say where its wiki lives."""
        if self.base is None:
            return None
        root, slash, _ = self.base.partition("/wiki/")
        if not slash:
            root, slash, _ = self.base.rpartition("/")
        return root + slash + quote(title.replace(" ", "_"), safe=UNESCAPED)

    def namespace_of(self, title: str) -> int:
        """By the title's prefix, for exports whose pages do not say."""
        prefix, colon, _ = title.partition(":")
        folded = prefix.strip().replace("_", " ").casefold()
        named = ((key, name) for names in (self.namespaces, CANONICAL) for key, name in names.items())
        return next((key for key, name in named if colon and name and name.casefold() == folded), 0)

    def license(self) -> tuple[str, str] | None:
        """SPDX identifier and who says so, where the wiki is a project of Wikimedia whose texts share one licence."""
        address = ADDRESS.fullmatch(self.base or "")
        host = address[1] if address else ""
        if host.endswith(tuple(f".{project}.org" for project in SHARE_ALIKE)):
            return "CC-BY-SA-4.0", f"dump: its siteinfo names {host} (Wikimedia Terms of Use, section 7)"
        return None


def read_siteinfo(pieces: Iterable[Piece | Gap]) -> Siteinfo | None:
    """From the pieces of a file's beginning; None if the file does not begin as an export.

    An export without siteinfo, or with one that cannot be read, has MediaWiki's own namespaces.
    """
    head = bytearray()
    started = False
    for piece in pieces:
        if isinstance(piece, Gap):
            break
        head += piece.data
        started = START.search(head) is not None
        if started or SITEINFO_END in head or len(head) > LONGEST_HEAD:
            break
    framed = b"<mediawiki" in head
    if not framed and not started:
        return None
    begin, end = head.find(SITEINFO), head.find(SITEINFO_END)
    if begin < 0 or end < 0:
        return Siteinfo(framed=framed)
    try:
        parser = etree.XMLParser(resolve_entities=False, no_network=True)
        element = etree.fromstring(bytes(head[begin : end + len(SITEINFO_END)]), parser)
    except etree.XMLSyntaxError:
        return Siteinfo(framed=framed)
    namespaces = {
        int(name.get("key")): name.text or ""
        for name in element.iterfind("namespaces/namespace")
        if name.get("key", "").lstrip("-").isdecimal()
    }
    base = (element.findtext("base") or "").strip()
    return Siteinfo(base if ADDRESS.fullmatch(base) else None, namespaces or CANONICAL, framed)
