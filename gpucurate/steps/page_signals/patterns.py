"""The lists of phrases as patterns for RE2, whose time is linear in the text whatever the pattern."""

from __future__ import annotations

import re
from collections.abc import Mapping

from gpucurate.steps.page_signals.kinds import DIRECTORY
from gpucurate.steps.page_signals.text_phrases import TEXTS
from gpucurate.steps.page_signals.title_phrases import TITLES

DOTLESS = "\u0131"  # of Turkish, whose capital is also that of `i`; taken for `i` everywhere
# Between the segments of a title; hyphens and dashes only with space around them (`trial-and-error` is one segment).
SIGNS = r"[\|:\x{00b7}\x{2022}\x{00bb}\x{00ab}>_\x{ff0c}\x{ff5c}]"
BEFORE, BEHIND = rf"(?:^ ?|{SIGNS} ?| [\-\x{{2013}}\x{{2014}}] )", rf"(?: ?$| ?{SIGNS}| [\-\x{{2013}}\x{{2014}}] )"
ENDS = r"[.!\x{3002}\x{2026}]{0,3}"


def title_pattern(kind: str) -> str | None:
    """RE2 pattern that finds a phrase of TITLES as a segment, None where the kind has none."""
    return rf"{BEFORE}(?:{_any_of(TITLES[kind])}){ENDS}{BEHIND}" if TITLES[kind] else None


def text_pattern(kind: str) -> str:
    """RE2 pattern that finds a phrase of TEXTS; a directory's must begin the text, or name its columns."""
    if kind == DIRECTORY:
        begins, columns = (_any_of({language: TEXTS[kind][language]}) for language in ("any", "en"))
        return rf"^ ?(?:{begins})|(?:{columns})"
    return _any_of(TEXTS[kind])


def _any_of(phrases: Mapping[str, tuple[str, ...]]) -> str:
    return "|".join(re.escape(phrase.replace(DOTLESS, "i")) for each in phrases.values() for phrase in each)
