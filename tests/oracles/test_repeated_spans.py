"""`repeated_spans` against the dictionary of all windows, on small texts with much repetition."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpucurate.steps import comparison
from gpucurate.steps.repeated_spans import places, step
from tests.oracles import repeated_spans_reference as reference
from tests.steps.repeated_spans.corpora import record_id, run, shuffled

WORDS = ["a", "b", "B", "é", "\u65e5", "\U0001f642", "e\u0301"]
GLUE = [" ", " ", " ", " ", "\n", "\n\n", ". ", ".\n", "-", " (", ', "', "\u3002"]
texts = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(GLUE)), max_size=40).map(
    lambda pairs: "".join(word + glue for word, glue in pairs)
)
corpora = st.lists(texts, min_size=1, max_size=6)


def numbered(corpus: list[str]) -> list[tuple[bytes, str]]:
    return [(record_id(f"{n}"), text) for n, text in enumerate(corpus)]


def check(corpus: list[str], units: int, least: int, cuts: list[int], **how: Any) -> list[str]:
    documents = numbered(corpus)
    mode = how["mode"]
    gone = reference.gone_units(documents, mode, units, least, how.get("boilerplate"))
    expected = [reference.left(text, mode, units) for (_, text), units in zip(documents, gone, strict=True)]
    made, _, stages = run(documents, cuts, **how)
    assert made == expected
    said = {}
    for name, table in stages.tables.items():
        if name.startswith("passages"):
            said.update({row["node"]: row for row in table.to_pylist()})
    assert {node: row["repeated_units"] for node, row in said.items()} == {d: len(g) for d, g in enumerate(gone) if g}
    assert all(row["units"] == len(reference.UNITS[mode](corpus[node])) for node, row in said.items())
    return made


@settings(max_examples=200)
@given(corpora, st.integers(1, 6), st.sampled_from([None, 1, 2]), st.integers(0, 6))
def test_passages(corpus: list[str], words: int, boilerplate: int | None, cut: int) -> None:
    check(corpus, words, words, [min(cut, len(corpus))], mode="passages", words=words, boilerplate=boilerplate)


@settings(max_examples=90)
@given(corpora, st.sampled_from(["c4_sentences", "lines", "paragraphs"]), st.integers(1, 3), st.sampled_from([None, 1]))
def test_other_modes(corpus: list[str], mode: str, words: int, boilerplate: int | None) -> None:
    units = 3 if mode == "c4_sentences" else 1
    check(corpus, units, words, [], mode=mode, words=words, boilerplate=boilerplate)


@settings(max_examples=50)
@given(corpora, st.integers(2, 4), st.integers(0, 99), st.lists(st.integers(0, 6), max_size=3))
def test_order_and_parts_do_not_matter(corpus: list[str], words: int, seed: int, cuts: list[int]) -> None:
    documents = numbered(corpus)
    one, edits, _ = run(documents, words=words)
    order = shuffled(documents, seed)
    inside = sorted(min(cut, len(corpus)) for cut in cuts)
    other, other_edits, _ = run([documents[i] for i in order], inside, words=words)
    assert [other[order.index(i)] for i in range(len(order))] == one
    assert sum(e.findings.num_rows for e in edits) == sum(e.findings.num_rows for e in other_edits)  # type: ignore[union-attr]


@pytest.mark.parametrize("mode", list(reference.UNITS))
def test_every_document_identical(mode: str) -> None:
    text = "One two. Three four! Five six?\n\nSeven \u65e5\u672c\u3002\n" * 2
    made = check(
        [text] * 5,
        3 if mode == "c4_sentences" else 3 if mode == "passages" else 1,
        1,
        [2],
        mode=mode,
        words=3 if mode == "passages" else 1,
    )
    assert sum(bool(left) for left in made) == 1


@pytest.mark.parametrize("mode", list(reference.UNITS))
def test_ranges_and_batches_do_not_show(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A few windows a range and a few words a batch, where in earnest it is millions."""
    monkeypatch.setattr(comparison, "ROWS_PER_RANGE", 5)
    monkeypatch.setattr(step, "WINDOWS_PER_RANGE", 5)
    monkeypatch.setattr(places, "BATCH_BYTES", 60)
    chance = random.Random(4)
    pieces = [" ".join(chance.choices(WORDS, k=8)) + chance.choice((".\n", "!\n\n", ". ")) for _ in range(5)]
    corpus = ["".join(chance.choices(pieces, k=chance.randrange(9))) for _ in range(30)]
    how = {"mode": mode, "words": 6 if mode == "passages" else 1}
    made = check(corpus, {"passages": 6, "c4_sentences": 3}.get(mode, 1), int(how["words"]), [7, 7, 20], **how)
    assert sum(len(text) for text in made) < sum(len(text) for text in corpus) * 4 // 5
    _, _, stages = run(numbered(corpus), [7, 7, 20], **how)
    assert {"gone-3", "passages-1"} <= set(stages.tables)
