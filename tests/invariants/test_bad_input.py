"""What users and machines do to a run: it ends in one message with its exit code, or running again makes it good.

What tests of single rooms pin already (damaged archives, refused recipes, kill -9) is not repeated here.
"""

from __future__ import annotations

import bz2
import gzip
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpucurate.cli import main
from gpucurate.store.manifest import MANIFEST

from .corpus import digests, recipe, write_corpus, write_protected

Call = Callable[..., tuple[int, str, str]]
COMMAND = [sys.executable, "-c", "from gpucurate.cli import main; main()"]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus, its recipe and an undisturbed run."""
    root = tmp_path_factory.mktemp("undisturbed")
    write_corpus(root / "corpus")
    (root / "recipe.yaml").write_text(yaml.safe_dump(recipe(root / "corpus" / "*.jsonl")))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "sys.argv", ["gpucurate", "run", str(root / "recipe.yaml"), "--out", str(root / "out"), "--inline"]
        )
        main()
    return root


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """A command line's exit code, output and messages; an error that is not made on purpose fails the test."""

    def called(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["gpucurate", *map(str, arguments)])
        code = 0
        try:
            main()
        except SystemExit as done:
            code = int(done.code or 0)
        said = capsys.readouterr()
        return code, said.out, said.err

    return called


@pytest.fixture
def run(finished: Path, tmp_path: Path, call: Call) -> Call:
    """Run the recipe inline into a copy of the undisturbed run."""
    shutil.copytree(finished / "out", tmp_path / "out")

    def again(*options: str) -> tuple[int, str, str]:
        return call("run", finished / "recipe.yaml", "--out", tmp_path / "out", "--inline", *options)

    return again


def delete(path: Path) -> None:
    path.unlink()


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


@pytest.mark.parametrize("harm", [delete, cut])
def test_what_is_gone_or_cut_short_is_made_again(
    finished: Path, tmp_path: Path, call: Call, run: Call, harm: Callable[[Path], None]
) -> None:
    """One file of every kind at once."""
    out = tmp_path / "out"
    kinds = [
        "documents",
        "quarantine",
        "normalize",
        "normalize.spans",
        "rules",
        "exact_duplicates",
        "tokens",
        "decisions",
    ]
    for kind in kinds:
        harm(sorted(out.glob(f"parts/*/{kind}@*"))[0])
    for place in ("units/*", "corpus/*", "shards/shard-00001.npy", "shards/index.parquet"):
        harm(sorted(out.glob(place))[0])
    code, _, said = call("verify", out)
    assert code == 1
    assert "Remedy" in said
    assert run()[0] == 0
    assert digests(out) == digests(finished / "out")
    assert call("verify", out)[0] == 0


@pytest.mark.parametrize("kind", ["documents", "tokens"])
def test_changed_bytes_are_named_and_made_again_once_deleted(
    finished: Path, tmp_path: Path, call: Call, run: Call, kind: str
) -> None:
    victim = sorted((tmp_path / "out").glob(f"parts/*/{kind}@*"))[0]
    victim.write_bytes(bytes(victim.stat().st_size))
    code, _, said = call("verify", tmp_path / "out")
    assert code == 1
    assert victim.name in said
    assert "delete that file" in said
    code, _, said = run()
    if code:
        assert code == 3
        assert victim.name in said
    victim.unlink()
    assert run()[0] == 0
    assert digests(tmp_path / "out") == digests(finished / "out")


@pytest.mark.parametrize(
    "name", ["gpucurate.json", "report/state.json", MANIFEST, "shards/shards.json", "shards/.plan"]
)
def test_damaged_books_are_no_traceback(finished: Path, tmp_path: Path, call: Call, run: Call, name: str) -> None:
    (tmp_path / "out" / name).write_bytes(b"\xff\n5\n{}\n")
    code, _, said = call("verify", tmp_path / "out")
    assert code in {0, 1, 3}
    assert code == 0 or name.rpartition("/")[2] in said
    code, _, said = run()
    if name == "gpucurate.json":
        assert code == 3
        assert "Remedy" in said
        return
    assert code == 0
    assert digests(tmp_path / "out") == digests(finished / "out")
    assert call("verify", tmp_path / "out")[0] == 0


