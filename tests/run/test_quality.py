"""Runs with a quality step: a stage of its own, nothing scored twice, the best of near-duplicates stays."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from gpucurate.core.errors import InputError, RecipeError
from gpucurate.device import pick
from gpucurate.recipe.load import parse_recipe
from gpucurate.recipe.recipe import Recipe
from gpucurate.run import driver, live
from gpucurate.run.driver import Cluster, run
from gpucurate.run.executors import InlineExecutor
from gpucurate.run.live import RunContext
from gpucurate.run.progress import PlainProgress
from gpucurate.run.vocabulary import VOCABULARY
from gpucurate.steps.quality.regressor import Regressor
from gpucurate.store.directory import OutputDirectory
from tests.steps.quality.models import write_regressor

pytest.importorskip("torch")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_regressor(tmp_path_factory.mktemp("model"))


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Two files of texts, each of which has a twin that differs by its last word."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    for name in ("a", "b"):
        rows = [{"url": f"http://x/{name}/{n}", "text": f"{text_of(n)} {name}."} for n in range(12)]
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def text_of(n: int) -> str:
    return (
        " ".join(
            f"{word}{n}"
            for word in ["cell", "energy", "light", "proof", "buy", "now", "sale", "theorem", "water", "stone"]
        )
        * 5
    )


def recipe(corpus: Path, *steps: Any) -> Recipe:
    sources = [{"name": "web", "jsonl": {"path": str(corpus / "*.jsonl")}}]
    return parse_recipe({"name": "r", "sources": sources, "steps": list(steps)}, VOCABULARY)


def scored(out: Path) -> dict[str, tuple[float, str | None]]:
    """Score and the step that removed it, by URI."""
    found = {}
    for part in (out / "parts").iterdir():
        decisions = pq.read_table(next(part.glob("decisions@*"))).to_pylist()
        signals = pq.read_table(next(part.glob("quality@*"))).to_pylist()
        found |= {d["uri"]: (s["score"], d["step"]) for d, s in zip(decisions, signals, strict=True)}
    return found


def test_scores_cut_and_say_how_fast(
    corpus: Path, model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    quality = {"classifiers": {"edu": str(model)}}
    run(recipe(corpus, {"quality": quality}), tmp_path / "out", Cluster(inline=True), "cpu", PlainProgress())
    said = capsys.readouterr().err
    assert "tokens scored in" in said
    assert "every document stays" in said
    before = scored(tmp_path / "out")
    assert {step for _, step in before.values()} == {None}
    monkeypatch.setattr(Regressor, "score", None)  # whatever scores again fails
    cut = sorted(score for score, _ in before.values())[10]
    parsed = recipe(corpus, {"quality": {**quality, "cut": cut}})
    state = run(parsed, tmp_path / "out", Cluster(inline=True), "cpu", PlainProgress())
    assert "tokens scored" not in capsys.readouterr().err
    kept = sum(score >= cut for score, _ in before.values())
    assert state.accounts[-1].kept.documents == kept
    assert state.accounts[-1].dropped["quality.low"].documents == 24 - kept


def test_workers_give_the_same_bytes(corpus: Path, model: Path, tmp_path: Path) -> None:
    parsed = recipe(corpus, {"quality": {"classifiers": {"edu": str(model)}, "cut": 2.5}})
    for out, cluster in (("one", Cluster(inline=True)), ("two", Cluster(workers=2))):
        run(parsed, tmp_path / out, cluster, "cpu", PlainProgress())
    files = [
        {p.relative_to(tmp_path / out): p.read_bytes() for p in (tmp_path / out / "parts").rglob("quality@*")}
        for out in ("one", "two")
    ]
    assert files[0]
    assert files[0] == files[1]


def test_the_best_of_near_duplicates_stays(corpus: Path, model: Path, tmp_path: Path) -> None:
    quality = {"quality": {"classifiers": {"edu": str(model)}}}
    near = {"near_duplicates": {"keep": "quality", "shingle": 2}}
    run(recipe(corpus, quality, near), tmp_path / "out", Cluster(inline=True), "cpu", PlainProgress())
    found = scored(tmp_path / "out")
    for n in range(12):
        twins = [found[f"http://x/{name}/{n}"] for name in ("a", "b")]
        (stays,) = [score for score, step in twins if step is None]
        assert stays == max(score for score, _ in twins)
    stayed = {uri[9] for uri, (_, step) in found.items() if step is None}
    assert stayed == {"a", "b"}  # neither file always wins


def test_another_model_ranks_again_and_signs_nothing(corpus: Path, model: Path, tmp_path: Path) -> None:
    near = {"near_duplicates": {"keep": "quality", "shingle": 2}}
    compared = []
    for folder in (model, write_regressor(tmp_path / "other", seed=3)):
        parsed = recipe(corpus, {"quality": {"classifiers": {"edu": str(folder)}}}, near)
        compared.append(run(parsed, tmp_path / "out", Cluster(inline=True), "cpu", PlainProgress()).compared)
    one, other = (each["near_duplicates"] for each in compared)
    assert one["signatures"] == other["signatures"]
    assert set(one["order"]).isdisjoint(other["order"])


@pytest.mark.parametrize("steps", [["near_duplicates"], ["near_duplicates", "quality"]])
def test_quality_must_be_measured_before(corpus: Path, model: Path, tmp_path: Path, steps: list[str]) -> None:
    settings = {"near_duplicates": {"keep": "quality"}, "quality": {"classifiers": {"edu": str(model)}}}
    parsed = recipe(corpus, *({name: settings[name]} for name in steps))
    with pytest.raises(RecipeError, match=r"'near_duplicates' chooses by quality, but no step before it"):
        RunContext.of(OutputDirectory(tmp_path), parsed, "cpu").live  # noqa: B018


def test_a_model_that_cannot_score_is_said_first(corpus: Path, tmp_path: Path) -> None:
    wrong = write_regressor(tmp_path / "three", outputs=3)
    parsed = recipe(corpus, {"quality": {"classifiers": {"edu": str(wrong)}}})
    with pytest.raises(InputError, match="3 outputs"):
        run(parsed, tmp_path / "out", Cluster(inline=True), "cpu", PlainProgress())
    assert not list((tmp_path / "out").glob("units/*"))


def test_a_gpu_scores_what_the_cores_prepared(
    corpus: Path, model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which stages there are; the device is a CPU that is called a GPU."""
    monkeypatch.setattr(driver, "executor", lambda **_: contextlib.nullcontext(InlineExecutor("cuda")))
    monkeypatch.setattr(live, "pick", lambda device: pick("cpu"))
    parsed = recipe(corpus, "normalize", {"quality": {"classifiers": {"edu": str(model)}}})
    run(parsed, tmp_path / "out", Cluster(), "cpu", PlainProgress())
    said = capsys.readouterr().err
    assert said.index("quality: walk: 2 of 2 tasks") < said.index("quality: 2 of 2 tasks") < said.index("tokens scored")
