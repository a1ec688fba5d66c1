from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pyarrow.parquet as pq

from gpucurate.recipe.load import parse_recipe
from gpucurate.run.driver import Cluster, run
from gpucurate.run.progress import PlainProgress
from gpucurate.run.vocabulary import VOCABULARY
from gpucurate.sources.fetch.ledger import Entry, Ledger


def retrieved(root: Path, out: str, **source: object) -> object:
    recipe = {"name": "r", "sources": [{"jsonl": {"path": str(root / "crawl"), **source}}], "steps": []}
    run(parse_recipe(recipe, VOCABULARY), root / out, Cluster(inline=True), "cpu", PlainProgress())
    return pq.read_table(next((root / out).glob("parts/*/documents@*")))["retrieved"].to_pylist()


def test_fetched_files_carry_the_time_of_their_ledger(tmp_path: Path) -> None:
    path = tmp_path / "crawl" / "2026" / "a.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"text": "a"}) + "\n")
    assert retrieved(tmp_path, "without") == [None]
    entry = Entry(
        "2026/a.jsonl", "https://example.org/a.jsonl", path.stat().st_size, "2026-03-01T10:00:00+00:00", "length", None
    )
    Ledger(tmp_path / "crawl").add(entry)
    assert retrieved(tmp_path, "fetched") == [datetime(2026, 3, 1, 10, tzinfo=UTC)]
    assert retrieved(tmp_path, "stated", retrieved="2025-01-01T00:00:00Z") == [datetime(2025, 1, 1, tzinfo=UTC)]
    path.write_text(json.dumps({"text": "changed since"}) + "\n")
    assert retrieved(tmp_path, "changed") == [None]
