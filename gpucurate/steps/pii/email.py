"""E-mail addresses (RFC 5321 mailboxes with a dotted ASCII domain; quoted local parts and IP literals are left)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpucurate.steps.pii.candidate import Candidate
from gpucurate.steps.pii.classes import Detector, Match, PiiClass

EMAIL = Detector("email", PiiClass.EMAIL)
LETTER = rb"(?:[A-Za-z0-9]|[\xc3-\xc9][\x80-\xbf])"  # with U+00C0 to U+027F, as the scan takes them
ADDRESS = re.compile(
    rb"(?P<local>(?:" + LETTER + rb"|_)(?:(?:" + LETTER + rb"|[_%+-]|\.(?!\.))*(?:" + LETTER + rb"|[_+-]))?)"
    rb"@(?P<domain>(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+(?P<top>[A-Za-z]{2,24}|xn--[A-Za-z0-9-]{2,59}))"
    rb"(?![A-Za-z0-9])"
)
NO_DOMAINS = frozenset(
    b"png jpg jpeg gif svg webp bmp ico tif tiff css js html htm php pdf txt xml json mp3 mp4 exe dll".split()
)  # file names such as `icon@2x.png`; none of these is a top-level domain
RESERVED = re.compile(rb"(?:\A|\.)(?:example\.(?:com|net|org)|(?:example|test|invalid|localhost))\Z", re.I)  # RFC 2606


class EmailDetector:
    """Finds addresses at `@`; `spare_reserved` leaves those of domains that RFC 2606 reserves."""

    def __init__(self, spare_reserved: bool) -> None:
        self._spare = spare_reserved

    def __call__(self, candidate: Candidate) -> Iterator[Match]:
        """The address in the candidate, without the full stop of a sentence."""
        raw = candidate.match
        at = raw.index(b"@")
        first = next((i for i, b in enumerate(raw[:at]) if b not in b".%+-"), at)
        found = ADDRESS.match(raw, first)
        if found is None or found["top"].lower() in NO_DOMAINS:
            return
        if self._spare and RESERVED.search(found["domain"]):
            return
        if found["local"] == b"git" and candidate.after(1) == b":":
            return  # git@host:path, a repository
        yield Match(candidate.start + found.start(), candidate.start + found.end(), EMAIL, 1.0)
