"""The record: a header and a block of bytes, the same for WARC and ARC; and the damage that stands where one was lost.

A record says nothing of its own worth; what is in the block is read elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from gpucurate.core.documents import QuarantineRow


@dataclass(frozen=True, slots=True)
class Record:
    """`headers` has lower-case names; of a name given twice the first value counts.

    `position` is the byte offset in the stored file, of the compressed member the record begins in where there is
    one; the record's ordinal where several records share a member.  `block` holds at most the reader's limit of
    bytes, `length` says how many there are in the file.  `repaired` is true where the header's Content-Length was
    wrong and the next record's beginning set the end.
    """

    position: int
    headers: Mapping[str, str]
    block: bytes
    length: int
    repaired: bool = False

    @property
    def type(self) -> str:
        """`response`, `request`, `conversion`, ...; empty if the header does not say."""
        return self.headers.get("warc-type", "").lower()

    @property
    def uri(self) -> str | None:
        """The target URI, without the angle brackets that some writers put around it."""
        uri = self.headers.get("warc-target-uri", "").strip()
        if uri.startswith("<") and uri.endswith(">"):
            uri = uri[1:-1]
        return uri or None

    def uri_in(self, file: str) -> str:
        """The target URI, or the record's place in `file` where it names none."""
        return self.uri or f"{file}#{self.position}"

    @property
    def revision(self) -> str | None:
        """WARC-Record-ID."""
        return self.headers.get("warc-record-id") or None

    @property
    def date(self) -> datetime | None:
        """WARC-Date in whole seconds, or None if it is missing or no date."""
        return parse_date(self.headers.get("warc-date", ""))


@dataclass(frozen=True, slots=True)
class Damage:
    """A place that gave no record: `lost` bytes (decoded where that is known, else as stored) and why, in words."""

    position: int
    detail: str
    lost: int = 0
    uri: str | None = None

    def row(self, file: str, reason: str) -> QuarantineRow:
        """The quarantine row that stands for it."""
        return QuarantineRow(file, self.position, reason, self.detail, self.lost, self.uri)


def first_values(fields: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Header fields by lower-case name; of a name given twice the first value counts."""
    headers: dict[str, str] = {}
    for name, value in fields:
        headers.setdefault(name.strip().lower(), value.strip())
    return headers


def parse_date(text: str) -> datetime | None:
    """ISO 8601 as WARC 1.1 (section 5.4) writes it, to whole seconds; None for anything else."""
    try:
        date = datetime.fromisoformat(text)
    except ValueError:
        return None
    date = date.replace(tzinfo=UTC) if date.tzinfo is None else date
    try:
        return date.astimezone(UTC).replace(microsecond=0)
    except OverflowError:
        return None
