"""What a check says."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """How it stands with what a check looked at."""

    OK = "ok"
    ABSENT = "absent"  # not there, and needed only by some
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at."""

    name: str
    state: State
    said: str  # what was found
    remedy: str = ""  # what to do; never empty where it failed
