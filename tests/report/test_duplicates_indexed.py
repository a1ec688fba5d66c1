"""The audit of a run against an index: the older document is named, its text is not here."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest
from rich.console import Console

from gpucurate.report.duplicates import audit, print_audit
from gpucurate.run.state import open_finished
from tests.steps.near_duplicates.corpora import edited, words
from tests.steps.near_duplicates.runs import curate, index

WIDE = {"bands": 60, "rows": 3}  # finds pairs far below the threshold


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """Against two older corpora: of three documents two are like 3 and 4 of the second, one shares half with its 5."""
    rng = random.Random(2)
    older = [words(rng, 150) for _ in range(6)]
    indexes = []
    for name, texts in (("first", older[:2]), ("second", older)):
        run = curate(name, tmp_path, [" ".join(each) for each in texts], [{"near_duplicates": WIDE}])
        index(run, tmp_path / f"{name}-index")
        indexes.append(str(tmp_path / f"{name}-index"))
        shutil.rmtree(run)
    fresh = [edited(rng, older[3], 1), edited(rng, older[4], 1), [*older[5][:110], *words(rng, 40)]]
    return curate(
        "new", tmp_path, [" ".join(each) for each in fresh], [{"near_duplicates": {**WIDE, "against": indexes}}]
    )


def test_older_documents_are_named(out: Path) -> None:
    found = audit(*open_finished(out), 5)
    assert (found.removed, found.removed_for_indexed) == (2, 2)
    assert {(pair.first.uri, pair.second.uri) for pair in found.largest} == {
        ("second/3", "new/0"),
        ("second/4", "new/1"),
    }
    assert [{pair.first.uri, pair.second.uri} for pair in found.refused] == [{"second/5", "new/2"}]
    assert all(pair.first.text == "" and pair.second.text for pair in found.largest)
    console = Console(record=True, width=200)
    print_audit(found, console, 60)
    said = console.export_text()
    assert "2 for documents of an older corpus" in said
    assert "the text of an older corpus is not here" in said
