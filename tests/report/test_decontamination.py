"""Whole runs with `decontaminate`: the account, the edits, and the report, from the files they leave."""

from __future__ import annotations

import json
import random
import stat
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from gpucurate.cli.root import root
from gpucurate.core.errors import UserError
from gpucurate.report.decontamination import decontamination
from gpucurate.run.state import open_finished
from tests.steps.decontaminate.registries import register, sentence
from tests.steps.near_duplicates.runs import curate

RNG = random.Random(1)
EXAM = [sentence(RNG, 40) for _ in range(3)]
CODE = [sentence(RNG, 40), sentence(RNG, 6), "too short", sentence(RNG, 40)]
LICENCE = sentence(RNG, 20)
TEXTS = [
    sentence(RNG, 60),
    f"{sentence(RNG, 60)} {EXAM[0]}",
    f"{EXAM[0]} {EXAM[1]} {CODE[1]}",
    f"{sentence(RNG, 90)} {CODE[0]} {sentence(RNG, 90)}",
    CODE[0],
    f"{sentence(RNG, 30)} {CODE[1]} {sentence(RNG, 30)}",
    *(f"{LICENCE} {sentence(RNG, 30)}" for _ in range(11)),
]


def settled(root: Path, **settings: Any) -> Path:
    exam = register(root, [*EXAM, f"{sentence(random.Random(2), 30)} {LICENCE}"])
    code = register(root, CODE, "code", verdict="remove")
    return curate("u", root, TEXTS, [{"decontaminate": {"registry": [str(exam), str(code)], "margin": 10, **settings}}])


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return settled(tmp_path_factory.mktemp("decontaminated"))


def command(*arguments: object) -> Any:
    done = CliRunner().invoke(root, [str(each) for each in arguments], catch_exceptions=False)
    assert done.exit_code == 0
    return done.output


def test_figures(out: Path) -> None:
    found = json.loads(command("decontamination", out, "--json"))
    assert (found["documents"], found["held_out"], found["common_grams"]) == (17, 0, 8)
    exam, code = found["benchmarks"]
    states = {"protected": 4, "flagged_only": 0, "too_short": 0, "empty": 0, "duplicate": 0}
    assert exam == {
        "benchmark": "exam",
        "items": states,
        "found": 2,
        "documents": {"flag": 0, "remove": 0, "drop": 2},
        "removed": 2,
        "removed_tokens": None,
        "removed_bytes": 0,
    }
    assert code["items"] == {"protected": 2, "flagged_only": 1, "too_short": 1, "empty": 0, "duplicate": 0}
    assert (code["found"], code["documents"], code["removed"]) == (2, {"flag": 2, "remove": 2, "drop": 0}, 1)
    words = TEXTS[3].split()
    assert code["removed_bytes"] == len(" ".join(words[80:140]))
    assert [gram["documents"] for gram in found["grams"]] == [11] * 5
    assert all(gram["common"] and gram["text"] in LICENCE for gram in found["grams"])
    assert {(each["benchmark"], each["action"]) for each in found["samples"]} == {
        ("exam", "drop"),
        ("code", "remove"),
        ("code", "flag"),
    }
    assert not any(item in json.dumps(found) for item in [*EXAM, *CODE])  # nothing of an item but single grams


def test_the_account_and_the_texts(out: Path) -> None:
    account = json.loads(command("funnel", out, "--json"))["steps"][-1]
    reasons = {reason: tally["documents"] for reason, tally in account["dropped"].items()}
    assert reasons == {"decontaminate.item": 2, "decontaminate.emptied": 1}
    assert account["edited"]["documents"] == 1
    command("verify", out)
    restricted = list(out.glob("parts/*/decontaminate.restricted@*"))
    assert len(restricted) == 1
    assert stat.S_IMODE(restricted[0].stat().st_mode) == 0o600
    assert list(out.glob("parts/*/decontaminate.findings@*"))


def test_printed(out: Path) -> None:
    printed = command("decontamination", out, "--count", 2)
    assert "17 documents looked at" in printed
    assert "8 are common speech" in printed
    assert "paraphrases" in printed


def test_benchmarks_that_moved_leave_the_figures(tmp_path: Path) -> None:
    out = settled(tmp_path, holdout={"share": 0.3, "seed": 1})
    (tmp_path / "exam.jsonl").unlink()
    found = decontamination(*open_finished(out), 3)
    assert found.held_out > 0
    assert all(gram.text is None for gram in found.grams)
    assert sum(found.benchmarks[0].items.values()) == 4


def test_another_verdict_searches_nothing_again(tmp_path: Path) -> None:
    def files(stage: str) -> set[str]:
        return {path.name for path in out.glob(f"parts/*/decontaminate.{stage}@*")}

    out = settled(tmp_path)
    before = {stage: files(stage) for stage in ("matches", "counts", "verdicts")}
    settled(tmp_path, verdict="flag")
    assert [len(files(stage)) for stage in before] == [1, 1, 2]
    found = decontamination(*open_finished(out), 3)
    assert [each.documents["drop"] for each in found.benchmarks] == [0, 0]
    assert [each.documents["flag"] for each in found.benchmarks] == [2, 2]
    settled(tmp_path, common=100)
    assert [len(files(stage)) for stage in before] == [1, 1, 3]
    settled(tmp_path, threshold=0.5)
    assert len(files("matches")) == 2


def test_without_the_step(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no step decontaminate"):
        decontamination(*open_finished(curate("u", tmp_path, ["text"], ["normalize"])), 3)


def test_freezing_by_command(tmp_path: Path) -> None:
    path = register(tmp_path, EXAM)
    assert "3 records\n  exam.jsonl: unchanged, " in command("registry", "freeze", path)
    path.write_text("name: e\nversion: v\nfiles: [{path: exam.jsonl}]\nitems: [[question]]\n")
    elsewhere = tmp_path / "r"
    elsewhere.mkdir()
    moved = path.rename(elsewhere / "e.yaml")
    assert "exam.jsonl: not frozen → " in command("registry", "freeze", moved, "--folder", tmp_path)


def test_a_run_without_documents(tmp_path: Path) -> None:
    exam = register(tmp_path, EXAM)
    out = curate("e", tmp_path, [], [{"decontaminate": {"registry": [str(exam)]}}])
    found = json.loads(command("decontamination", out, "--json"))
    assert (found["documents"], found["benchmarks"], found["grams"]) == (0, [], [])
    assert "0 documents looked at" in command("decontamination", out)