def test_a_mistake_leaves_a_finished_run_as_it_is(finished: Path, tmp_path: Path, call: Call, run: Call) -> None:
    assert run("--set", "sources.0.jsonl.path=/nowhere/*.jsonl")[0] == 3
    assert run("--set", "steps.1.rules.c4.unknown=1")[0] == 2
    assert run("--set", "steps.3.near_duplicates.against=/nowhere")[0] == 3
    assert call("verify", tmp_path / "out")[0] == 0
    assert digests(tmp_path / "out") == digests(finished / "out")


def test_any_way_through_other_recipes_ends_in_the_same_shards(
    finished: Path, tmp_path: Path, call: Call, run: Call
) -> None:
    """Steps, tokens and shards changed, taken out and put back; each state verifies."""
    data: dict[str, Any] = yaml.safe_load((finished / "recipe.yaml").read_text())
    states = [
        {"steps": data["steps"][::-1], "shards": {"length": 16, "size": 500, "remainder": "carry"}},
        {"steps": ["exact_duplicates"], "tokens": {"tokenizer": "tiktoken:gpt2", "count": "survivors"}},
        {"steps": [{"rules": {"gopher_quality": {"min_words": 100_000}}}]},
    ]
    for state in [*states, {}]:
        (tmp_path / "recipe.yaml").write_text(yaml.safe_dump({**data, **state}))
        assert call("run", tmp_path / "recipe.yaml", "--out", tmp_path / "out", "--inline")[0] == 0
        assert call("verify", tmp_path / "out")[0] == 0
    found, wanted = digests(tmp_path / "out"), digests(finished / "out")
    assert {name: found.get(name) for name in wanted} == wanted
    assert {n for n in found if n.startswith("shards/")} == {n for n in wanted if n.startswith("shards/")}


def test_shards_of_an_earlier_state_do_not_stay(finished: Path, tmp_path: Path, call: Call) -> None:
    shutil.copytree(finished / "out", tmp_path / "out")
    data = yaml.safe_load((finished / "recipe.yaml").read_text())
    del data["shards"]
    (tmp_path / "recipe.yaml").write_text(yaml.safe_dump(data))
    assert call("run", tmp_path / "recipe.yaml", "--out", tmp_path / "out", "--inline")[0] == 0
    assert json.loads(call("funnel", tmp_path / "out", "--json")[1])["shards"]["files"] == 0
    assert not list((tmp_path / "out" / "shards").iterdir())


