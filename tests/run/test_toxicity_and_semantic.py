"""Runs with the steps that ask models about harm and meaning: same bytes for any workers, nothing measured twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from gpucurate.core.errors import InputError
from gpucurate.recipe.load import parse_recipe
from gpucurate.recipe.recipe import Recipe
from gpucurate.run.driver import Cluster, run
from gpucurate.run.progress import PlainProgress
from gpucurate.run.state import open_finished
from gpucurate.run.vocabulary import VOCABULARY
from gpucurate.steps.semantic_duplicates.encoder import Encoder
from gpucurate.steps.toxicity.fasttext_labels import FastTextLabels
from gpucurate.steps.toxicity.sequence_labels import SequenceLabels
from tests.steps.quality.models import write_regressor
from tests.steps.toxicity.models import write_bert, write_fasttext

pytest.importorskip("torch")
PROSE = ["the garden by the river", "a letter came in the morning", "bread and music", "the bridge and the window"]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    write_bert(folder / "bert", problem="multi_label_classification")
    write_fasttext(folder / "words.bin")
    write_regressor(folder / "sentences", head=False)
    (folder / "list.txt").write_text("zounds\nby jove\n")
    return folder


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Two files; every third text insults, every fifth has a listed word, the files share every fourth text."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    for name in ("a", "b"):
        rows = []
        for n in range(20):
            text = f"{PROSE[n % 4]} {n if n % 4 == 0 else f'{name} {n * 7}'}"
            text += " you dunce, you blockhead" * (n % 3 == 1) + " and, by Jove!" * (n % 5 == 2)
            rows.append({"url": f"http://{name}.example/{n}", "text": text})
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def recipe(corpus: Path, models: Path, **changes: Any) -> Recipe:
    toxicity = {
        "classifiers": {
            "jigsaw": str(models / "bert"),
            "dolma": {"model": str(models / "words.bin"), "thresholds": {} if "insult" in changes else {"insult": 0.5}},
        },
        "words": {"lists": {"all": str(models / "list.txt")}, "most": 0},
    }
    semantic = {"model": str(models / "sentences"), "threshold": changes.get("cosine", 1.0), "clusters": 2}
    sources = [{"name": "web", "jsonl": {"path": str(corpus / "*.jsonl")}}]
    steps = [{"toxicity": toxicity}, {"semantic_duplicates": semantic}]
    return parse_recipe({"name": "r", "sources": sources, "steps": steps}, VOCABULARY)


def reasons(out: Path) -> dict[str, str | None]:
    parts = open_finished(out)[1].parts  # of the last run: decisions of earlier ones stay beside them
    decided = [pq.read_table(out / part.decisions).to_pylist() for part in parts]
    return {row["uri"]: row["reason"] for rows in decided for row in rows}


def test_workers_give_the_same_bytes_and_a_threshold_decides_anew(
    corpus: Path, models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed = recipe(corpus, models)
    for out, cluster in (("one", Cluster(inline=True)), ("two", Cluster(workers=2))):
        run(parsed, tmp_path / out, cluster, "cpu", PlainProgress())
    files = [
        {p.relative_to(tmp_path / out): p.read_bytes() for p in (tmp_path / out).rglob("*@*")} for out in ("one", "two")
    ]
    assert any("semantic_duplicates.vectors" in path.name for path in files[0])
    assert files[0] == files[1]
    found = reasons(tmp_path / "one")
    for name in ("a", "b"):
        for n in range(20):
            wanted = "toxicity.score" if n % 3 == 1 else "toxicity.words" if n % 5 == 2 else None
            if wanted or n % 4:
                assert found[f"http://{name}.example/{n}"] == wanted
    both = [found[f"http://{name}.example/0"] for name in ("a", "b")]
    assert sorted(both, key=str) == [None, "semantic_duplicates.copy"]
    monkeypatch.setattr(SequenceLabels, "score", None)  # whatever asks a classifier again fails
    monkeypatch.setattr(FastTextLabels, "score", None)
    run(recipe(corpus, models, insult=None), tmp_path / "one", Cluster(inline=True), "cpu", PlainProgress())
    assert set(reasons(tmp_path / "one").values()) == {None, "toxicity.words", "semantic_duplicates.copy"}


def test_a_changed_cosine_embeds_nothing(
    corpus: Path, models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(recipe(corpus, models), tmp_path / "out", Cluster(inline=True), "cpu", PlainProgress())
    before = list(reasons(tmp_path / "out").values()).count("semantic_duplicates.copy")
    monkeypatch.setattr(Encoder, "embed", None)
    state = run(recipe(corpus, models, cosine=0.5), tmp_path / "out", Cluster(inline=True), "cpu", PlainProgress())
    assert state.accounts[-1].dropped["semantic_duplicates.copy"].documents > before > 0


def test_a_model_that_is_not_there_is_said_first(corpus: Path, models: Path, tmp_path: Path) -> None:
    parsed = recipe(corpus, models).as_data()
    parsed["steps"][1]["semantic_duplicates"]["model"] = "./none"
    with pytest.raises(InputError, match=r"'\./none' is not a directory"):
        run(parse_recipe(parsed, VOCABULARY), tmp_path / "out", Cluster(inline=True), "cpu", PlainProgress())
    assert not list((tmp_path / "out").glob("units/*"))
