"""What a page says of itself: title, language, author, dates, licence, canonical URL.

Read from the places that the scanner has marked; a page may lie, so each is what the page says and no more.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from gpucurate.sources.html.blocks import page

LONGEST = 2_000  # bytes of a field that are read
CREATIVE_COMMONS = re.compile(
    r"creativecommons\.org/(?:licenses/((?:by|nc|nd|sa)(?:-(?:by|nc|nd|sa)){0,3})|publicdomain/(zero|mark))"
    r"/(\d\.\d)(?:/([a-z]{2})\b)?",
    re.IGNORECASE,
)
DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d))?(?:\.\d+)?\s*(Z|[+-]\d\d:?\d\d)?)?")
LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?![A-Za-z])")


@dataclass(frozen=True, slots=True)
class PageMetadata:
    """`language` is the primary subtag in lower case; `license` an SPDX identifier, or the URL or words of the page
    where there is none."""

    title: str | None = None
    language: str | None = None
    author: str | None = None
    published: datetime | None = None
    modified: datetime | None = None
    license: str | None = None
    canonical: str | None = None


def read_metadata(source: bytes | memoryview, fields: NDArray[np.int64] | NDArray[np.int32]) -> PageMetadata:
    """`fields` [FIELDS, 2] are places in `source`, a page or a batch of pages."""
    said = {
        int(field): _text(bytes(source[start : min(stop, start + LONGEST)]))
        for field, (start, stop) in enumerate(fields.tolist())
        if start >= 0
    }
    return PageMetadata(
        title=said.get(page.FIELD_TITLE) or said.get(page.FIELD_OG_TITLE) or None,
        language=_language(said, page.FIELD_LANGUAGE, page.FIELD_CONTENT_LANGUAGE, page.FIELD_LOCALE),
        author=said.get(page.FIELD_AUTHOR) or None,
        published=_date(said.get(page.FIELD_PUBLISHED, "")),
        modified=_date(said.get(page.FIELD_MODIFIED, "")),
        license=_license(said),
        canonical=said.get(page.FIELD_CANONICAL) or None,
    )


def _text(raw: bytes) -> str:
    return " ".join(html.unescape(raw.decode("utf-8", "replace").replace("\0", "")).split())


def _language(said: dict[int, str], *fields: int) -> str | None:
    for field in fields:
        found = LANGUAGE.match(said.get(field, ""))
        if found:
            return found[0].lower()
    return None


def _license(said: dict[int, str]) -> str | None:
    """rel=license goes before any link to a deed, and that before the words of a <meta>."""
    for field in (page.FIELD_LICENSE, page.FIELD_CREATIVE_COMMONS, page.FIELD_RIGHTS):
        if known := spdx(said.get(field, "")):
            return known
    return said.get(page.FIELD_LICENSE) or None


def spdx(url: str) -> str | None:
    """SPDX identifier of a Creative Commons deed: by-sa/4.0 is CC-BY-SA-4.0, with the jurisdiction of old ports."""
    found = CREATIVE_COMMONS.search(url)
    if not found:
        return None
    elements, dedication, number, port = found.groups()
    if dedication:
        return "CC0-1.0" if dedication.lower() == "zero" else "CC-PDM-1.0"
    ported = f"-{port.upper()}" if port and not number.startswith("4") else ""
    return f"CC-{elements.upper()}-{number}{ported}"


def _date(text: str) -> datetime | None:
    found = DATE.match(text)
    if not found:
        return None
    year, month, day, hour, minute, second, zone = found.groups()
    clock = f"{hour or '00'}:{minute or '00'}:{second or '00'}"
    offset = "+00:00" if zone in (None, "Z") else zone
    try:
        return datetime.fromisoformat(f"{year}-{month}-{day}T{clock}{offset}").astimezone(UTC)
    except (ValueError, OverflowError):  # the 31st of June; a year that an offset carries out of the calendar
        return None
