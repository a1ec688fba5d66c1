"""Files that a step reads may change between runs that one process serves, as a worker of a given scheduler does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gpucurate.recipe.load import parse_recipe
from gpucurate.run.driver import Cluster, run
from gpucurate.run.progress import PlainProgress
from gpucurate.run.vocabulary import VOCABULARY
from tests.invariants.corpus import digests
from tests.steps.decontaminate.registries import register

QUESTIONS = ("how many lamps does a keeper light in nine nights", "who carried the last of the letters over the bridge")


def test_a_second_run_in_one_process_reads_changed_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    documents = [{"text": f"{question}, wrote anna{i}@example.org"} for i, question in enumerate(QUESTIONS)]
    (tmp_path / "documents.jsonl").write_text("".join(json.dumps(each) + "\n" for each in documents))
    registry, words = tmp_path / "exam.yaml", tmp_path / "words.txt"
    recipe: dict[str, Any] = {
        "name": "changed",
        "sources": [{"name": "documents", "jsonl": {"path": str(tmp_path / "documents.jsonl")}}],
        "steps": [
            {"toxicity": {"words": {"lists": {"all": str(words)}, "share": 0.9}}},
            {"decontaminate": {"registry": [str(registry)], "verdict": "remove", "margin": 0}},
            {"pii": {"policies": {"email": "surrogate"}, "spare_reserved": False}},
        ],
    }

    def made(out: str) -> dict[str, str]:
        run(
            parse_recipe({**recipe, "name": out}, VOCABULARY),
            tmp_path / out,
            Cluster(inline=True),
            "cpu",
            PlainProgress(),
        )
        return digests(tmp_path / out)

    def change(number: int) -> None:
        register(tmp_path, [QUESTIONS[number]])
        words.write_text(QUESTIONS[number].split()[-1])
        monkeypatch.setenv("GPUCURATE_PII_KEY", f"secret {number}")

    change(0)
    made("out")
    change(1)
    again, anew = made("out"), made("anew")
    assert {name: again.get(name) for name in anew} == anew
