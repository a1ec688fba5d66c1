from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpucurate.classifier.examples import Example, text_digest
from gpucurate.classifier.kin import near_duplicates
from gpucurate.classifier.split import folds, groups, split
from gpucurate.core.errors import InputError


def example(number: int, text: str, host: str, score: float = 1.0) -> Example:
    return Example(f"{number:032x}", text, score, 1.0, "crawl", f"https://{host}/", host, "eng", text_digest(text))


def words(seed: int, count: int = 60) -> list[str]:
    drawn = random.Random(seed)
    return [f"w{drawn.randrange(10_000)}" for _ in range(count)]


def jaccard(one: str, other: str) -> float:
    sets = [{tuple(t.split()[i : i + 5]) for i in range(len(t.split()) - 4)} for t in (one, other)]
    return len(sets[0] & sets[1]) / len(sets[0] | sets[1])


def pool() -> list[Example]:
    """80 pages of 16 sites, and 20 near-duplicates of some on sites of their own."""
    pages = [example(i, " ".join(words(i)), f"site{i % 16}.org") for i in range(80)]
    copies = [[*words(i)[:-1], "changed"] for i in range(0, 80, 4)]
    return pages + [example(100 + i, " ".join(copy), f"mirror{i}.net") for i, copy in enumerate(copies)]


def test_pairs_are_those_of_brute_force() -> None:
    rng = random.Random(5)
    texts = [" ".join(words(i)) for i in range(12)]
    for text in list(texts):
        changed = text.split()
        for at in rng.sample(range(60), rng.randrange(4)):
            changed[at] = "x"
        texts.append(" ".join(changed))
    texts += ["", "...", "short", "short"]
    brute = [[a, b] for a in range(24) for b in range(a + 1, 24) if jaccard(texts[a], texts[b]) >= 0.8]
    assert brute
    assert near_duplicates(texts).tolist() == [*brute, [26, 27]]


def test_no_site_and_no_copy_lies_on_both_sides() -> None:
    train, held = split(pool(), 0.3, seed=1)
    assert len(train) + len(held) == 100
    assert 15 <= len(held) <= 30
    assert not {e.host for e in train} & {e.host for e in held}
    assert max(jaccard(a.text, b.text) for a in train for b in held) < 0.8


def test_neither_order_nor_other_calls_matter_but_the_seed_does() -> None:
    examples = pool()
    shuffled = random.Random(3).sample(examples, len(examples))
    held = {e.record_id for e in split(examples, 0.3, seed=1)[1]}
    assert {e.record_id for e in split(shuffled, 0.3, seed=1)[1]} == held
    assert {e.record_id for e in split(examples, 0.3, seed=2)[1]} != held
    by_id = dict(zip((e.record_id for e in examples), folds(examples, 4, seed=1).tolist(), strict=True))
    assert [by_id[e.record_id] for e in shuffled] == folds(shuffled, 4, seed=1).tolist()


@given(hosts=st.lists(st.integers(0, 12), min_size=30, max_size=60), k=st.integers(2, 5), seed=st.integers(0, 9))
def test_folds_keep_groups_whole_and_are_balanced(hosts: list[int], k: int, seed: int) -> None:
    examples = [example(i, " ".join(words(i, 12)), f"h{h}") for i, h in enumerate(hosts)]
    if len(set(hosts)) < k:
        with pytest.raises(InputError, match="do not fill"):
            folds(examples, k, seed)
        return
    fold = folds(examples, k, seed)
    assert set(fold.tolist()) == set(range(k))
    for host in set(hosts):
        assert len({f for f, h in zip(fold.tolist(), hosts, strict=True) if h == host}) == 1
    sizes = np.bincount(fold, minlength=k)
    assert sizes.max() - sizes.min() <= max(hosts.count(h) for h in hosts)


def test_examples_without_a_host_are_no_site() -> None:
    examples = [example(i, " ".join(words(i)), "") for i in range(10)]
    assert groups(examples).tolist() == list(range(10))
    assert len(split(examples, 0.2, seed=1)[1]) == 2


def test_one_site_is_split_only_when_told_so() -> None:
    examples = [example(i, " ".join(words(i)), "en.wikipedia.org") for i in range(10)]
    with pytest.raises(InputError, match="10 examples in 1 groups"):
        split(examples, 0.2, seed=1)
    assert len(split(examples, 0.2, seed=1, by_host=False)[1]) == 2


@pytest.mark.parametrize("fraction", [0.0, 1.0, -1.0, float("nan")])
def test_a_fraction_must_be_one(fraction: float) -> None:
    with pytest.raises(ValueError, match="fraction"):
        split(pool(), fraction, seed=1)
