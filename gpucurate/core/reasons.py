"""Reason codes: why a record or document did not go on.

A reason is declared once, beside the rule that gives it, with the source of that rule.  Codes read `room.word`
(`gopher.short`) and never change their meaning; a changed rule gets a new code or a new step version.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from gpucurate.core.errors import InvariantError


class Verdict(StrEnum):
    """What a reason does: `drop` is a decision about content, `quarantine` says the record could not be judged."""

    DROP = "drop"
    QUARANTINE = "quarantine"


@dataclass(frozen=True, slots=True)
class Reason:
    """`code` goes into tables, `meaning` is for people, `origin` names paper and section the rule comes from."""

    code: str
    meaning: str
    origin: str = ""
    verdict: Verdict = Verdict.DROP


def check_unique(reasons: Iterable[Reason]) -> dict[str, Reason]:
    """Reasons by code; raises InvariantError where one code has two meanings."""
    by_code: dict[str, Reason] = {}
    for reason in reasons:
        if by_code.setdefault(reason.code, reason) != reason:
            raise InvariantError(f"reason code {reason.code!r} is registered with two meanings")
    return by_code
