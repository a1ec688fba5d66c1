"""configs/commoncrawl-warc.yaml on real archives, and on a small snapshot whose pages were planted by kind."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow as pa
import pytest

from gpucurate.recipe.load import load_recipe
from gpucurate.report.funnel import funnel_data
from gpucurate.report.verify import verify
from gpucurate.run.driver import Cluster, run
from gpucurate.run.progress import PlainProgress
from gpucurate.run.state import open_finished
from gpucurate.run.vocabulary import VOCABULARY
from gpucurate.store.artifacts import Artifact, read_table
from tests.invariants.corpus import digests
from tests.invariants.test_same_bytes import kill

REPOSITORY = Path(__file__).parents[2]
CONFIG = REPOSITORY / "configs" / "commoncrawl-warc.yaml"
PAGES = 240
SOUND = ("aut/warc/example.warc.gz", "dolma/warc/*.warc.gz", "whirlwind/whirlwind.warc.gz")
DAMAGED = (
    "pywb/warcs/bad.arc",
    "resiliparse/clipped.warc.gz",
    "aut/arc/badexample.arc.gz",
    "warcio/example-trunc.warc",
)


@dataclass(frozen=True)
class Snapshot:
    """A planted snapshot and what an undisturbed run made of it."""

    folder: Path
    counts: Counter[str]
    out: Path


def module(name: str) -> ModuleType:
    """A script of benchmarks/, which is no package."""
    spec = importlib.util.spec_from_file_location(name, REPOSITORY / "benchmarks" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[name] = loaded  # its dataclasses look themselves up
    spec.loader.exec_module(loaded)
    return loaded


def curate(paths: list[str], out: Path) -> dict[str, Any]:
    """The funnel of an inline run."""
    recipe = load_recipe(CONFIG, VOCABULARY, [f"sources.0.warc.path={json.dumps(paths)}"])
    run(recipe, out, Cluster(inline=True), "cpu", PlainProgress())
    context, state = open_finished(out)
    assert verify(context, state) == []
    return funnel_data(context.directory)


def fates(out: Path) -> pa.Table:
    """uri, text and reason (null for what stays) of every document."""
    context, state = open_finished(out)
    tables = []
    for settled in state.parts:
        documents = read_table(settled.part.artifact(context.directory.root), ["uri", "text"])
        decisions = read_table(Artifact.at(context.directory.root / settled.decisions), ["reason"])
        tables.append(documents.append_column("reason", decisions["reason"].cast(pa.string())))
    return pa.concat_tables(tables)


@pytest.fixture(scope="module")
def snapshot(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    made, root = module("snapshot"), tmp_path_factory.mktemp("snapshot")
    made.BROKEN_EVERY = PAGES // 2
    counts = made.write_snapshot(root / "crawl", made.gather(real_data), PAGES, 2, seed=3)
    curate([str(root / "crawl" / "*.warc.gz")], root / "out")
    return Snapshot(root / "crawl", counts, root / "out")


def test_real_archives_sound_and_damaged(real_data: Path, tmp_path: Path) -> None:
    funnel = curate([str(real_data / "warc" / name) for name in (*SOUND, *DAMAGED)], tmp_path / "out")
    read, last = funnel["steps"][0], funnel["steps"][-1]
    lost = sum(tally["documents"] for tally in read["quarantined"].values())
    dropped = sum(tally["documents"] for tally in read["dropped"].values())
    assert read["in"]["documents"] == read["kept"]["documents"] + dropped + lost
    assert {name: tally["documents"] for name, tally in read["quarantined"].items()} == {
        "warc.damaged": 6,
        "warc.not_http": 1,
    }
    assert read["kept"]["documents"] == 93 + 37 + 1 + 1
    assert [step["name"] for step in funnel["steps"]] == [
        "read",
        "urls",
        "normalize",
        "language",
        "rules",
        "exact_duplicates",
        "near_duplicates",
        "pii",
    ]
    assert 10 < last["kept"]["documents"] < 60


def test_every_planted_page_is_accounted_for_by_its_kind(snapshot: Snapshot) -> None:
    planted = [json.loads(line) for line in (snapshot.folder / "planted.jsonl").read_text().splitlines()]
    kinds = {row["url"]: row["kind"] for row in planted}
    assert (
        len(kinds) == PAGES == sum(snapshot.counts.values()) - snapshot.counts["bytes"] - 1
    )  # the cut end of the file
    context, _ = open_finished(snapshot.out)
    read = funnel_data(context.directory)["steps"][0]
    dropped = {name: tally["documents"] for name, tally in read["dropped"].items()}
    assert dropped["warc.http_status"] == snapshot.counts["status"] > 0
    assert dropped["warc.not_html"] == snapshot.counts["not_html"] > 0
    assert read["quarantined"]["warc.damaged"]["documents"] >= snapshot.counts["damaged"] == 3
    by_kind: dict[str, Counter[str | None]] = defaultdict(Counter)
    for row in fates(snapshot.out).to_pylist():
        by_kind[kinds[row["uri"]]][row["reason"]] += 1
    pages = {kind: counts.total() for kind, counts in by_kind.items()}
    lost = dropped["warc.http_status"] + dropped["warc.not_html"] + dropped.get("html.empty", 0) + 2
    assert sum(pages.values()) == PAGES - lost
    assert "damaged" not in pages
    assert by_kind["other_language"][None] == 0
    assert by_kind["lorem"][None] == 0
    assert by_kind["own"][None] > pages["own"] / 3
    assert by_kind["own"][None] > by_kind["exact_copy"][None] + by_kind["near_copy"][None]


def test_of_copies_at_most_one_stays(snapshot: Snapshot) -> None:
    rows = fates(snapshot.out).to_pylist()
    reason = {row["uri"]: row["reason"] for row in rows}
    planted = [json.loads(line) for line in (snapshot.folder / "planted.jsonl").read_text().splitlines()]
    copies = [
        row for row in planted if row["kind"] == "exact_copy" and row["url"] in reason and row["copy_of"] in reason
    ]
    assert len(copies) >= 5
    for row in copies:
        assert reason[row["url"]] is not None or reason[row["copy_of"]] is not None
    text = {row["uri"]: row["text"] for row in rows}
    assert all(text[row["url"]] == text[row["copy_of"]] for row in copies)  # in whatever charset and packing


def test_pages_are_decoded_whatever_their_charset_and_packing(snapshot: Snapshot) -> None:
    texts = fates(snapshot.out)["text"].to_pylist()
    assert any("人" in text for text in texts)
    assert any("права" in text or "право" in text for text in texts)
    damaged = [text for text in texts if text.count("\ufffd") > 2]
    assert len(damaged) <= 2


def test_workers_and_kill_nine_do_not_show(snapshot: Snapshot, tmp_path: Path) -> None:
    """Killed with two workers after the first parts were read, ended with two: the bytes of one process."""
    out = tmp_path / "out"
    command = [sys.executable, "-c", "from gpucurate.cli import main; main()", "run", str(CONFIG), "--out", str(out)]
    command += ["--workers", "2", "--set", f"sources.0.warc.path={snapshot.folder / '*.warc.gz'}"]
    kill(command, lambda: any(out.glob("parts/*/documents@*")))
    assert not (out / "report" / "state.json").exists()
    kill(command, lambda: False)
    assert digests(out) == digests(snapshot.out)
