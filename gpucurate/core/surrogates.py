"""Lone surrogates: what JSON escapes and broken decoders leave in a Python string, and UTF-8 cannot hold.

Sources call this before a text becomes Arrow; it never changes a string that is valid Unicode.
"""

from __future__ import annotations


def repair_surrogates(text: str) -> str:
    """Pairs of surrogates become the character they spell, each lone one becomes U+FFFD; other strings come back as is.

    Source of the replacement: The Unicode Standard, section 3.9 (U+FFFD for what cannot be decoded).
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
