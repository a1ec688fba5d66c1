"""Precision and recall of a text by its runs of four words, as the article extraction benchmark counts them.

Source: github.com/scrapinghub/article-extraction-benchmark, evaluate.py.  One thing differs: scripts written without
spaces are cut into characters, since a whole sentence would be one word otherwise.
"""

from __future__ import annotations

import re
from collections import Counter

RUN = 4
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"  # Thai … Khmer, kana, Han
WORD = re.compile(rf"[{UNSPACED}]|[^\W{UNSPACED}]+")

Shingles = Counter[tuple[str, ...]]


def words(text: str) -> list[str]:
    """The words of a text, in their order."""
    return WORD.findall(text)


def shingles(text: str) -> Shingles:
    """Runs of four words and how often they come; a shorter text is one run."""
    found = words(text)
    return Counter(tuple(found[k : k + RUN]) for k in range(max(1, len(found) - RUN + 1)) if found)


def precision_recall(true: str, drawn: str) -> tuple[float, float]:
    """Of `drawn` against `true`; NaN where there is nothing to divide by."""
    expected, got = shingles(true), shingles(drawn)
    hits = (expected & got).total()
    precision = hits / got.total() if got else (float("nan") if expected else 1.0)
    return precision, hits / expected.total() if expected else float("nan")


def f1(precision: float, recall: float) -> float:
    """Their harmonic mean; 0 where there is none."""
    return 2 * precision * recall / (precision + recall) if precision > 0 and recall > 0 else 0.0
