"""Made-up documents with near-duplicates of known similarity."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import UTC, datetime

import pyarrow as pa

from gpucurate.core.documents import DocumentRow, documents_table


def words(rng: random.Random, count: int) -> list[str]:
    return [f"w{rng.randrange(40_000)}" for _ in range(count)]


def table(texts: Sequence[str], source: str = "s") -> pa.Table:
    """Documents with these texts; ids follow from their number."""
    rows = [
        DocumentRow(f"u{n}", text, bytes(16), 1, "f", n, modified=datetime.fromtimestamp(n * 7919 % 1000, UTC))
        for n, text in enumerate(texts)
    ]
    return documents_table(source, rows)


def edited(rng: random.Random, original: list[str], edits: int) -> list[str]:
    """Some words replaced, inserted or left out."""
    made = list(original)
    for _ in range(edits):
        at = rng.randrange(len(made))
        made[at : at + rng.randint(0, 1)] = [f"new{rng.randrange(10**9)}"] * rng.randint(0, 1)
    return made


def clustered(seed: int, documents: int, cluster: float = 0.5, length: tuple[int, int] = (30, 200)) -> list[str]:
    """Texts of which a share are edits, light to heavy, of earlier ones (chains included)."""
    rng = random.Random(seed)
    made: list[list[str]] = []
    for _ in range(documents):
        if made and rng.random() < cluster:
            base = made[rng.randrange(max(0, len(made) - 50), len(made))]
            made.append(edited(rng, base, rng.randint(0, max(1, len(base) // 20))))
        else:
            made.append(words(rng, rng.randint(*length)))
    return [" ".join(each) for each in made]


def pair_at(rng: random.Random, shared: int, own: int) -> tuple[str, str]:
    """Two texts of single-word shingles (k = 1) that share `shared` words of `shared + 2 * own` in all."""
    drawn = rng.sample(range(10**9), shared + 2 * own)
    common = drawn[:shared]
    first, second = (
        " ".join(f"x{n}" for n in rng.sample(side, len(side)))
        for side in (common + drawn[shared : shared + own], common + drawn[shared + own :])
    )
    return first, second
