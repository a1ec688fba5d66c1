"""Which examples an update sees, and what they weigh: functions of the seed and the update's number alone.

An interrupted training therefore goes on with the very examples it would have seen, and any number of devices see the
same ones together.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

CLASSES = 6  # rounded scores 0 to 5


def classes_of(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """[examples]: scores rounded half up to 0 to 5."""
    return np.asarray(np.floor(scores + 0.5).clip(0, CLASSES - 1).astype(np.int64))


def loss_weights(
    scores: NDArray[np.float64], weights: NDArray[np.float64], balance: str, weighted: bool
) -> NDArray[np.float64]:
    """[examples]: factors of the squared errors, 1 on average, over all examples or, balanced, within each class."""
    if not weighted:
        return np.ones(len(scores))
    if balance == "none":
        return np.asarray(weights / weights.mean())
    classes = classes_of(scores)
    means = np.bincount(classes, weights, CLASSES) / np.bincount(classes, minlength=CLASSES).clip(1)
    return np.asarray(weights / means[classes])


@dataclass(frozen=True)
class Order:
    """Batches of example numbers.  An epoch has as many draws as there are examples; its last batch may be smaller."""

    scores: NDArray[np.float64]
    batch: int
    balance: str
    seed: int

    @property
    def updates(self) -> int:
        """Updates of an epoch."""
        return -(-len(self.scores) // self.batch)

    def examples(self, update: int) -> NDArray[np.int64]:
        """The examples of an update, counted from 0 over all epochs."""
        epoch, place = divmod(update, self.updates)
        return self._epoch(epoch)[place * self.batch : (place + 1) * self.batch]

    def _epoch(self, epoch: int) -> NDArray[np.int64]:
        return _draws(self.scores.tobytes(), self.balance, self.seed, epoch)


@lru_cache(maxsize=2)
def _draws(scores: bytes, balance: str, seed: int, epoch: int) -> NDArray[np.int64]:
    generator = np.random.default_rng([seed, epoch])
    values = np.frombuffer(scores, np.float64)
    if balance == "none":
        return generator.permutation(len(values))
    classes = classes_of(values)
    present = np.unique(classes)
    shares = np.full(len(present), len(values) // len(present))
    shares[: len(values) % len(present)] += 1
    drawn = [
        _in_turn(np.flatnonzero(classes == each), int(share), generator)
        for each, share in zip(generator.permutation(present), shares, strict=True)
    ]
    return generator.permutation(np.concatenate(drawn))


def _in_turn(members: NDArray[np.int64], count: int, generator: np.random.Generator) -> NDArray[np.int64]:
    """`count` draws in which no member comes more than once oftener than another."""
    rounds = [generator.permutation(members) for _ in range(-(-count // len(members)))]
    return np.concatenate(rounds)[:count] if rounds else members[:0]
