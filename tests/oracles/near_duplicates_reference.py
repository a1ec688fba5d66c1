"""Near-duplicate removal as plainly as it can be said: all pairs, sets of word tuples, one pass in order."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from functools import cache
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


@cache
def similar_pairs(texts: tuple[str, ...], k: int, threshold: float) -> set[tuple[int, int]]:
    """Places of every two similar texts, both ways round.  Remembered, since several policies ask for the same."""
    sets = [shingles(text, k) for text in texts]
    found = {(i, j) for i, j in itertools.combinations(range(len(sets)), 2) if jaccard(sets[i], sets[j]) >= threshold}
    return found | {(j, i) for i, j in found}


def removed(
    documents: Sequence[Document], rank: Callable[[Document], Any], k: int = 5, threshold: float = 0.8
) -> dict[bytes, bytes]:
    """Record id of each removed document, and of the one that stays for it: the best that is similar and stays."""
    similar = similar_pairs(tuple(d["text"] for d in documents), k, threshold)
    stays: list[int] = []
    gone: dict[bytes, bytes] = {}
    for place in sorted(range(len(documents)), key=lambda n: (rank(documents[n]), documents[n]["record_id"])):
        alike = [other for other in stays if (other, place) in similar]
        if alike:
            gone[documents[place]["record_id"]] = documents[alike[0]]["record_id"]
        else:
            stays.append(place)
    return gone
