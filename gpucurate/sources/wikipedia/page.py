"""One page's XML to its fields.

The text, nearly all of a page, is cut out and unescaped as bytes; the small rest goes through a real XML parser, and so
does the whole page where its text holds anything but characters and entities.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from lxml import etree

from gpucurate.sources.wikipedia.characters import UnknownEntity, unescape
from gpucurate.sources.wikipedia.revisions import keep_newest

TEXT = re.compile(rb'<text(?:\s[^<>"\']*(?:"[^"]*"[^<>"\']*)*)?>')
TEXT_END = b"</text>"
PARSER = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)  # loads nothing outside the page


class MalformedPage(Exception):
    """The page's XML cannot be read; the message says why."""


@dataclass(frozen=True, slots=True)
class Page:
    """What a page says of itself, and the text of its newest revision."""

    title: str
    namespace: int | None  # None in exports that do not say, before schema 0.6
    redirect: bool  # by its own element, which came with schema 0.4
    revision: str | None
    modified: datetime | None
    model: str
    deleted: bool
    text: bytes  # wikitext, valid UTF-8


def parse_page(xml: bytes) -> Page:
    """Raises MalformedPage for what is not well-formed, not UTF-8, or has no title."""
    xml, text = _cut_text(keep_newest(xml))
    try:
        element = etree.fromstring(xml, PARSER)
    except etree.XMLSyntaxError as error:
        raise MalformedPage(f"the page's XML is broken: {error.msg}") from error
    title = (element.findtext("title") or "").strip()
    if not title:
        raise MalformedPage("the page has no title")
    revision = element.find("revision")
    holder = revision.find("text") if revision is not None else None
    if text is None:
        text = "".join(holder.itertext()).encode() if holder is not None else b""
    return Page(
        title,
        _number(element.findtext("ns")),
        element.find("redirect") is not None,
        _stripped(revision.findtext("id")) if revision is not None else None,
        _time(revision.findtext("timestamp")) if revision is not None else None,
        (revision.findtext("model") if revision is not None else None) or "wikitext",
        holder is not None and holder.get("deleted") is not None,
        text,
    )


def _cut_text(xml: bytes) -> tuple[bytes, bytes | None]:
    """The page without its text, and the text; all of the page and None if the text is for the XML parser."""
    tag = TEXT.search(xml)
    if tag is None or tag[0].endswith(b"/>"):
        return xml, None
    end = xml.find(TEXT_END, tag.end())
    content = xml[tag.end() : end]
    if end < 0 or b"<" in content:
        return xml, None
    return xml[: tag.end()] + xml[end:], _characters(content)


def _characters(content: bytes) -> bytes:
    try:
        text = unescape(content)
        if not text.isascii():
            text.decode()
    except UnknownEntity as error:
        raise MalformedPage(str(error)) from error
    except UnicodeDecodeError as error:
        raise MalformedPage(f"the text is not UTF-8 at its byte {error.start}") from error
    return text


def _number(value: str | None) -> int | None:
    if value is None:
        return None
    try:
        return int(value)
    except ValueError as error:
        raise MalformedPage(f"the namespace {value!r} is no number") from error


def _stripped(value: str | None) -> str | None:
    return value.strip() or None if value else None


def _time(value: str | None) -> datetime | None:
    try:
        moment = datetime.fromisoformat(value.strip()) if value else None
    except ValueError:
        return None  # a page is worth more than its date
    return moment.replace(tzinfo=moment.tzinfo or UTC) if moment else None
