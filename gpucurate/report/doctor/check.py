"""What a check says.  Messages of this project have the form `what is wrong. Remedy: what to do`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

GIB = 1 << 30  # bytes


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


def told(name: str, state: State, message: object, remedy: str = "") -> Check:
    """A check that passes on a message, such as an error's; `remedy` where that names none."""
    said, _, named = str(message).partition(" Remedy: ")
    return Check(name, state, said.rstrip("."), named or remedy)
