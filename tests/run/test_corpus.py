from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from gpucurate.recipe.load import parse_recipe
from gpucurate.run.driver import Cluster, run
from gpucurate.run.progress import PlainProgress
from gpucurate.run.state import open_finished
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
        entered = [d for d in decisions if d["step"] not in ("normalize", "rules")]
        assert len(entered) == len(said)
        for decision, answer in zip(entered, said, strict=True):
            if decision["step"] != "exact_duplicates":
                assert answer["duplicate_of"] is None
                kept.add(decision["record_id"])
            else:
                copies[decision["record_id"]] = answer["duplicate_of"]
    assert copies
    assert set(copies.values()) <= kept


def compared(corpus: Path, out: Path, **settings: object) -> dict[str, list[str]]:
    """Files of each stage of `near_duplicates`, after a run with these settings; names follow from task keys."""
    made = {"name": "r", "sources": [{"name": "web", "jsonl": {"path": str(corpus / "*.jsonl")}}]}
    parsed = parse_recipe({**made, "steps": [{"near_duplicates": {"shingle": 3, **settings}}]}, VOCABULARY)
    run(parsed, out, Cluster(inline=True), "cpu", PlainProgress())
    return open_finished(out)[1].compared["near_duplicates"]


@pytest.mark.parametrize(
    ("settings", "same", "other"),
    [
        ({"threshold": 0.5}, {"order", "signatures", "pairs", "similar"}, {"clusters", "choice"}),
        ({"bands": 6, "rows": 8}, {"order", "signatures"}, {"pairs"}),
        ({"keep": "longest"}, {"signatures"}, {"order", "pairs"}),
        ({"verify": "signature"}, {"order", "signatures", "pairs"}, {"similar"}),
        ({"shingle": 4}, {"order"}, {"signatures", "pairs", "similar"}),
    ],
    ids=["threshold", "bands", "keep", "verify", "shingle"],
)
def test_changed_settings_make_only_what_depends_on_them(
    tmp_path: Path, settings: dict[str, object], same: set[str], other: set[str]
) -> None:
    """Later stages may be found again too, where what they are given came out the same."""
    write_corpus(tmp_path / "corpus")
    before = compared(tmp_path / "corpus", tmp_path / "out", bands=12, rows=4)
    after = compared(tmp_path / "corpus", tmp_path / "out", **{"bands": 12, "rows": 4, **settings})
    assert all(before[stage] == after[stage] for stage in same)
    assert all(set(before[stage]).isdisjoint(after[stage]) for stage in other)


def test_a_new_part_is_signed_beside_the_old_ones(tmp_path: Path) -> None:
    write_corpus(tmp_path / "corpus")
    before = compared(tmp_path / "corpus", tmp_path / "out")
    (tmp_path / "corpus" / "part-9.jsonl").write_text('{"url": "new", "text": "a new document of its own"}\n')
    after = compared(tmp_path / "corpus", tmp_path / "out")
    for stage in ("order", "signatures"):
        assert set(before[stage]) < set(after[stage])
    assert set(before["pairs"]).isdisjoint(after["pairs"])


def test_scratch_of_a_run_that_died_goes_with_the_next_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if that has no step that would need it."""
    write_corpus(tmp_path / "corpus")
    data = recipe(tmp_path / "corpus" / "*.jsonl")
    compared, normalized = (parse_recipe({**data, **other}, VOCABULARY) for other in ({}, {"steps": ["normalize"]}))
    out = tmp_path / "out"
    with monkeypatch.context() as patched:
        patched.setattr(step, "connect", _die)
        with pytest.raises(KeyboardInterrupt):
            run(compared, out, Cluster(inline=True), "cpu", PlainProgress())
    left = {path.name.split("@")[0] for path in (out / "scratch").glob("*/*")}
    assert left == {"near_duplicates.bands", "near_duplicates.sets"}
    run(normalized, out, Cluster(inline=True), "cpu", PlainProgress())
    assert not (out / "scratch").exists()


def _die(*_: object) -> None:
    raise KeyboardInterrupt
