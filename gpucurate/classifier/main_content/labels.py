"""How much of each block of a page lies in a text: labels from an extractor's answer or an article cut by hand.

Long blocks are found by their runs of four words.  Short ones may stand anywhere in a page, so they count only as a
line of their own or together with words of their neighbours; and of blocks that say the same, only as many as the text
has, those among other blocks that were found.
"""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
from numpy.typing import NDArray

from gpucurate.classifier.main_content.shingles import RUN, words

LONG = 5  # words
CONTEXT = 3  # words of a neighbour
AROUND = 4  # blocks, to either side, that tell one of several equal blocks from another
WEIGHTIEST = 40  # words a neighbour counts for at most

Shares = NDArray[np.float32]
Tokens = list[str]


def shares(blocks: list[str], text: str) -> Shares:
    """Share of each block, 0..1, that lies in `text`, float32 [blocks]; blocks without words lie nowhere."""
    tokens = [words(block.lower()) for block in blocks]
    lines = [words(line.lower()) for line in text.split("\n")]
    flat = [word for line in lines for word in line]
    runs = {tuple(flat[k : k + RUN]) for k in range(len(flat) - RUN + 1)}
    whole = {" ".join(line) for line in lines if line}
    joined = f" {' '.join(flat)} "
    found = np.zeros(len(blocks), np.float32)
    for k, block in enumerate(tokens):
        if len(block) >= LONG:
            found[k] = np.mean([tuple(block[i : i + RUN]) in runs for i in range(len(block) - RUN + 1)])
        elif block:
            found[k] = " ".join(block) in whole or _with_neighbour(tokens, k, joined)
    _settle_repeats(tokens, joined, found)
    return found


def _with_neighbour(tokens: list[Tokens], k: int, joined: str) -> bool:
    before = tokens[k - 1][-CONTEXT:] if k else []
    behind = tokens[k + 1][:CONTEXT] if k + 1 < len(tokens) else []
    return bool(before and f" {' '.join(before + tokens[k])} " in joined) or bool(
        behind and f" {' '.join(tokens[k] + behind)} " in joined
    )


def _settle_repeats(tokens: list[Tokens], joined: str, found: Shares) -> None:
    """Of equal blocks, leave as many as the text holds."""
    counts = Counter(" ".join(block) for block in tokens if block)
    places: dict[str, list[int]] = defaultdict(list)
    for k, block in enumerate(tokens):
        if found[k] > 0.5 and counts[" ".join(block)] > 1:
            places[" ".join(block)].append(k)
    weights = np.array([min(len(block), WEIGHTIEST) for block in tokens], np.float64)
    before = found.copy()
    for block_text, where in places.items():
        most = max(1, joined.count(f" {block_text} "))
        for k in sorted(where, key=lambda k: -_surroundings(weights, before, k))[most:]:
            found[k] = 0


def _surroundings(weights: NDArray[np.float64], found: Shares, k: int) -> float:
    """Share of the words around block `k` that were found."""
    near = slice(max(0, k - AROUND), k + AROUND + 1)
    others = weights[near].copy()
    others[k - near.start] = 0
    return float((others * found[near]).sum() / max(1.0, others.sum()))
