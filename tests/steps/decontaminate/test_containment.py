"""What is found, against containment as plainly as it can be said: sets of word tuples."""

from __future__ import annotations

import itertools
import math
import random
import re
from pathlib import Path

import numpy as np
import pytest

from gpucurate.device.cpu import CpuBackend
from gpucurate.device.word_places import word_places
from gpucurate.steps.decontaminate.matching import needed
from tests.device.cpu.near_duplicates import reference
from tests.parity import documents
from tests.steps.decontaminate.registries import register, sentence, step
from tests.steps.near_duplicates.corpora import table
from tests.steps.stages import MemoryStages, answers


def grams(text: str, n: int) -> set[tuple[str, ...]]:
    found = re.findall(r"[^\W_]+", text.lower())
    return {tuple(found[i : i + n]) for i in range(len(found) - n + 1)}


def rule(text: str) -> tuple[int, float]:
    """n and share of a text's length, as documented."""
    count = len(re.findall(r"[^\W_]+", text))
    return (13, 0.25) if count >= 26 else (8, 0.75) if count >= 8 else (5, 1.0) if count >= 5 else (0, 1.0)


def brute_force(items: list[str], corpus: list[str], most: int) -> list[set[int]]:
    """Numbers of the items that each document holds, with common grams by the rule of docs/decontaminate.md."""
    sets = [(grams(text, rule(text)[0]) if rule(text)[0] else set()) for text in items]
    lengths = sorted({rule(text)[0] for text in items} - {0})
    held = [{gram for n in lengths for gram in grams(text, n)} for text in corpus]
    unrelated: dict[tuple[str, ...], int] = {}
    for document in held:
        related = {g for s in sets if s and len(s & document) >= math.ceil(0.8 * len(s)) for g in s}
        for gram in {g for s in sets for g in s} & document - related:
            unrelated[gram] = unrelated.get(gram, 0) + 1
    common = {gram for gram, count in unrelated.items() if count > most}
    left = [s - common for s in sets]
    shares = [rule(text)[1] for text in items]
    return [
        {k for k, s in enumerate(left) if s and len(s & document) >= math.ceil(round(shares[k] * len(s), 9))}
        for document in held
    ]


def planted(seed: int) -> tuple[list[str], list[str]]:
    """Items of all lengths, some with a passage of others; documents with whole, cut, and changed ones."""
    rng = random.Random(seed)
    passage = sentence(rng, 30)
    items = [sentence(rng, rng.choice((3, 5, 7, 8, 12, 13, 20, 25, 26, 27, 40, 80))) for _ in range(60)]
    items += [f"{passage} {sentence(rng, 20)}" for _ in range(5)] + [items[0], ""]
    corpus = []
    for _ in range(150):
        parts = [sentence(rng, rng.randint(0, 60))]
        for item in rng.sample(items, rng.randint(0, 3)):
            each = item.split()
            cut = rng.choice((len(each), len(each), len(each) // 2, len(each) * 3 // 4))
            at = rng.randint(0, len(each) - cut)
            chosen = each[at : at + cut]
            if chosen and rng.random() < 0.3:
                chosen[rng.randrange(len(chosen))] = "changed"
            parts += [" ".join(chosen).upper(), sentence(rng, rng.randint(0, 40))]
        if rng.random() < 0.15:
            parts.append(passage)
        corpus.append(rng.choice((" ", "\n", ", ")).join(parts))
    return items, corpus


@pytest.mark.parametrize(("seed", "most"), [(1, 10), (2, 3), (3, 0)])
def test_equal_to_brute_force_for_any_partition(tmp_path: Path, seed: int, most: int) -> None:
    items, corpus = planted(seed)
    made = step(register(tmp_path, items), common=most)
    protected = made.protected([])
    distinct = list(dict.fromkeys(items))
    expected = brute_force(distinct, corpus, most)
    names = [row[1] for row in made._collection.rows if row[3] != "duplicate"]
    kept = [name for name in names if name in protected.names]
    for sizes in ([150], [1, 50, 99]):
        cuts = np.cumsum([0, *sizes])
        whole = table(corpus)
        parts = [whole.slice(int(a), int(b - a)) for a, b in itertools.pairwise(cuts)]
        said = answers(made, MemoryStages(parts))
        found = [{run["item"] for run in of or ()} for of in said["found"].to_pylist()]
        assert found == [{names[k] for k in of} for of in expected]
        assert said["items"].to_pylist() == [len(of) or None for of in expected]
    assert sum(map(len, expected)) > 60
    assert len(kept) == sum(rule(text)[0] > 0 for text in distinct)


def test_least_numbers_of_grams() -> None:
    shares = np.array([0.25, 0.25, 1.0, 0.3, 0.1])
    sizes = np.array([4, 5, 3, 10, 1])
    assert needed(shares, sizes).tolist() == [1, 2, 3, 3, 1]  # 0.3 * 10 is 3, whatever floats say


def test_places_of_words() -> None:
    """As many words as the verbs count, each with the characters that the oracle folds into it."""
    texts = documents.damaged(documents.packed(9, 300), 9)
    for a, b in itertools.pairwise(texts.offsets):
        raw = texts.data[a:b].tobytes()
        found = word_places(raw)
        assert [reference.words(raw[low:high]) for low, high in found.tolist()] == [[w] for w in reference.words(raw)]
    counts = CpuBackend().shingle_sets(texts, 1)
    assert len(counts.hashes)
