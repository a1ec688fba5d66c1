"""A character n-gram language model: the log perplexity that needs no download.

Order 5, interpolated by Witten and Bell's method (1991; Chen and Goodman 1998, section 2.5) down to an even
distribution over Unicode.  It is trained on the texts of the training part, whatever they are rated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpucurate.classifier.association import Floats

ORDER = 5
CHARACTERS = 4000  # of a text, from its beginning; 512 tokens of English, what the default model sees, are about 2,200
TEXTS = 5000  # trained on at most, the first by record id: 20 million characters take about 2 GB and a minute
CODE_POINTS = 0x110000
BEFORE = CODE_POINTS  # stands before a text's first character

Hashes = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Counts:
    """How often each n-gram of an order was seen, and for each context how often and before how many characters."""

    grams: Hashes  # sorted, each once
    times: Floats
    contexts: Hashes  # sorted, each once
    seen: Floats
    followers: Floats


def train_ngrams(texts: Sequence[str]) -> list[Counts]:
    """Counts of the orders 1 to ORDER."""
    codes, inner = _codes(texts[:TEXTS])
    counts = []
    for gram, context in _hashes(codes, inner):
        grams, first, times = np.unique(gram, return_index=True, return_counts=True)
        contexts, which, followers = np.unique(context[first], return_inverse=True, return_counts=True)
        seen = np.bincount(which, times, len(contexts)).astype(float)
        counts.append(Counts(grams, times.astype(float), contexts, seen, followers.astype(float)))
    return counts


def ngram_log_perplexity(counts: Sequence[Counts], texts: Sequence[str]) -> Floats:
    """[texts]: mean of -ln p over the characters of each; NaN for an empty one."""
    codes, inner = _codes(texts)
    chance = np.full(len(inner), 1 / CODE_POINTS)
    for order, (gram, context) in zip(counts, _hashes(codes, inner), strict=True):
        followers = _look_up(order.contexts, order.followers, context)
        seen = _look_up(order.contexts, order.seen, context)
        whole = seen + followers
        better = (_look_up(order.grams, order.times, gram) + followers * chance) / np.maximum(whole, 1)
        chance = np.where(whole > 0, better, chance)
    lengths = np.array([min(len(text), CHARACTERS) for text in texts], np.int64)
    text_of = np.repeat(np.arange(len(texts)), lengths)
    surprise = np.bincount(text_of, -np.log(chance), len(texts))
    mean: Floats = np.where(lengths > 0, surprise / np.maximum(lengths, 1), np.nan)
    return mean


def _codes(texts: Sequence[str]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Code points of all texts, ORDER - 1 times BEFORE ahead of each, and the places of the characters themselves."""
    ahead = [BEFORE] * (ORDER - 1)
    parts = [np.array(ahead + [ord(c) for c in text[:CHARACTERS]], np.uint64) for text in texts]
    codes = np.concatenate(parts) if parts else np.zeros(0, np.uint64)
    return codes, np.flatnonzero(codes != BEFORE)


def _hashes(codes: NDArray[np.uint64], inner: NDArray[np.int64]) -> Iterator[tuple[Hashes, Hashes]]:
    """For the orders 1 to ORDER: hashes of the n-gram that ends at each place, and of its context."""
    own = _mixed(codes[inner], 0)
    context = np.zeros(len(inner), np.uint64)
    for back in range(1, ORDER + 1):
        yield own + context, context
        if back < ORDER:
            context = context + _mixed(codes[inner - back], back)


def _mixed(codes: NDArray[np.uint64], back: int) -> Hashes:
    """SplitMix64 of a character and how far back it stands: sums of these are as good as random."""
    z = (codes + np.uint64(back << 32)) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: Hashes = z ^ (z >> np.uint64(31))
    return mixed


def _look_up(keys: Hashes, values: Floats, wanted: Hashes) -> Floats:
    """The values of `wanted` among sorted `keys`; 0 for what is not there."""
    if not len(keys):
        return np.zeros(len(wanted))
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    found: Floats = np.where(keys[at] == wanted, values[at], 0.0)
    return found
