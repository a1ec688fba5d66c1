"""`host_templates` by example: what goes, what stays, and what is said of it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from gpucurate.core.digests import digest16
from gpucurate.core.errors import UserError
from gpucurate.recipe.load import parse_recipe
from gpucurate.report.verify import verify
from gpucurate.run.driver import Cluster
from gpucurate.run.driver import run as run_recipe
from gpucurate.run.edit_tables import FINDINGS_TABLE
from gpucurate.run.progress import PlainProgress
from gpucurate.run.state import open_finished
from gpucurate.run.vocabulary import VOCABULARY
from gpucurate.steps.host_templates import lines
from gpucurate.store.artifacts import Artifact, read_table
from tests.steps.host_templates.corpora import Page, run, step, table
from tests.steps.stages import MemoryStages, answers

MENU, FOOTER = "Home | News | Sport", "\u00a9 2024 Example Ltd. All rights reserved."


def site(host: str, pages: int) -> list[Page]:
    story = "Story {n} of {host}.\nSaid once: {square}."
    return [
        (f"http://{host}/{n}", f"{MENU}\n\n{story.format(n=n, host=host, square=n * n)}\n\n{FOOTER}\n")
        for n in range(pages)
    ]


def test_menu_and_footer_go_and_stories_stay() -> None:
    pages = site("a.example", 4) + site("b.example", 3)
    left, edits, _ = run(pages, [2])
    assert left[:4] == [f"Story {n} of a.example.\nSaid once: {n * n}.\n\n" for n in range(4)]
    assert left[4:] == [text for _, text in pages[4:]]  # three pages are too few
    findings = pa.concat_tables([edit.findings for edit in edits]).to_pylist()
    assert {(f["pages"], f["host_pages"]) for f in findings} == {(4, 4)}
    found = [pages[0][1].encode()[f["start"] : f["end"]].decode() for f in findings if f["row"] == 0][:2]
    assert found == [MENU, FOOTER]
    assert set(edits[0].spans["kind"].to_pylist()) == {"host_templates"}


def test_a_line_counts_once_a_page_a_url_and_a_text() -> None:
    twice = [(uri, f"{text}{MENU}\n") for uri, text in site("a.example", 3)]
    assert run(twice)[0] == [text for _, text in twice]  # six times on three pages
    captures = [("http://a.example/", f"{MENU}\n{n}") for n in range(9)]
    assert run(captures)[0] == [text for _, text in captures]  # one URL
    copies = [(f"http://a.example/?session={n}", MENU) for n in range(9)]
    assert run(copies)[0] == [MENU] * 9  # one text
    assert run([*site("a.example", 3), ("http://www.a.example/3", f"{MENU.upper()}!\nx")])[0][3] == "x"  # one host


def test_share_of_the_host() -> None:
    pages = [(f"http://a.example/{n}", f"{MENU if n < 6 else ''}\nStory {n}.") for n in range(20)]
    assert run(pages, share=0.3)[0] == [f"Story {n}." if n < 6 else f"\nStory {n}." for n in range(20)]
    assert run(pages, share=0.31)[0] == [text for _, text in pages]


def test_what_is_kept_once_and_what_is_emptied() -> None:
    pages = [*site("a.example", 5), ("http://a.example/menu", f"{MENU}\n---\n{FOOTER}")]
    made = step()
    stages = MemoryStages([table(pages)])
    said = answers(made, stages)
    assert made.judge(stages.parts[0].meta, said).tolist() == [0, 0, 0, 0, 0, 1]
    assert said["template_lines"].to_pylist() == [2] * 6
    assert said["lines"].to_pylist() == [4] * 5 + [2]
    left, _, _ = run(pages, keep="first_id")
    assert sum(MENU in text for text in left) == 1
    assert [MENU in text for text in left] == [FOOTER in text for text in left]


def test_lines_without_words_and_documents_without_host_stay() -> None:
    code = [(f"http://a.example/{n}", f"f{n}() {{\n}}\n---\n| | |\n") for n in range(9)]
    assert run(code)[0] == [text for _, text in code]
    files = [(f"notes-{n}.jsonl#{n}", f"{MENU}\n{n}") for n in range(9)]
    assert run(files)[0] == [text for _, text in files]
    for pages in ([], [("", "")], [("http://[broken", MENU)] * 5, [("http://a.example", " \n")]):
        assert run(pages)[0] == [text for _, text in pages]
    ports = [(f"http://b.example{':81' if n < 2 else ':80'}/{n}", f"{MENU}\n{n}") for n in range(5)]
    assert run(ports, pages=3)[0] == [*(text for _, text in ports[:2]), "2", "3", "4"]


def test_half_a_digest_is_not_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines whose digests agree in their first half only are different lines."""
    monkeypatch.setattr(lines, "digest16", lambda payload: b"\x01" * 8 + digest16(payload)[8:])
    pages = [(f"http://a.example/{n}", f"{MENU}\nStory {n}.") for n in range(5)]
    assert run(pages, [2])[0] == [f"Story {n}." for n in range(5)]


def test_survivors_only_and_too_many() -> None:
    parts = [table(site("a.example", 5))]
    said = answers(step(), MemoryStages(parts, [np.array([0, 2, 4])]))
    assert said["lines"].null_count == 5
    stages = MemoryStages(parts)
    stages.starts = np.array([0, 1 << 32])
    with pytest.raises(UserError, match="host_templates compares at most 4,294,967,296 documents"):
        step().compare(stages)
    assert len(step(share=0.05).remarks()) == 1
    assert not step().remarks()
    step().warm()


def test_a_whole_run(tmp_path: Path) -> None:
    """Through the runner: the findings lie beside the parts, and every edit can be taken back."""
    folder = tmp_path / "in"
    folder.mkdir()
    for number, pages in enumerate((site("a.example", 5), [*site("a.example", 7)[5:], ("http://a.example/m", MENU)])):
        rows = [json.dumps({"url": uri, "text": text}) + "\n" for uri, text in pages]
        (folder / f"{number}.jsonl").write_text("".join(rows))
    recipe = {
        "name": "templates",
        "sources": [{"name": "web", "jsonl": {"path": str(folder)}}],
        "steps": ["host_templates"],
    }
    run_recipe(parse_recipe(recipe, VOCABULARY), tmp_path / "out", Cluster(inline=True), "cpu", PlainProgress())
    found = [read_table(Artifact.at(path)) for path in (tmp_path / "out").rglob(f"host_templates.{FINDINGS_TABLE}@*")]
    assert sum(table.num_rows for table in found) == 15
    context, state = open_finished(tmp_path / "out")[:2]
    assert verify(context, state) == []
