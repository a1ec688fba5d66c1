from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from gpucurate.recipe.load import parse_recipe
from gpucurate.run.driver import Cluster, run
from gpucurate.run.progress import PlainProgress
from gpucurate.run.vocabulary import VOCABULARY
from gpucurate.steps import comparison
from gpucurate.steps.near_duplicates import step
from tests.invariants.corpus import digests, recipe, write_corpus


def test_any_number_of_ranges_gives_the_same_decisions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_corpus(tmp_path / "corpus")
    parsed = parse_recipe(recipe(tmp_path / "corpus" / "*.jsonl"), VOCABULARY)
    run(parsed, tmp_path / "one", Cluster(inline=True), "cpu", PlainProgress())
    monkeypatch.setattr(comparison, "ROWS_PER_RANGE", 7)
    monkeypatch.setattr(step, "PAIRS_PER_RANGE", 7)
    run(parsed, tmp_path / "many", Cluster(inline=True), "cpu", PlainProgress())
    assert len(list((tmp_path / "many" / "corpus").iterdir())) > 5
    one, many = (
        {n: d for n, d in digests(tmp_path / out).items() if "/decisions@" in n or "shards/" in n}
        for out in ("one", "many")
    )
    assert {n: d for n, d in one.items() if ".plan" not in n} == {n: d for n, d in many.items() if ".plan" not in n}


def test_copies_point_at_the_document_that_stays(tmp_path: Path) -> None:
    write_corpus(tmp_path / "corpus")
    parsed = parse_recipe(recipe(tmp_path / "corpus" / "*.jsonl"), VOCABULARY)
    run(parsed, tmp_path / "out", Cluster(inline=True), "cpu", PlainProgress())
    kept, copies = set(), {}
    for part in (tmp_path / "out" / "parts").iterdir():
        decisions = pq.read_table(next(part.glob("decisions@*"))).to_pylist()
        said = pq.read_table(next(part.glob("exact_duplicates@*"))).to_pylist()
        entered = [d for d in decisions if d["step"] in (None, "exact_duplicates", "near_duplicates")]
        assert len(entered) == len(said)
        for decision, answer in zip(entered, said, strict=True):
            if decision["step"] != "exact_duplicates":
                assert answer["duplicate_of"] is None
                kept.add(decision["record_id"])
            else:
                copies[decision["record_id"]] = answer["duplicate_of"]
    assert copies
    assert set(copies.values()) <= kept
