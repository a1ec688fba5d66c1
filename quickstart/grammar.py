"""Sentences from a grammar: a symbol stands for a list of phrases, and a phrase may name further symbols in braces.

Every list is a bag: a phrase comes back only after all others of its list were drawn, so that one document hardly
repeats itself, as people's prose hardly does.  Draws use `random()` alone, the only sequence that Python promises to
keep between versions.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from typing import TypeVar

SYMBOL = re.compile(r"\{(\w+)\}")
BEFORE_VOWEL = re.compile(r"\b([Aa]) (?=[aeio])")
Item = TypeVar("Item")
Grammar = Mapping[str, Sequence[str]]


class Dice:
    """Seeded chance that falls the same way on every Python."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed).random

    def number(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        return low + int(self._random() * (high - low + 1))

    def pick(self, items: Sequence[Item]) -> Item:
        """One item."""
        return items[self.number(0, len(items) - 1)]

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """All items in another order."""
        order = list(items)
        for last in range(len(order) - 1, 0, -1):
            other = self.number(0, last)
            order[last], order[other] = order[other], order[last]
        return order


class Writer:
    """Writes the prose of one document.  `fixed` are symbols that mean the same throughout, such as its hero."""

    def __init__(self, grammar: Grammar, dice: Dice, fixed: Mapping[str, str]) -> None:
        self._grammar = grammar
        self._dice = dice
        self._fixed = fixed
        self._bags: dict[str, list[str]] = {}

    def phrase(self, symbol: str) -> str:
        """The symbol with everything in it spelled out.  Raises KeyError for a symbol that nobody defined."""
        if symbol in self._fixed:
            return self._fixed[symbol]
        if symbol == "year":
            return str(self._dice.number(1702, 1988))
        if symbol == "number":
            return str(self._dice.number(3, 980))
        bag = self._bags.get(symbol)
        if not bag:
            bag = self._bags[symbol] = self._dice.shuffled(self._grammar[symbol])
        return SYMBOL.sub(lambda found: self.phrase(found[1]), bag.pop())

    def sentence(self) -> str:
        """One sentence, with its capital."""
        words = BEFORE_VOWEL.sub(r"\1n ", self.phrase("sentence"))
        return words[0].upper() + words[1:]

    def paragraph(self, sentences: int) -> str:
        """Sentences on one line."""
        return " ".join(self.sentence() for _ in range(sentences))
