"""Near-duplicate removal as plainly as it can be said: all pairs, sets of word tuples, one pass in order."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

Document = dict[str, Any]


def shingles(text: str, k: int) -> frozenset[tuple[str, ...]]:
    """For texts in scripts with spaces: words are runs of letters and digits."""
    words = re.findall(r"[^\W_]+", text.lower())
    if len(words) < k:
        return frozenset([tuple(words)] if words else [])
    return frozenset(tuple(words[i : i + k]) for i in range(len(words) - k + 1))


def jaccard(a: frozenset[Any], b: frozenset[Any]) -> float:
    return len(a & b) / len(a | b) if a and b else 0.0


def removed(
    documents: Sequence[Document], rank: Callable[[Document], Any], k: int = 5, threshold: float = 0.8
) -> dict[bytes, bytes]:
    """Record id of each removed document, and of the one that stays for it: the best that is similar and stays."""
    sets = {d["record_id"]: shingles(d["text"], k) for d in documents}
    stays: list[bytes] = []
    gone: dict[bytes, bytes] = {}
    for document in sorted(documents, key=lambda d: (rank(d), d["record_id"])):
        identity = document["record_id"]
        alike = [other for other in stays if jaccard(sets[other], sets[identity]) >= threshold]
        if alike:
            gone[identity] = alike[0]
        else:
            stays.append(identity)
    return gone
