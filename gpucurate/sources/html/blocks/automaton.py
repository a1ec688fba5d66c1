"""Many substrings looked for at once: Aho and Corasick (1975) as a dense table over 32 classes of bytes.

Case is folded, digits are one class, whatever is neither letter nor digit is a separator, written `_` in the lists.
Bytes beyond ASCII fall into four coarse classes, which is enough for short lists.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

CLASSES = 32
SEPARATOR, FIRST_LETTER, DIGIT, FIRST_HIGH = 0, 1, 27, 28
BYTE_CLASS = np.zeros(256, np.int64)
BYTE_CLASS[97:123] = BYTE_CLASS[65:91] = FIRST_LETTER + np.arange(26)
BYTE_CLASS[48:58] = DIGIT
BYTE_CLASS[128:] = FIRST_HIGH + np.arange(128) % 4


class Automaton(NamedTuple):
    """`follow` int16 [states * CLASSES]: the next state; `found` uint32 [states]: a bit for each group found there."""

    follow: NDArray[np.int16]
    found: NDArray[np.uint32]


def build(groups: Mapping[str, str]) -> Automaton:
    """An automaton for groups of substrings, each a list separated by blanks; the n-th group is told by bit n."""
    edges: list[dict[int, int]] = [{}]
    found = [0]
    for bit, words in enumerate(groups.values()):
        for word in words.split():
            state = 0
            for byte in word.encode():
                if int(BYTE_CLASS[byte]) not in edges[state]:
                    edges[state][int(BYTE_CLASS[byte])] = len(edges)
                    edges.append({})
                    found.append(0)
                state = edges[state][int(BYTE_CLASS[byte])]
            found[state] |= 1 << bit
    return Automaton(*_dense(edges, found))


def _dense(edges: list[dict[int, int]], found: list[int]) -> tuple[NDArray[np.int16], NDArray[np.uint32]]:
    """Edges of a trie to a table in which a failure costs nothing: breadth first, each state after its fallback."""
    follow = np.zeros((len(edges), CLASSES), np.int16)
    fallback = [0] * len(edges)
    queue = [0]
    for state in queue:
        follow[state] = follow[fallback[state]] if state else 0
        for cls, child in edges[state].items():
            fallback[child] = int(follow[state, cls]) if state else 0
            found[child] |= found[fallback[child]]
            follow[state, cls] = child
            queue.append(child)
    return follow.ravel(), np.array(found, np.uint32)
