"""Whole runs over texts, and indexes of what they kept."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from gpucurate.recipe.load import parse_recipe
from gpucurate.run.driver import Cluster, run
from gpucurate.run.executors import executor
from gpucurate.run.indexing import write_index
from gpucurate.run.progress import PlainProgress
from gpucurate.run.state import open_finished
from gpucurate.run.vocabulary import VOCABULARY


def recipe(name: str, path: Path, steps: Sequence[object]) -> dict[str, object]:
    return {"name": name, "sources": [{"name": "pages", "jsonl": {"path": str(path)}}], "steps": list(steps)}


def curate(name: str, root: Path, texts: Sequence[str], steps: Sequence[object]) -> Path:
    """The output directory; the document of text n has the address `name/n`."""
    source = root / f"{name}.jsonl"
    source.write_text("".join(json.dumps({"url": f"{name}/{n}", "text": t}) + "\n" for n, t in enumerate(texts)))
    parsed = parse_recipe(recipe(name, source, steps), VOCABULARY)
    run(parsed, root / f"{name}-out", Cluster(inline=True), "cpu", PlainProgress())
    return root / f"{name}-out"


def index(out: Path, folder: Path, exact: bool = True) -> int:
    """Write the index of a run; how many documents it holds."""
    with executor(inline=True, workers=None, scheduler=None) as execute:
        return write_index(*open_finished(out), folder, exact, execute, PlainProgress())
