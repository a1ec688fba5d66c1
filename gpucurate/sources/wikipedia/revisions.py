"""Of the revisions in a page's XML, the newest; histories hold thousands, and only one becomes a document."""

from __future__ import annotations

import re

START, END = b"<revision", b"</revision>"
TEXT = b"<text"
ID = re.compile(rb"<id>\s*(\d+)\s*</id>")
TIME = re.compile(rb"<timestamp>\s*([^<\s]+)")


def keep_newest(xml: bytes) -> bytes:
    """The page without all of its whole revisions but the newest: by time stamp, then by id, then the last.

    `xml` may end inside a revision, which then stays.
    """
    first = xml.find(START)
    if first < 0 or xml.find(START, first + 1) < 0:
        return xml
    at = first
    newest, newest_key = b"", (b"", -1)
    while (begin := xml.find(START, at)) >= 0 and (end := xml.find(END, begin)) >= 0:
        at = end + len(END)
        key = _age(xml, begin, at)
        if key >= newest_key:
            newest, newest_key = xml[begin:at], key
    return xml[:first] + newest + xml[at:]


def _age(xml: bytes, begin: int, end: int) -> tuple[bytes, int]:
    """Time stamp (ISO 8601 in UTC sorts as it stands) and id of the revision, which stand before its text."""
    text = xml.find(TEXT, begin, end)
    head = xml[begin : text if text >= 0 else end]
    time, number = TIME.search(head), ID.search(head)
    return time[1] if time else b"", int(number[1]) if number else -1
