"""The audit of `pii` against counting by hand, and what it refuses."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from gpucurate.core.errors import StorageError, UserError
from gpucurate.report.pii import Audit, audit
from gpucurate.report.pii.audit import Stratum
from gpucurate.report.pii.printing import print_audit
from gpucurate.report.pii.shapes import shape
from gpucurate.run.state import open_finished
from tests.cli.test_commands import call
from tests.steps.decontaminate.registries import register
from tests.steps.near_duplicates.runs import curate

pytest.importorskip("phonenumbers")
MAIL = "ask {}@mail-host.de about it please"
POLICIES = {"email": "keep", "phone": "redact", "ip_address": "surrogate", "credit_card": "redact"}
TEXTS = [
    *[MAIL.format(f"person{n}") for n in range(6)],
    f"{MAIL.format('one')} or {MAIL.format('two')}",
    "call +1 425 882 9080 😀 now",
    "the server at 8.8.4.4 is slow",
    "nothing to be found here",
    "",
    MAIL.format("person0"),  # a copy, which goes before the step is reached
]


def run(root: Path, policies: dict[str, str] = POLICIES, name: str = "u", **settings: Any) -> Path:
    step = {"pii": {"policies": policies, "on": "survivors", **settings}}
    return curate(name, root, TEXTS, ["exact_duplicates", step])


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run(tmp_path_factory.mktemp("audited"))


def audited(out: Path, **settings: Any) -> Audit:
    return audit(*open_finished(out), None, **settings)


def test_numbers_are_those_counted_by_hand(finished: Path) -> None:
    found = audited(finished)
    assert (found.documents, found.documents_with_any) == (11, 9)
    assert found.words == sum(len(text.split()) for text in TEXTS[:-1])
    assert next(iter(found.kinds)) == "email"
    assert found.kinds == {"email": 8, "phone": 1, "ip_address": 1}
    assert found.in_documents["email"] == found.in_documents[Stratum("email", "email", 1)] == 7
    assert found.shapes["email"] == {"a9@a-a.a": 6, "a@a-a.a": 2}
    assert found.shapes["phone"] == {"+9 999 999 9999": 1}
    assert found.per_million(8) == pytest.approx(8e6 / found.words)


def test_samples_show_the_text_around(finished: Path) -> None:
    (sample,) = audited(finished, keep=3).samples("phone", 3)
    assert (sample.before, sample.match, sample.after) == ("call ", "+1 425 882 9080", " 😀 now")
    record, place = sample.id.split(":")
    assert (len(record), place) == (32, "5-20")


def test_samples_follow_from_the_seed_alone(finished: Path, tmp_path: Path) -> None:
    def ids(out: Path, seed: int) -> list[str]:
        return [each.id for each in audited(out, keep=4, seed=seed).samples("email", 4)]

    assert len(set(ids(finished, 0))) == 4
    assert ids(finished, 0)[:2] == [each.id for each in audited(finished, keep=2).samples("email", 2)]
    assert ids(finished, 0) != ids(finished, 1)


def test_it_is_the_same_before_anything_is_rewritten(finished: Path, tmp_path: Path) -> None:
    kept = run(tmp_path, dict.fromkeys(POLICIES, "keep"))
    before, after = (audited(out, keep=5).data(5, 5) for out in (kept, finished))
    for each in (*before["classes"], *after["classes"]):
        for sample in each["samples"]:
            sample["id"] = sample["id"].split(":")[1]  # the sources are two files
    assert [each["patterns"] for each in before["classes"]] == [each["patterns"] for each in after["classes"]]
    assert before["classes"][1:] == after["classes"][1:]


def test_counts_read_no_text(
    finished: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    access = os.access

    def forbid(path: Path, mode: int) -> bool:
        return "restricted" not in str(path) and access(path, mode)

    monkeypatch.setattr(os, "access", forbid)
    assert call(monkeypatch, "pii", "audit", finished) == 2
    with pytest.raises(UserError, match=r"only its owner may read it\. Remedy: .*--counts"):
        audited(finished)
    capsys.readouterr()
    assert call(monkeypatch, "pii", "audit", finished, "--counts", "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert said["classes"][0]["findings"] == 8
    assert said["classes"][0]["patterns"] == said["classes"][0]["samples"] == []


def test_only_the_owner_reads_the_text(finished: Path) -> None:
    (path,) = finished.glob("parts/*/pii.restricted@*")
    assert path.stat().st_mode & 0o777 == 0o600


def test_counts_open_no_restricted_table_of_any_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    exam = register(tmp_path, ["it was the server at the corner that is slow"])
    texts = ["so it was the server at the corner that is slow", *TEXTS]
    out = curate("two", tmp_path, texts, [{"decontaminate": {"registry": [str(exam)], "verdict": "flag"}}, "pii"])
    restricted = list(out.glob("parts/*/*.restricted@*"))
    assert {path.name.split(".")[0] for path in restricted} == {"decontaminate", "pii"}
    for path in restricted:
        path.write_bytes(b"for nobody else")
    assert call(monkeypatch, "pii", "audit", out, "--counts") == 0
    assert call(monkeypatch, "decontamination", out) == 0


def test_what_is_lost_is_named(tmp_path: Path) -> None:
    out = run(tmp_path)
    next(out.glob("parts/*/pii.restricted@*")).unlink()
    with pytest.raises(StorageError, match="lost the text of its findings"):
        audited(out)
    assert audited(out, text=False).kinds["email"] == 8
    next(out.glob("parts/*/pii@*")).unlink()
    with pytest.raises(StorageError, match="lost what pii said of it"):
        audited(out, text=False)


def test_a_recipe_without_the_step_or_with_two(tmp_path: Path) -> None:
    none = curate("none", tmp_path, TEXTS, ["exact_duplicates"])
    with pytest.raises(UserError, match="no step 'pii'; it has none"):
        audit(*open_finished(none), None)
    steps = [{"pii": {"policies": {kind: "redact"}}} for kind in ("email", "phone")]
    two = curate("two", tmp_path, TEXTS, steps)
    with pytest.raises(UserError, match="choose one with --step"):
        audit(*open_finished(two), None)
    second = open_finished(two)[0].live.steps[1].label
    assert audit(*open_finished(two), second).kinds == {"phone": 1}


def test_for_people(finished: Path) -> None:
    console = Console(record=True, width=120)
    print_audit(audited(finished, keep=1).data(5, 1), console)
    shown = console.export_text()
    assert "9 of 11 documents have findings" in shown
    assert "a9@a-a.a" in shown
    assert "call +1 425 882 9080 😀 now" in " ".join(shown.split())


@pytest.mark.parametrize(
    ("match", "expected"),
    [
        ("Jane.Doe7@Mail.org", "A.A9@A.a"),
        ("+49 (0)30\n  1234", "+99 (9)99 9999"),
        ("ÄÖ_ß9", "A_a9"),
        ("4" * 90, "9" * 39 + "…"),
    ],
)
def test_shapes(match: str, expected: str) -> None:
    assert shape(match) == expected
