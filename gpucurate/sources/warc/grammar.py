"""Where a record may begin and what its header says: WARC (ISO 28500) and ARC 1.0 (Internet Archive, 1996).

Only the lenient reader asks here.  Patterns run over foreign bytes, so each is linear in what it scans.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from gpucurate.sources.warc.record import first_values

HEADER_BYTES = 64 << 10  # longest header looked for; fastwarc stops at 32 KiB
LONGEST_LENGTH = 18  # digits of a Content-Length


class Header(NamedTuple):
    """`size` is the header's length in bytes with its blank line, `length` the block's as declared."""

    fields: dict[str, str]
    size: int
    length: int


@dataclass(frozen=True, slots=True)
class Grammar:
    """`start` matches where a header begins (for ARC only at the start of a line); `boundary` matches the end of a
    block that is followed by a header, `separator` what stands after a block of the right length."""

    name: str
    start: re.Pattern[bytes]
    boundary: re.Pattern[bytes]
    separator: re.Pattern[bytes]

    def parse(self, data: bytes | bytearray) -> Header | None:
        """The header that `data` begins with; None if it is not whole or not one."""
        return _parse_warc(data) if self.name == "warc" else _parse_arc(data)


_WARC_LINE = rb"WARC/\d{1,2}\.\d{1,3}[ \t]*\r?\n(?=[A-Za-z][A-Za-z0-9\-]{0,60}[ \t]*:)"
_WARC_END = re.compile(rb"\r?\n\r?\n|(?=" + _WARC_LINE + rb")")
_ARC_LINE = (
    rb"[A-Za-z][A-Za-z0-9+.\-]{0,30}:[^\r\n]{0,16000} [0-9A-Fa-f.:\-]{1,45} \d{12,17} [^\s]{1,200} \d{1,18}\r?\n"
)

WARC = Grammar(
    "warc",
    start=re.compile(_WARC_LINE),
    boundary=re.compile(rb"(?:\r?\n){0,2}(?=" + _WARC_LINE + rb")"),
    separator=re.compile(rb"\r?\n\r?\n|\Z"),
)
ARC = Grammar(
    "arc",
    start=re.compile(rb"^" + _ARC_LINE, re.MULTILINE),
    boundary=re.compile(rb"\r?\n(?=" + _ARC_LINE + rb")"),
    separator=re.compile(rb"\r?\n|\Z"),
)


def _parse_warc(data: bytes | bytearray) -> Header | None:
    end = _WARC_END.search(data, 1, HEADER_BYTES)
    if end is None or not end[0]:  # no end, or cut with another record behind
        return None
    lines = bytes(data[: end.start()]).decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
    unfolded: list[str] = []
    for line in lines[1:]:
        if line[:1] in (" ", "\t") and unfolded:
            unfolded[-1] += " " + line.strip()
        else:
            unfolded.append(line)
    pairs = [line.partition(":") for line in unfolded]
    fields = first_values((name, value) for name, colon, value in pairs if colon)
    length = fields.get("content-length", "")
    if not (length.isascii() and length.isdigit() and len(length) <= LONGEST_LENGTH):
        return None
    return Header(fields, end.end(), int(length))


def _parse_arc(data: bytes | bytearray) -> Header | None:
    line = ARC.start.match(data)
    if line is None:
        return None
    uri, address, date, media_type, length = bytes(line[0]).decode("utf-8", "replace").rsplit(" ", 4)
    fields = {
        "warc-type": "warcinfo" if uri.startswith("filedesc:") else "response",
        "warc-target-uri": uri,
        "warc-ip-address": address,
        "warc-date": _iso(date),
        "content-type": "application/http; msgtype=response" if uri.startswith("http") else media_type,
    }
    return Header(fields, line.end(), int(length))


def _iso(date: str) -> str:
    """`20080430204825` in the spelling of WARC; old crawlers wrote 12 digits, some wrote 17."""
    digits = date.ljust(14, "0")
    return f"{digits[:4]}-{digits[4:6]}-{digits[6:8]}T{digits[8:10]}:{digits[10:12]}:{digits[12:14]}Z"
