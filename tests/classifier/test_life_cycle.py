"""A classifier's whole life by its commands: curate, sample, label, compare, split, train, evaluate, score, cut."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from gpucurate.cli.root import root
from tests.classifier.endpoint_server import ChatServer, chat_server
from tests.steps.quality.models import minilm, write_regressor

torch = pytest.importorskip("torch")
REPOSITORY = Path(__file__).parents[2]
PARTS = ("train", "held-out")
MEASURED = re.compile(r"^step .*, (\d+) of (\d+) parts measured$", re.MULTILINE)
SUBJECTS = ("bell", "coat", "harbour", "clock", "garden")


@pytest.fixture(autouse=True)
def endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "a key")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Models this small only wait for each other's threads."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def gpucurate(*arguments: object) -> str:
    """What a command prints."""
    done = CliRunner().invoke(root, [str(argument) for argument in arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def life(folder: Path, pages: Path, base: Path, site: ChatServer, tokens: int) -> dict[str, Any]:
    """All commands as the docs have them, on `pages`; what the retention curve says at the end."""
    out, model = folder / "out", folder / "edu"
    sample, labels, split = folder / "sample.jsonl", folder / "labels.jsonl", folder / "split"
    curate = ["--out", out, "--inline", "--device", "cpu", "--set", f"sources.0.jsonl.path={pages}"]
    gpucurate("run", REPOSITORY / "configs/edu-classifier.yaml", *curate)
    gpucurate("classifier", "sample", out, "--size", 150, "--by", "length", "--out", sample)
    judges = ["--model", "mild", "--model", "strict", "--base-url", site.url, "--yes"]
    gpucurate("classifier", "label", sample, "--labels", labels, *judges)
    compared = json.loads(gpucurate("classifier", "agreement", labels, "--json"))
    assert 0 < compared["pairs"][0]["kappa"] < 1
    assert compared["pairs"][0]["difference"] < 0  # strict after mild

    gpucurate("classifier", "split", sample, "--labels", labels, "--held-out", 0.25, "--one-site", "--out", split)
    train, held = ([f"{split}/{part}/sample.jsonl", "--labels", f"{split}/{part}/labels.jsonl"] for part in PARTS)
    settings = ["--set", "encoder=frozen", "--set", "epochs=3", "--set", f"max_tokens={tokens}", "--model", base]
    settings += ["--set", "one_site=true"]
    gpucurate("classifier", "train", *train, "--out", model, *settings, "--device", "cpu")
    terms = ["--one-site", "--resamples", 100, "--device", "cpu", "--out", folder / "evaluation"]
    gpucurate("classifier", "evaluate", model, *held, *terms)
    about = json.loads((folder / "evaluation/evaluation.json").read_text())["about"]
    assert about["guard"].startswith("no example was trained")
    assert about["judges"] == ["mild", "strict"]

    edu = "steps.5.quality.classifiers.edu"
    score = [*curate, "--set", f"{edu}.model={model}", "--set", f"{edu}.max_tokens={tokens}"]
    recipe = REPOSITORY / "configs/fineweb-edu.yaml"
    planned = MEASURED.findall(gpucurate("plan", recipe, *without(score, "--inline")))
    assert [done == parts for done, parts in planned] == [True] * 5 + [False]
    gpucurate("run", recipe, *score)
    scored = {path: path.stat().st_mtime_ns for path in out.glob("parts/*/quality@*")}
    curve: dict[str, Any] = json.loads(gpucurate("retention", out, "--json"))
    whole = {row["cut"]: row for row in curve["slices"][0]["at"]}
    for cut in (curve["cut"], 2.0, 4.5):
        if cut != curve["cut"]:
            gpucurate("run", recipe, *score, "--set", f"steps.5.quality.cut={cut}")
        step = json.loads(gpucurate("funnel", out, "--json"))["steps"][-1]
        assert step["name"] == "quality"
        assert step["kept"] == {unit: whole[cut][unit] for unit in ("documents", "bytes", "tokens")}
    assert {path: path.stat().st_mtime_ns for path in out.glob("parts/*/quality@*")} == scored
    assert "from" in gpucurate("classifier", "quantiles", out, "--classifier", "edu")
    return curve


def without(arguments: list[Any], one: str) -> list[Any]:
    return [argument for argument in arguments if argument != one]


def letters(text: str) -> str:
    """What no normalisation changes."""
    return "".join(re.findall("[a-zA-Z]", text))


def strict_too(rating: Callable[[str], int]) -> Callable[[str, str], int]:
    """Two judges, one of whom takes a point off from every third text or so."""
    return lambda model, prompt: max(0, rating(prompt) - (model == "strict" and len(prompt) % 3 == 0))


def test_the_recipes_on_pages_made_up(tmp_path: Path) -> None:
    pool = tmp_path / "pool"
    subprocess.run([sys.executable, str(REPOSITORY / "quickstart/pool.py"), str(pool)], check=True)
    base = write_regressor(tmp_path / "base", head=False)
    with chat_server() as site:
        site.rate = strict_too(lambda prompt: sum(prompt.count(word) > 1 for word in SUBJECTS))
        curve = life(tmp_path, pool / "documents", base, site, tokens=64)
    assert curve["slices"][0]["all"]["documents"] > 200


def test_the_recipes_on_real_pages_with_the_ratings_that_were_published(real_data: Path, tmp_path: Path) -> None:
    csv.field_size_limit(sys.maxsize)
    with (real_data / "quality/fineweb-edu-scorer/data/training_data.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    (tmp_path / "pages.jsonl").write_text("".join(json.dumps({"text": row["text"]}) + "\n" for row in rows))
    rated = {letters(row["text"])[:200]: int(row["score"]) for row in rows}
    with chat_server() as site:
        site.rate = strict_too(lambda prompt: next(score for text, score in rated.items() if text in letters(prompt)))
        curve = life(tmp_path, tmp_path / "pages.jsonl", minilm(), site, tokens=64)
    documents = [row["documents"] for row in curve["slices"][0]["at"]]
    assert documents[0] > 100
    assert documents[-1] == 0
