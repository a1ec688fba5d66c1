"""`host_templates` against the dictionary of all lines, for any order and any parts."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpucurate.steps import comparison
from gpucurate.steps.host_templates import step
from gpucurate.steps.repeated_spans import places
from tests.oracles import host_templates_reference as reference
from tests.steps.host_templates.corpora import Page, run

URIS = [
    *(f"http://a.example/{n}" for n in range(5)),
    "https://www.a.example/1#top",
    "http://A.example/2",
    "http://b.example/1",
    "http://b.example/1?2",
    "file.jsonl#3",
]
LINES = ["Home", "home.", " HOME \t| ", "About us", "\u65e5\u672c", "\U0001f642", "---", "", " ", "e\u0301t\u00e9"]
page = st.tuples(
    st.sampled_from(URIS), st.lists(st.sampled_from(LINES), max_size=6).map("\n".join) | st.text("aB .\n", max_size=9)
)
crawls = st.lists(page, min_size=1, max_size=12)


def check(crawl: list[Page], cuts: list[int], **how: Any) -> int:
    """How many lines go, once the step and the dictionary agree on them."""
    gone = reference.gone_lines(crawl, how["pages"], how["share"], how["keep"] == "first_id")
    left, edits, stages = run(crawl, cuts, **how)
    assert left == reference.texts_left(crawl, gone)
    said = [row for name, t in stages.tables.items() if name.startswith("templates") for row in t.to_pylist()]
    assert {row["node"]: {t["from"] for t in row["templates"]} for row in said} == {
        node: numbers for node, numbers in enumerate(gone) if numbers
    }
    assert sum(edit.findings.num_rows for edit in edits if edit.findings) == sum(map(len, gone))
    return sum(map(len, gone))


@settings(max_examples=120)
@given(
    crawls,
    st.integers(2, 4),
    st.sampled_from([0.01, 0.3, 0.5, 2 / 3, 1.0]),
    st.sampled_from(["nowhere", "first_id"]),
    st.lists(st.integers(0, 12), max_size=3),
)
def test_any_crawl(crawl: list[Page], least: int, share: float, keep: str, cuts: list[int]) -> None:
    check(crawl, sorted(min(cut, len(crawl)) for cut in cuts), pages=least, share=share, keep=keep)


@pytest.mark.parametrize("keep", ["nowhere", "first_id"])
def test_ranges_batches_and_order_do_not_show(keep: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A few lines a range and a few bytes a batch, where in earnest it is millions."""
    monkeypatch.setattr(comparison, "ROWS_PER_RANGE", 9)
    monkeypatch.setattr(step, "LINES_PER_RANGE", 9)
    monkeypatch.setattr(places, "BATCH_BYTES", 60)
    chance = random.Random(3)
    crawl = [
        (f"http://{chance.choice('abc')}.example/{n % 17}", "\n".join([*chance.sample(LINES, 4), f"Page {n}", "Help"]))
        for n in range(40)
    ]
    how = {"pages": 3, "share": 0.4, "keep": keep}
    assert check(crawl, [5, 5, 21], **how) > 50
    chance.shuffle(crawl)
    left, _, stages = run(crawl, [30], **how)
    assert {"gone-3", "templates-1", "counts-2"} <= set(stages.tables)
    assert run(crawl[::-1], [1], **how)[0][::-1] == left
