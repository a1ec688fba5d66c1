"""Names of the signals."""

from __future__ import annotations

import re

from gpucurate.core.errors import UserError

LANGUAGE = "language"  # where it is asked for; the same name as in the step `language`
FOUND, SHARE = "listed_words", "listed_share"
NO_SIGNAL_LETTERS = re.compile(r"[^a-z0-9]+")


def signals_of(name: str, labels: tuple[str, ...]) -> dict[str, str]:
    """Names of a classifier's signals by label.  Raises UserError where two labels would share one."""
    found = {label: signal_name(name, label) for label in labels}
    if len(set(found.values())) < len(found):
        raise UserError(f"toxicity: labels of classifier {name!r} differ by case or symbols only: {', '.join(labels)}")
    return found


def signal_name(name: str, label: str) -> str:
    """`score_NAME_LABEL`, of small letters, digits and `_`."""
    return f"score_{name}_{NO_SIGNAL_LETTERS.sub('_', label.lower()).strip('_')}"
