"""Records to pages: which record holds a page of HTML, and what the others are.

A page is a response or resource with status 200 and HTML in it; everything else is refused with a reason, as dropped
where it is no page by its nature, as quarantined where it should have been one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from gpucurate.core.reasons import Reason, Verdict
from gpucurate.sources.warc.http import LONGEST_HEAD, Response, parse_head, parse_response
from gpucurate.sources.warc.record import Record

HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
UNTOLD_TYPES = frozenset({"", "application/octet-stream", "unknown/unknown", "no-type", "unk"})  # then the bytes tell
# HTML by its first tag, as the MIME Sniffing standard (section 7.1) tells it, after white space, comments and BOM.
HTML_START = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:\s|<!--(?:[^-]|-(?!->)){0,2000}-->|<\?xml[^>]{0,500}\?>)*+"
    rb"<(?:!doctype html|html|head|body|title|script|style|iframe|h1|div|font|table|a|br|p|b)[\s/>]",
    re.IGNORECASE,
)
BINARY_STARTS = (b"%PDF-", b"\x89PNG\r\n", b"GIF87a", b"GIF89a", b"\xff\xd8\xff", b"PK\x03\x04", b"RIFF", b"wOFF")

REASONS = (
    *(
        Reason(f"warc.{kind}", f"a {kind} record, which holds no page")
        for kind in ("warcinfo", "request", "metadata", "revisit", "conversion", "continuation")
    ),
    Reason("warc.other_type", "a record of a type that holds no page, or of none"),
    Reason("warc.dns", "a name resolution"),
    Reason("warc.http_status", "the server answered with a status other than 200"),
    Reason("warc.not_html", "the response or resource is not HTML"),
    Reason("warc.not_http", "the response has no HTTP status line", verdict=Verdict.QUARANTINE),
    Reason("warc.damaged", "a place in the archive where no record could be read", verdict=Verdict.QUARANTINE),
    Reason("warc.lost", "the record is no longer found in its file", verdict=Verdict.QUARANTINE),
)
DROPPED_TYPES = frozenset({"warcinfo", "request", "metadata", "revisit", "conversion", "continuation"})


@dataclass(frozen=True, slots=True)
class HtmlPage:
    """A page as archived: `payload` is the decoded HTTP body, `charset` what its header declares, `truncated` true if
    the archive says or shows that the end is missing."""

    payload: bytes
    charset: str | None
    modified: datetime | None
    truncated: bool


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a record is no page; `detail` is for a person."""

    reason: str
    detail: str = ""


def block_limit(page_bytes: int) -> int:
    """How much of a record's block is needed to tell whether its page is longer than `page_bytes`."""
    return page_bytes + LONGEST_HEAD + 1


def read_page(record: Record, limit: int) -> HtmlPage | Refused:
    """The page in a record, if there is one of at most `limit` bytes."""
    if record.type not in ("response", "resource"):
        return Refused(f"warc.{record.type}" if record.type in DROPPED_TYPES else "warc.other_type")
    uri = record.uri or ""
    if uri.startswith("dns:") or _media_type(record) == "text/dns":
        return Refused("warc.dns")
    response = _response(record, limit)
    if response.status is None and record.type == "response":
        if not uri.startswith("http"):
            return Refused("warc.not_html", "no HTTP")
        return Refused("warc.not_http", f"the block begins with {record.block[:40]!r}")
    if response.status not in (200, None):
        return Refused("warc.http_status", str(response.status))
    if not _is_html(response):
        return Refused("warc.not_html", response.media_type)
    if record.length > len(record.block) or len(response.body) > limit:
        return Refused("html.too_large", f"the record has {record.length} bytes, max_bytes is {limit}")
    cut = "warc-truncated" in record.headers or "warc-segment-number" in record.headers
    return HtmlPage(response.body, response.charset, response.last_modified, cut or not response.whole)


def _media_type(record: Record) -> str:
    return record.headers.get("content-type", "").partition(";")[0].strip().lower()


def _response(record: Record, limit: int) -> Response:
    """The HTTP response; a resource is one of its own, with the record's Content-Type."""
    head = parse_head(record.block)
    if head.status is None:
        return Response(None, {"content-type": record.headers.get("content-type", "")}, record.block[: limit + 1])
    worth_decoding = head.status == 200 and (head.media_type in HTML_TYPES or head.media_type in UNTOLD_TYPES)
    return parse_response(record.block, limit) if worth_decoding else head


def _is_html(response: Response) -> bool:
    if response.media_type in HTML_TYPES:
        return not response.body.startswith(BINARY_STARTS)
    return response.media_type in UNTOLD_TYPES and HTML_START.match(response.body) is not None
