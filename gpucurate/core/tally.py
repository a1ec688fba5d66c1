"""Counting documents, bytes and tokens, and the account that must reconcile at every step.

in = kept + dropped + quarantined for documents and tokens; for bytes the edits stand on the right-hand side too.
The runner fills an account and checks it; a step never does its own books.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gpucurate.core.errors import InvariantError


@dataclass(frozen=True, slots=True)
class Tally:
    """Documents, bytes of UTF-8 text (raw bytes before extraction), tokens (None where they were not counted)."""

    documents: int = 0
    bytes: int = 0
    tokens: int | None = 0

    def __add__(self, other: Tally) -> Tally:
        tokens = None if self.tokens is None or other.tokens is None else self.tokens + other.tokens
        return Tally(self.documents + other.documents, self.bytes + other.bytes, tokens)


@dataclass(frozen=True, slots=True)
class Edited:
    """What edits did to the documents that were kept."""

    documents: int = 0
    bytes_removed: int = 0
    bytes_added: int = 0

    def __add__(self, other: Edited) -> Edited:
        return Edited(
            self.documents + other.documents,
            self.bytes_removed + other.bytes_removed,
            self.bytes_added + other.bytes_added,
        )


@dataclass(frozen=True, slots=True)
class StepAccount:
    """One line of the funnel: what went in and where it went, by reason."""

    name: str
    entered: Tally = field(default_factory=Tally)
    kept: Tally = field(default_factory=Tally)
    dropped: Mapping[str, Tally] = field(default_factory=dict)
    quarantined: Mapping[str, Tally] = field(default_factory=dict)
    edited: Edited = field(default_factory=Edited)
    seconds: float = 0.0

    def __add__(self, other: StepAccount) -> StepAccount:
        if self.name != other.name:
            raise InvariantError(f"accounts of two steps added: {self.name!r} and {other.name!r}")
        return StepAccount(
            self.name,
            self.entered + other.entered,
            self.kept + other.kept,
            add_by_reason(self.dropped, other.dropped),
            add_by_reason(self.quarantined, other.quarantined),
            self.edited + other.edited,
            self.seconds + other.seconds,
        )

    def check(self) -> None:
        """Raise InvariantError unless documents, bytes and tokens that went in are all accounted for."""
        left = sum_tallies([self.kept, *self.dropped.values(), *self.quarantined.values()])
        if left.documents != self.entered.documents:
            self._fail("documents", self.entered.documents, left.documents)
        edited_bytes = left.bytes + self.edited.bytes_removed - self.edited.bytes_added
        if edited_bytes != self.entered.bytes:
            self._fail("bytes", self.entered.bytes, edited_bytes)
        if self.entered.tokens is not None and left.tokens is not None and left.tokens != self.entered.tokens:
            self._fail("tokens", self.entered.tokens, left.tokens)

    def _fail(self, unit: str, entered: int, left: int) -> None:
        raise InvariantError(
            f"step {self.name!r} does not reconcile: {entered} {unit} went in, {left} are accounted for. "
            "This is a defect of gpucurate; the output must not be used."
        )


def sum_tallies(tallies: list[Tally]) -> Tally:
    """Sum; an empty list is nothing at all."""
    total = Tally()
    for tally in tallies:
        total = total + tally
    return total


def add_by_reason(left: Mapping[str, Tally], right: Mapping[str, Tally]) -> dict[str, Tally]:
    """Union of two tallies by reason, in the order of the codes."""
    return {code: left.get(code, Tally()) + right.get(code, Tally()) for code in sorted({*left, *right})}
