"""What matches look like without what they say: the pattern that a wrong detector betrays itself by."""

from __future__ import annotations

import re

LONGEST = 40  # characters of a shape that are shown
_LETTERS = re.compile(r"[^\W\d_]+")
_DIGIT = re.compile(r"\d")
_SPACE = re.compile(r"\s+")


def shape(match: str) -> str:
    """Every digit is 9, a run of letters is `a` or, with a capital in it, `A`; white space is one space.

    Digits keep their number, for that is what tells a date from a telephone number; letters do not, so that names do
    not show through.
    """
    plain = _LETTERS.sub(lambda run: "a" if run[0].islower() else "A", match)
    plain = _SPACE.sub(" ", _DIGIT.sub("9", plain))
    return plain if len(plain) <= LONGEST else plain[: LONGEST - 1] + "…"
