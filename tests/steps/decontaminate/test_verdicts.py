"""What becomes of documents: drop, remove with a margin, flag; and corpora that are hard to judge."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa

from gpucurate.core.text_buffers import text_buffers
from gpucurate.steps.contract import Edit
from gpucurate.steps.decontaminate import Decontaminate
from tests.steps.decontaminate.registries import register, sentence, step
from tests.steps.near_duplicates.corpora import table
from tests.steps.stages import MemoryStages, answers, edits

CODES = [None, *(reason.code.removeprefix("decontaminate.") for reason in Decontaminate.reasons)]


def decided(made: Decontaminate, corpus: list[str]) -> tuple[list[str | None], pa.Table, Edit]:
    """Reasons without their room, signals, and the edit of a corpus of one part."""
    documents = table(corpus)
    said = answers(made, MemoryStages([documents]))
    reasons = [CODES[v] for v in made.judge(documents.drop_columns(["text"]), said).tolist()]
    return reasons, said, edits(made, MemoryStages([documents]))[0]


def undone(text: str, spans: list[dict[str, Any]], original: str) -> str:
    """The text before an edit, from its spans and what they took."""
    raw = bytearray(text.encode())
    for span in spans:
        raw[span["start"] : span["start"]] = original.encode()[span["start"] : span["end"]]
    return raw.decode()


def test_short_items(tmp_path: Path) -> None:
    """Three words are not protected, and said to be; five are flagged whole; eight count."""
    items = ["who was first", "five words are only flagged", "these are exactly eight words of one question", "", "!?"]
    made = step(register(tmp_path, [*items, "five words are only flagged"]))
    states = [(row[3], row[4]) for row in made._collection.rows]
    assert states == [
        ("too_short", 3),
        ("flagged_only", 5),
        ("protected", 8),
        ("empty", 0),
        ("empty", 0),
        ("duplicate", 5),
    ]
    reasons, said, edit = decided(made, [*items[:3], "five words are flagged only", f"so {items[1]}", items[2][:-3]])
    assert reasons == [None, None, "item", None, None, None]
    assert said["action"].to_pylist() == [None, "flag", "drop", None, "flag", None]
    assert edit.text.null_count == 6
    assert edit.findings is not None
    assert edit.restricted is not None
    assert edit.restricted["text"].to_pylist() == [items[1], items[2], items[1]]


def test_remove_cuts_with_a_margin_at_words_and_is_reversible(tmp_path: Path) -> None:
    rng = random.Random(1)
    items = [sentence(rng, 30), sentence(rng, 40)]
    registry = register(tmp_path, items, verdict="remove")
    around = "é«日»🙂 a\u0301b"
    corpus = [
        f"{sentence(rng, 50)} {around} “{items[0]}” {around}. {sentence(rng, 50)}",
        f"(({items[0]}))",  # nothing would be left
        f"{items[0]} 🙂 {items[1]} {sentence(rng, 60)} {items[0]} {sentence(rng, 200)}",
        sentence(rng, 100),
        "",
        f"{sentence(rng, 3)} {items[1].upper()}\n{sentence(rng, 3)}",  # the margin takes all
    ]
    reasons, said, edit = decided(step(registry, margin=4), corpus)
    assert reasons == [None, "emptied", None, None, None, "emptied"]
    spans = edit.spans.to_pylist()
    for row, (before, after) in enumerate(zip(corpus, edit.text.to_pylist(), strict=True)):
        if after is None:
            assert row in (3, 4)
            continue
        mine = [span for span in spans if span["row"] == row]
        assert all(item.lower() not in after.lower() for item in items)
        assert undone(after, mine, before) == before
    first = edit.text[0].as_py()
    assert first == corpus[0].replace(f"{around} “{items[0]}” {around}", "")  # four words on each side
    assert edit.text[1].as_py() == ""
    assert [len([s for s in spans if s["row"] == row]) for row in (0, 1, 2, 5)] == [1, 1, 2, 1]
    assert said["emptied"].to_pylist() == [False, True, False, None, None, True]
    assert decided(step(registry, margin=2), corpus[5:])[0] == [None]
    bare, _, cut = decided(step(registry, margin=0), corpus)
    assert bare == [None, "emptied", None, None, None, None]
    assert cut.text[0].as_py() == corpus[0].replace(items[0], "")


def test_runs_bridge_a_changed_word(tmp_path: Path) -> None:
    rng = random.Random(2)
    words = sentence(rng, 60).split()
    changed = [*words[:30], "instead", *words[31:]]
    _, said, edit = decided(step(register(tmp_path, [" ".join(words)]), verdict="flag"), [" ".join(changed)])
    assert said["action"].to_pylist() == ["flag"]
    assert edit.findings is not None
    (run,) = edit.findings.to_pylist()
    assert (run["start"], run["end"]) == (0, len(" ".join(changed)))
    assert (run["matched"], run["grams"]) == (48 - 13, 48)
    assert said["containment"][0].as_py() == 35 / 48


def test_touching_items_are_two_findings(tmp_path: Path) -> None:
    rng = random.Random(3)
    items = [sentence(rng, 30), sentence(rng, 30)]
    reasons, said, edit = decided(step(register(tmp_path, items)), [" ".join(items)])
    assert reasons == ["item"]
    assert said["items"].to_pylist() == [2]
    assert edit.restricted is not None
    assert edit.restricted["text"].to_pylist() == items


def test_a_benchmarks_own_settings_win(tmp_path: Path) -> None:
    rng = random.Random(4)
    item = sentence(rng, 40)
    half = " ".join(item.split()[:24])  # 12 of 28 grams of 13 words
    for settings, expected in (
        ({}, "drop"),
        ({"verdict": "flag"}, "flag"),
        ({"threshold": 0.5}, None),
        ({"n": 20}, None),  # 5 of 21 grams of 20 words
        ({"n": 20, "threshold": 0.2}, "drop"),
    ):
        made = step(register(tmp_path, [item], **settings))
        assert decided(made, [half])[1]["action"].to_pylist() == [expected], settings


def test_a_public_passage_that_an_item_quotes(tmp_path: Path) -> None:
    """Documents with the passage stay once there are enough of them; the leaked item goes with or without it."""
    rng = random.Random(5)
    passage, question = sentence(rng, 60), sentence(rng, 30)
    made = step(register(tmp_path, [f"{passage} {question}"]), common=3)
    quoting = [f"{sentence(rng, 20)} {passage} {sentence(rng, 20)}" for _ in range(4)]
    leaks = [f"{passage} {question}", f"exam: {question}"]
    reasons, said, _ = decided(made, [*quoting, *leaks])
    assert reasons == [None] * 4 + ["item"] * 2
    # Grams of the question and those over its border are left: 90 - 12 - 48.
    assert said["found"][4].as_py()[0]["grams"] == 30
    # Three documents do not make it common; and the question alone is 18 of 78 grams.
    assert decided(made, [*quoting[:3], *leaks])[0] == ["item"] * 4 + [None]


def test_many_copies_of_a_leak_are_no_common_speech(tmp_path: Path) -> None:
    rng = random.Random(6)
    items = [sentence(rng, 50), sentence(rng, 50)]
    made = step(register(tmp_path, items), common=2)
    assert decided(made, [items[0]] * 40)[0] == ["item"] * 40  # every document identical
    whole = "\n".join(items)
    assert decided(made, [whole, *(f"{whole} {n}" for n in range(20))])[0] == ["item"] * 21


def test_a_licence_in_an_item_is_common(tmp_path: Path) -> None:
    rng = random.Random(7)
    licence = sentence(rng, 40)
    made = step(register(tmp_path, [f"{licence} {sentence(rng, 20)}" for _ in range(3)]))
    corpus = [f"{licence} {sentence(rng, 100)}" for _ in range(11)]
    assert decided(made, corpus)[0] == [None] * 11
    assert decided(made, corpus[:10])[0] == ["item"] * 10  # ten documents may hold a gram


def test_a_corpus_that_contains_the_benchmark_and_its_registry(tmp_path: Path) -> None:
    rng = random.Random(8)
    items = [sentence(rng, rng.randint(8, 60)) for _ in range(300)]
    path = register(tmp_path, items)
    corpus = [(tmp_path / "exam.jsonl").read_text(), path.read_text(), sentence(rng, 500)]
    reasons, said, edit = decided(step(path), corpus)
    assert reasons == ["item", None, None]  # a registry file holds nothing of its benchmark
    assert said["items"].to_pylist() == [300, None, None]
    assert edit.findings is not None
    assert set(edit.findings["item"].to_pylist()) == {row[1] for row in step(path)._collection.rows}


def test_nothing_to_find(tmp_path: Path) -> None:
    for items in ([], ["a b c"], [""]):
        made = step(register(tmp_path, items))
        assert decided(made, ["a b c", "", "some other words here"])[0] == [None] * 3
    assert decided(step(register(tmp_path, ["one two three four five six seven eight"])), [])[0] == []


def test_text_of_ten_megabytes(tmp_path: Path) -> None:
    rng = random.Random(9)
    item = sentence(rng, 40)
    text = f"{'the quick brown fox ' * 250_000}{item} {'jumps over the lazy dog ' * 210_000}"
    _, _, edit = decided(step(register(tmp_path, [item]), verdict="remove", margin=1), [text])
    after = edit.text[0].as_py()
    assert len(text) - len(after) == len(f"fox {item} jumps")
    assert len(text_buffers(edit.text).data) == len(after)
