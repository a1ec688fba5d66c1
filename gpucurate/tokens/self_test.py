"""Texts on which an accelerated engine must give the reference's ids before it is used.

Chosen where tokenizers have been seen to differ: every assigned code point, blanks and line ends in every order,
contractions, digits, runs, emoji, and text that spells special tokens.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from itertools import product

import numpy as np
import pyarrow as pa

from gpucurate.tokens.accelerated import category_runs
from gpucurate.tokens.engines import Engine

POINTS_A_TEXT = 50
LONG_RUN = 1000  # ideographs, syllables, private use: tables do not differ inside
ALPHABET = ("a", "B", "7", " ", "\n", "\r", "\t", "'s", "'", "!", "/", "é", "ſ", "\u0301", "中", "ไ", "😀", "\u00a0")
SENTENCES = (
    "",
    "The quick brown fox can't jump over 12345 lazy dogs; they've had enough!\n\n  Indented.\tTabbed.   ",
    "Où est la bibliothèque? Größe, naïve, İstanbul, Привет, мир! שלום עולם مرحبا",
    "我们的语言没有空格。ひらがなとカタカナ、한국어도 있습니다. ภาษาไทยไม่มีช่องว่าง",
    "👩‍👩‍👧‍👦 🏳️‍🌈 🇺🇦 e\u0301\u0323 ﬁ ½ ² Ⅷ x² + y² ≈ 10⁻³",
    'def f(x):\n    return {"a": [1, 2.5e-3]}  # comment\r\n\r\nhttps://example.org/a?b=c&d=%20',
)


def self_test_texts(special: Iterable[str]) -> pa.Array:
    """large_string, some 8,000 short texts, 0.9 MB; the same on every call of one Python."""
    return pa.array(
        [*SENTENCES, *_special(special), *_runs(), *_orders(), *_mixtures(), *_code_points()], pa.large_string()
    )


def first_difference(reference: Engine, candidate: Engine, texts: pa.Array) -> str | None:
    """The first text on which two engines differ, or None."""
    (expected, expected_offsets), (found, found_offsets) = reference.encode(texts), candidate.encode(texts)
    if np.array_equal(expected, found) and np.array_equal(expected_offsets, found_offsets):
        return None
    for i in range(len(texts)):
        a = expected[expected_offsets[i] : expected_offsets[i + 1]]
        b = found[found_offsets[i] : found_offsets[i + 1]]
        if not np.array_equal(a, b):
            return (
                f"{texts[i].as_py()[:60]!r}: {reference.name} gives {a[:8].tolist()}, {candidate.name} {b[:8].tolist()}"
            )
    return None


def _special(tokens: Iterable[str]) -> Iterator[str]:
    for token in tokens:
        yield from (token, f"text {token} text", f"{token}{token}\n")


def _runs() -> Iterator[str]:
    for letter in ("a", "A", "^", " ", "\n", "=", "0", "中", "\u0301", "😀", "/", " \n"):
        yield from (letter * 1000, f"x{letter * 1001}y", f"!{letter * 50}!")


def _orders() -> Iterator[str]:
    """All orders of up to three pieces."""
    for length in (1, 2, 3):
        yield from map("".join, product(ALPHABET, repeat=length))


def _mixtures() -> Iterator[str]:
    chance = random.Random(0)
    for _ in range(500):
        yield "".join(chance.choices(ALPHABET, k=chance.randrange(4, 60)))


def _code_points() -> Iterator[str]:
    """Every assigned code point among letters, digits, signs and blanks; of long runs of one category, both ends."""
    points: list[int] = []
    for first, last, category in category_runs():
        if category not in ("Cn", "Cs"):
            points += range(first, last + 1) if last - first < LONG_RUN else (first, last)
    for begin in range(0, len(points), POINTS_A_TEXT):
        letters = map(chr, points[begin : begin + POINTS_A_TEXT])
        yield "".join(f"a{letter}1 {letter}\n!{letter}" for letter in letters)
