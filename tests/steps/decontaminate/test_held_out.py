"""A held-out share: by cluster, by seed, the same for any partition; and protected like a benchmark."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa

from gpucurate.steps.decontaminate import Decontaminate
from gpucurate.steps.decontaminate.held_out import SAMPLED
from tests.steps.decontaminate.registries import register, sentence, step
from tests.steps.near_duplicates.corpora import clustered, table
from tests.steps.stages import MemoryStages, answers


def judged(made: Decontaminate, parts: list[pa.Table]) -> dict[str, str | None]:
    """Reason by URI."""
    whole = pa.concat_tables(parts)
    verdicts = made.judge(whole.drop_columns(["text"]), answers(made, MemoryStages(parts)))
    codes = [None, *(reason.code for reason in made.reasons)]
    return dict(zip(whole["uri"].to_pylist(), (codes[v] for v in verdicts.tolist()), strict=True))


def test_clusters_stay_together_and_nothing_depends_on_the_partition() -> None:
    rng = random.Random(1)
    families = [sentence(rng, 80) for _ in range(60)]
    corpus = [f"{text} {sentence(rng, k)}" for text in families for k in (0, 1, 2)] + clustered(2, 200)
    whole = table(corpus)
    shuffled = whole.take(pa.array(rng.sample(range(len(corpus)), len(corpus))))
    made = step(holdout={"share": 0.2, "seed": 7})
    first = judged(made, [whole])
    assert judged(made, [shuffled.slice(0, 130), shuffled.slice(130, 1), shuffled.slice(131)]) == first
    held = {uri for uri, reason in first.items() if reason == "decontaminate.held_out"}
    for n in range(60):
        assert len(held & {f"u{3 * n + k}" for k in range(3)}) in (0, 3)
    assert 30 < len(held) < 130  # a fifth of 380, by cluster
    other = judged(step(holdout={"share": 0.2, "seed": 8}), [whole])
    assert {uri for uri, reason in other.items() if reason == "decontaminate.held_out"} != held
    more = judged(step(holdout={"share": 0.5, "seed": 7}), [whole])
    assert held < {uri for uri, reason in more.items() if reason == "decontaminate.held_out"}


def test_held_out_documents_are_protected(tmp_path: Path) -> None:
    """Documents that quote much of one go, others stay; with benchmarks beside them, and by a sample of long ones."""
    rng = random.Random(3)
    corpus = [sentence(rng, rng.choice((40, 400, 3000))) for _ in range(60)]
    made = step(holdout={"share": 0.3})
    alone = judged(made, [table(corpus)])
    held = [n for n in range(60) if alone[f"u{n}"] == "decontaminate.held_out"]
    assert 5 < len(held) < 40
    assert {alone[f"u{n}"] for n in range(60) if n not in held} == {None}
    half = [f"{sentence(rng, 500)} {' '.join(corpus[n].split()[: len(corpus[n].split()) // 2])}" for n in held]
    tenth = [f"{sentence(rng, 900)} {' '.join(corpus[n].split()[: len(corpus[n].split()) // 10])}" for n in held]
    item = sentence(rng, 50)
    with_benchmark = step(register(tmp_path, [item]), holdout={"share": 0.3})
    found = judged(with_benchmark, [table([*corpus, *half, *tenth, f"{item} {sentence(rng, 9)}"])])
    for k, n in enumerate(held):
        assert found[f"u{n}"] == "decontaminate.held_out"
        assert found[f"u{60 + k}"] in ("decontaminate.near_held_out", "decontaminate.held_out")
        assert found[f"u{60 + len(held) + k}"] in (None, "decontaminate.held_out")
    assert found[f"u{60 + 2 * len(held)}"] in ("decontaminate.item", "decontaminate.held_out")
    flagged = judged(step(holdout={"share": 0.3}, verdict="flag"), [table([*corpus, *half])])
    assert set(flagged.values()) == {None, "decontaminate.held_out"}
    assert max(map(len, corpus)) > 10 * SAMPLED


def test_short_and_empty_documents() -> None:
    corpus = ["", "one two", "!", *(f"word{n} and a few others here" for n in range(40))]
    found = judged(step(holdout={"share": 0.5}), [table(corpus), table([])])
    assert set(found.values()) <= {None, "decontaminate.held_out"}
    assert 5 < sum(reason is not None for reason in found.values()) < 38
