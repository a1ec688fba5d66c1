"""The command contract: exit codes, messages, JSON form."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from gpucurate.cli import main
from gpucurate.store import atomic
from tests.invariants.corpus import recipe, write_corpus


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run with its recipe beside it."""
    root = tmp_path_factory.mktemp("finished")
    write_corpus(root / "corpus")
    (root / "recipe.yaml").write_text(yaml.safe_dump(recipe(root / "corpus" / "*.jsonl")))
    with pytest.MonkeyPatch.context() as patch:
        assert call(patch, "run", root / "recipe.yaml", "--out", root / "out", "--inline") == 0
    return root


def call(patch: pytest.MonkeyPatch, *arguments: object) -> int:
    """Exit code of a command line."""
    patch.setattr("sys.argv", ["gpucurate", *map(str, arguments)])
    try:
        main()
    except SystemExit as done:
        return int(done.code or 0)
    return 0


def test_funnel_json_is_the_contract(
    finished: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch, "funnel", finished / "out", "--json") == 0
    funnel = json.loads(capsys.readouterr().out)
    assert [step["name"] for step in funnel["steps"]] == [
        "read",
        "normalize",
        "rules",
        "exact_duplicates",
        "near_duplicates",
        "repeated_spans",
        "decontaminate",
        "pii",
    ]
    steps = {step["name"]: step for step in funnel["steps"]}
    for step in funnel["steps"]:
        assert {"name", "in", "kept", "dropped", "quarantined", "edited", "seconds"} <= set(step)
        left = [step["kept"], *step["dropped"].values(), *step["quarantined"].values()]
        assert sum(tally["documents"] for tally in left) == step["in"]["documents"]
    assert funnel["steps"][0]["quarantined"]["jsonl.not_json"]["documents"] == 3
    assert steps["exact_duplicates"]["dropped"]["exact_duplicates.copy"]["documents"] > 0
    assert steps["near_duplicates"]["dropped"]["near_duplicates.copy"]["documents"] > 0
    assert steps["decontaminate"]["dropped"]["decontaminate.held_out"]["documents"] > 0
    assert steps["repeated_spans"]["edited"]["documents"] > 0
    assert steps["pii"]["edited"]["documents"] > 0
    shards = funnel["shards"]
    assert shards["files"] > 3
    assert shards["tokens"] == shards["rows"] * 33


def test_verify_passes_then_names_what_was_damaged(
    finished: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch, "verify", finished / "out") == 0
    for victim in (*finished.glob("out/shards/shard-00001.npy"), *finished.glob("out/parts/*/rules@*.parquet")):
        whole = victim.read_bytes()
        victim.write_bytes(whole[:200] + bytes([whole[200] ^ 1]) + whole[201:])
        assert call(monkeypatch, "verify", finished / "out") == 1
        assert victim.name in capsys.readouterr().err
        victim.write_bytes(whole)
    assert call(monkeypatch, "verify", finished / "out") == 0


def test_samples_show_documents_of_a_reason(
    finished: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch, "samples", finished / "out", "--reason", "gopher.top_2_gram", "--json", "--count", 2) == 0
    shown = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(shown) == 2
    assert all("Too short" in sample["text"] for sample in shown)
    assert call(monkeypatch, "samples", finished / "out", "--reason", "jsonl.not_json", "--count", 1) == 0
    assert "part-" in capsys.readouterr().out
    assert call(monkeypatch, "samples", finished / "out", "--reason", "kept") == 0
    capsys.readouterr()
    assert call(monkeypatch, "samples", finished / "out", "--reason", "gopher.top_2_grm") == 2
    assert "did you mean 'gopher.top_2_gram'" in capsys.readouterr().err


def test_a_changed_threshold_measures_nothing_again(
    finished: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {p.name for p in finished.glob("out/parts/*/rules@*")}
    arguments = ["run", finished / "recipe.yaml", "--out", finished / "out", "--inline"]
    assert call(monkeypatch, *arguments, "--set", "steps.1.rules.gopher_quality.min_words=90") == 0
    assert "steps.1.rules.gopher_quality.min_words: 20 → 90" in capsys.readouterr().err
    assert {p.name for p in finished.glob("out/parts/*/rules@*")} == before
    assert call(monkeypatch, "verify", finished / "out") == 0
    assert call(monkeypatch, *arguments) == 0
    assert call(monkeypatch, "verify", finished / "out") == 0


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["run", "{root}/none.yaml", "--out", "{root}/x"], 2, "cannot read recipe"),
        (["run", "{root}/recipe.yaml"], 2, "Missing option '--out'"),
        (["run", "{root}/recipe.yaml", "--out", "{root}/x", "--set", "steps.0=ruls"], 2, "did you mean 'rules'"),
        (["run", "{root}/recipe.yaml", "--out", "{root}/x", "--inline", "--workers", "2"], 2, "--inline goes with"),
        (["run", "{root}/recipe.yaml", "--out", "{root}/x", "--device", "cuda"], 3, "device 'cuda'"),
        (["run", "{root}/recipe.yaml", "--out", "{root}/corpus"], 2, "not empty"),
        (["run", "{root}/recipe.yaml", "--out", "{root}/out", "--set", "name=other"], 2, "choose another --out"),
        (
            ["run", "{root}/recipe.yaml", "--out", "{root}/y", "--set", "sources.0.jsonl.path={root}/no.jsonl"],
            3,
            "no.jsonl",
        ),
        (["funnel", "{root}/corpus"], 2, "not an output directory"),
        (["verify", "{root}/y"], 2, "not"),
        (["verfy"], 2, "no such command 'verfy'; did you mean 'verify'?"),
    ],
)
def test_exit_codes(
    finished: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    code: int,
    said: str,
) -> None:
    assert call(monkeypatch, *(a.format(root=finished) for a in arguments)) == code
    assert said in capsys.readouterr().err


def test_a_full_disk_is_exit_three_and_the_next_run_goes_on(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    written = 0
    real = atomic.sync_file

    def fills_up(path: Path) -> None:
        nonlocal written
        written += 1
        if written == 9:
            raise OSError(28, "No space left on device")
        real(path)

    arguments = ["run", finished / "recipe.yaml", "--out", tmp_path / "out", "--inline"]
    with monkeypatch.context() as full:
        full.setattr(atomic, "sync_file", fills_up)
        assert call(full, *arguments) == 3
    assert "free some space" in capsys.readouterr().err
    assert call(monkeypatch, "funnel", tmp_path / "out") == 2
    assert "has not finished" in capsys.readouterr().err
    assert call(monkeypatch, *arguments) == 0
    assert call(monkeypatch, "verify", tmp_path / "out") == 0


def test_plan_says_what_is_there(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch, "plan", finished / "recipe.yaml", "--out", tmp_path / "none") == 0
    said = capsys.readouterr().out
    assert "source web (jsonl): 3 files" in said
    assert "3 units are still to be read" in said
    assert not (tmp_path / "none").exists()
    assert call(monkeypatch, "plan", finished / "recipe.yaml", "--out", finished / "out") == 0
    said = capsys.readouterr().out
    assert "3 of 3 parts measured" in said
    assert "step 0: " in said  # as `--set` counts


def test_help_has_examples(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("run", "plan", "funnel", "samples", "verify", "schema", "reference"):
        assert call(monkeypatch, command, "--help") == 0
        assert "Example" in capsys.readouterr().out
