"""The kinds of pages without content that phrases tell."""

from __future__ import annotations

from collections.abc import Mapping

Phrases = Mapping[str, Mapping[str, tuple[str, ...]]]  # by kind and language; in lower case, with straight apostrophes
SOFT_404, PARKED, LOGIN, CONSENT, NO_SCRIPT, DIRECTORY = KINDS = (
    "soft_404",
    "parked",
    "login",
    "consent",
    "no_script",
    "directory_index",
)