def test_hostile_files_lose_no_record(tmp_path: Path, call: Call) -> None:
    """Cut archives, odd names, lines of every wrong kind, files with nothing: records in = documents + reasons."""
    good = [json.dumps({"text": f"A good line of text, number {n}."}).encode() + b"\n" for n in range(20)]
    wrong = [
        b"{no\n",
        b"[1]\n",
        b"5\n",
        b'"s"\n',
        b"null\n",
        b'{"text": null}\n',
        b'{"other": 1}\n',
        b'{"text": "\xff"}\n',
    ]
    files = {
        "cut.jsonl.gz": gzip.compress(b"".join(good))[:-4],
        "cut.jsonl.bz2": bz2.compress(b"".join(good))[:-9],
        "wrong.jsonl": b"".join(good + wrong),
        "empty.jsonl": b"",
        "blank.jsonl": b"\n \r\n\n",
        "a b@c#100%.[0]ü.jsonl": b"".join(good),
        "wordless.jsonl": b'{"text": ""}\n{"text": "\\n\\n"}\n{"text": "!!!"}\n',
    }
    (tmp_path / "in put [1]").mkdir()
    for name, content in files.items():
        (tmp_path / "in put [1]" / name).write_bytes(content)
    write_protected(tmp_path / "protected")
    (tmp_path / "recipe.yaml").write_text(yaml.safe_dump(recipe(tmp_path / "in put [1]")))
    assert call("run", tmp_path / "recipe.yaml", "--out", tmp_path / "o@ut", "--inline")[0] == 0
    read = json.loads(call("funnel", tmp_path / "o@ut", "--json")[1])["steps"][0]
    assert read["kept"]["documents"] == 4 * 20 + 3
    reasons = {reason: tally["documents"] for reason, tally in read["quarantined"].items()}
    wanted = {"damaged": 2, "not_json": 1, "not_object": 4, "no_text": 2, "encoding": 1}
    assert reasons == {f"jsonl.{reason}": count for reason, count in wanted.items()}
    assert call("verify", tmp_path / "o@ut")[0] == 0


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--set", "shards.begin_with=/nowhere"], 3, "cannot read /nowhere"),
        (["--set", "sources.0.jsonl.path=[]"], 2, "expected a path"),
        (["--set", "sources.0.jsonl.path=' '"], 2, "expected a path"),
        (["--set", "sources.0.jsonl.path=~nobody-of-that-name/x"], 3, "~nobody-of-that-name"),
        (["--set", "steps.²=x"], 2, "expected a number"),
        (["--set", f"sources.0.name={'x' * 65}"], 2, "at most 64"),
        (["--set", "steps.2.exact_duplicates.keep=newset"], 2, "did you mean 'newest'"),
    ],
)
def test_mistakes_name_the_remedy(run: Call, options: list[str], code: int, said: str) -> None:
    found = run(*options)
    assert found[0] == code
    assert said in found[2]


def test_out_must_be_a_directory_and_stays_untouched(finished: Path, tmp_path: Path, call: Call) -> None:
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.tex").write_text("")
    for out in ("s3://bucket/out", finished / "recipe.yaml", tmp_path / "thesis"):
        assert call("run", finished / "recipe.yaml", "--out", out, "--inline")[0] == 2
    assert [p.name for p in (tmp_path / "thesis").iterdir()] == ["chapter.tex"]


def test_a_key_that_stands_twice_is_a_mistake(tmp_path: Path, call: Call) -> None:
    (tmp_path / "recipe.yaml").write_text("sources: [{jsonl: {path: a}}]\nsteps: [normalize]\nsteps: [rules]\n")
    code, _, said = call("run", tmp_path / "recipe.yaml", "--out", tmp_path / "out")
    assert code == 2
    assert "'steps' stands twice" in said


def children(pid: int) -> list[int]:
    """Processes below a process."""
    try:
        listed = [task.joinpath("children").read_text() for task in Path(f"/proc/{pid}/task").iterdir()]
    except FileNotFoundError:
        return []
    direct = [int(child) for line in listed for child in line.split()]
    return [*direct, *(grandchild for child in direct for grandchild in children(child))]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_run_says_so_leaves_no_process_and_goes_on(
    finished: Path, tmp_path: Path, call: Call, number: signal.Signals
) -> None:
    out = tmp_path / "out"
    arguments = ["run", str(finished / "recipe.yaml"), "--out", str(out), "--workers", "2"]
    with subprocess.Popen([*COMMAND, *arguments], stderr=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        deadline = time.monotonic() + 120
        while len(children(process.pid)) < 3 and time.monotonic() < deadline and process.poll() is None:
            time.sleep(0.01)
        below = children(process.pid)
        process.send_signal(number)
        _, said = process.communicate(timeout=100)
    assert process.returncode == 128 + number
    assert b"the same command resumes it" in said
    assert b"Traceback" not in said
    while any(map(alive, below)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(alive, below))
    assert call("run", finished / "recipe.yaml", "--out", out, "--inline")[0] == 0
    assert digests(out) == digests(finished / "out")


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
