"""Twentieths of a finished run: equal shares, and ranks by them in a second run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from gpucurate.cli.classifier.quantiles import quantiles_command
from gpucurate.core.errors import UserError
from gpucurate.recipe.load import parse_recipe
from gpucurate.run.driver import Cluster, run
from gpucurate.run.progress import PlainProgress
from gpucurate.run.vocabulary import VOCABULARY
from tests.steps.quality.models import write_regressor

pytest.importorskip("torch")


def curate(folder: Path, out: str, documents: int, **quality: Any) -> Path:
    rows = [{"url": f"http://x/{n}", "text": f"energy {n} of cell {n * n} " * (1 + n % 5)} for n in range(documents)]
    (folder / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    sources = [{"name": "web", "jsonl": {"path": str(folder / "a.jsonl")}}]
    recipe = parse_recipe({"name": "r", "sources": sources, "steps": [{"quality": quality}]}, VOCABULARY)
    run(recipe, folder / out, Cluster(inline=True), "cpu", PlainProgress())
    return folder / out


def test_ranks_are_equal_shares(tmp_path: Path) -> None:
    models = {name: str(write_regressor(tmp_path / name, seed=n)) for n, name in enumerate("ab")}
    out = curate(tmp_path, "mean", 100, classifiers=models)
    for name in models:
        told = CliRunner().invoke(quantiles_command, [str(out), "--classifier", name], catch_exceptions=False)
        assert told.output == f"{models[name]}/quantiles.json: from 100 documents\n"
    ranked = curate(tmp_path, "rank", 100, classifiers={"a": models["a"]}, combine="rank", cut=10)
    (part,) = (ranked / "parts").iterdir()
    scores = pq.read_table(next(part.glob("quality@*")))["score"].to_numpy()
    assert np.bincount(scores.astype(int), minlength=20).tolist() == [5] * 20
    both = curate(tmp_path, "both", 100, classifiers=models, combine="rank")
    (part,) = (both / "parts").iterdir()
    assert (pq.read_table(next(part.glob("quality@*")))["score"].to_numpy() >= scores).all()


def test_what_cannot_be_written(tmp_path: Path) -> None:
    models = {name: str(write_regressor(tmp_path / name)) for name in ("edu", "code")}
    out = curate(tmp_path, "few", 5, classifiers=models)
    for arguments, said in (
        ([], "several classifiers. Remedy: --classifier with one of code, edu"),
        (["--classifier", "edo"], "no classifier 'edo'"),
        (["--classifier", "edu"], "20 shares need at least as many scores, found 5"),
        (["--step", "quality.2"], "it has quality"),
    ):
        with pytest.raises(UserError, match=said):
            CliRunner().invoke(quantiles_command, [str(out), *arguments], catch_exceptions=False)
