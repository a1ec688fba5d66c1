"""`repeated_spans` by example: what goes, what stays, and what is said of it."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpucurate.core.errors import UserError
from gpucurate.core.text_buffers import TextBuffers
from gpucurate.device.backend import Windows
from gpucurate.device.cpu import CpuBackend
from gpucurate.steps.repeated_spans.config import Mode
from tests.oracles import repeated_spans_reference as reference
from tests.steps.repeated_spans.corpora import record_id, run, step, table
from tests.steps.stages import MemoryStages, answers

FIRST, SECOND, THIRD = (bytes([n]) * 16 for n in (1, 2, 3))
PASSAGE = "The quick brown fox jumps over the lazy dog."  # 9 words


def left(*texts: str, **how: Any) -> list[str]:
    """Documents in the order of their record ids."""
    made, _, _ = run([(bytes([n]) * 16, text) for n, text in enumerate(texts)], **how)
    return made


def test_all_but_the_first_by_record_id() -> None:
    documents = [(THIRD, f"c. {PASSAGE} C"), (FIRST, f"a {PASSAGE}"), (SECOND, f"{PASSAGE}\n\nB")]
    for cuts in ([], [1], [2], [1, 1, 2]):
        made, edits, _ = run(documents, cuts, words=9)
        assert made == ["c. C", f"a {PASSAGE}", "B"]
        findings = pa.concat_tables([edit.findings for edit in edits]).to_pylist()
        assert {f["first"] for f in findings} == {FIRST}
        assert [(f["start"], f["end"], f["occurrences"]) for f in findings] == [(3, 46, 3), (0, 43, 3)]
        kinds = {kind for edit in edits for kind in edit.spans["kind"].to_pylist()}
        assert kinds == {"repeated_spans.passages"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"Say: {PASSAGE} Then more.", "Say: Then more."),
        (f"Say: {PASSAGE}\nThen more.", "Say: \nThen more."),  # the line keeps its end
        (f"Say.\n{PASSAGE}\nThen more.", "Say.\nThen more."),  # a line of its own goes whole
        (f"Say.\n\n  {PASSAGE}\n\nThen more.", "Say.\n\n  Then more."),
        (f'"{PASSAGE}" (then)', '"(then)'),
        (f"{PASSAGE[:-1]}-like", "-like"),
        (f"\U0001f642{PASSAGE}\U0001f642", "\U0001f642.\U0001f642"),
        (f"e\u0301 {PASSAGE} e\u0301", "e\u0301 e\u0301"),
        (f"\u65e5\u672c {PASSAGE[:-1]}\u3002 \u8a9e", "\u65e5\u672c \u8a9e"),
        (f"b {PASSAGE.upper().replace(' ', '  ,')}!", "b "),  # case and punctuation do not matter
        ("a the quick brown fox jumps over the lazy", "a the quick brown fox jumps over the lazy"),  # 8 words
    ],
)
def test_where_the_cut_ends(text: str, expected: str) -> None:
    assert left(PASSAGE, text, words=9) == [PASSAGE, expected]


def test_within_one_document() -> None:
    assert left(f"{PASSAGE} And: {PASSAGE} Or: {PASSAGE}", words=9) == [f"{PASSAGE} And: Or: "]
    assert left("ha " * 20, words=6) == ["ha " * 6]  # places that overlap the first are not others
    assert left("tick tack " * 10, words=5) == ["tick tack " * 3]


def test_longer_repeats_and_their_parts() -> None:
    words = [f"w{n}" for n in range(60)]
    whole, half, tail = " ".join(words), " ".join(words[:30]), " ".join(words[10:])
    assert left(whole, half, tail, f"x {whole} y", words=20) == [whole, "", "", "x y"]
    assert left(half, tail, whole, words=20) == [half, " ".join(words[30:]), ""]


def test_every_document_identical_and_what_judge_says() -> None:
    parts = [table([(record_id(str(n)), PASSAGE) for n in range(k, k + 3)]) for k in (0, 3)]
    stages = MemoryStages(parts)
    made = step(words=3)
    said = answers(made, stages)
    verdicts = [made.judge(part, said.slice(3 * n, 3)) for n, part in enumerate(parts)]
    stays = min(range(6), key=lambda n: record_id(str(n)))
    assert np.concatenate(verdicts).tolist() == [int(n != stays) for n in range(6)]
    assert made.reasons[0].code == "repeated_spans.emptied"
    assert said["units"].to_pylist() == [None if n == stays else 9 for n in range(6)]


def test_boilerplate_is_cut_everywhere_and_the_rest_stays() -> None:
    rare = "one two three four five six seven eight nine"
    texts = [f"{n}. {PASSAGE} {rare if n < 2 else n}" for n in range(4)]
    assert left(*texts, words=9, boilerplate=3) == [f"{n}. {rare if n < 2 else n}" for n in range(4)]
    assert left(*texts, words=9, boilerplate=4) == texts
    assert left("ha " * 20, words=6, boilerplate=3) == ["ha " * 20]  # three places apart from each other
    assert left("ha " * 20, words=6, boilerplate=2) == [""]


def test_three_sentences() -> None:
    """C4: any three sentences in a row that occur again."""
    text = "One. Two! Three? Four."
    assert left(text, "Zero. One. Two! Three? Five.", mode="c4_sentences") == [text, "Zero. Five."]
    assert left(text, "One. Two! Three? Four.", mode="c4_sentences") == [text, ""]
    assert left(text, "One. Two!", mode="c4_sentences") == [text, "One. Two!"]
    assert left(text, "one. Two! Three?", mode="c4_sentences") == [text, "one. Two! Three?"]  # byte for byte


def test_lines_and_paragraphs() -> None:
    menu = "Home | News | Sport | About us | Contact | Terms | Privacy | Help | Search | Login"
    assert left(f"a\n{menu}\nb", f"c\n {menu} \nd\n{menu}", mode="lines") == [f"a\n{menu}\nb", "c\n d\n"]
    assert left("}\n}", "}", mode="lines") == ["}\n}", "}"]  # fewer than 10 words
    assert left("}\nx\n}", "}", mode="lines", words=1) == ["}\nx\n}", "}"]  # no word at all
    two = "one two three\nfour five six"
    assert left(f"{two}\n\nx", f"y\n\n{two}\n\nz", mode="paragraphs", words=6) == [f"{two}\n\nx", "y\n\nz"]


@pytest.mark.parametrize("mode", list(Mode))
def test_nothing_to_compare(mode: Mode) -> None:
    for texts in ([], [""], ["", " \n ", "..."], ["a", "b"]):
        assert left(*texts, mode=mode) == texts
    parts = [table([(FIRST, PASSAGE)]).slice(0, 0), table([(FIRST, f"{PASSAGE}\n\n" * 3)])]
    stages = MemoryStages(parts, [np.zeros(0, np.int64), np.arange(1)])
    said = answers(step(mode=mode, words=1), stages)
    assert said.num_rows == 1
    step(mode=mode).warm()


def test_survivors_only() -> None:
    parts = [table([(FIRST, PASSAGE), (SECOND, PASSAGE)]), table([(THIRD, PASSAGE)])]
    said = answers(step(words=9), MemoryStages(parts, [np.array([1]), np.array([0])]))
    assert said["repeated_units"].to_pylist() == [None, None, 9]


def test_ten_megabytes() -> None:
    """One document; a passage in its middle is also at its end and in another one."""
    chance = random.Random(1)
    words = [f"{chance.getrandbits(40):x}" for _ in range(950_000)]
    passage = " ".join(words[400_000:400_100])
    text = " ".join([*words, passage])
    assert len(text) > 10_000_000
    made = left("x", text, f"y {passage} z")
    assert made == ["x", " ".join(words) + " ", "y z"]


class Weak(CpuBackend):
    """Windows with the same four bits for a hash are taken for equal until they are compared."""

    def sampled_windows(self, texts: TextBuffers, window: int, span: int) -> Windows:
        made = super().sampled_windows(texts, window, span)
        return Windows(made.offsets, made.positions, made.hashes >> np.uint64(60))


@settings(max_examples=100)
@given(st.lists(st.text("ab \n", max_size=60), min_size=1, max_size=5), st.integers(2, 4))
def test_equal_hashes_cut_nothing_that_is_not_equal(texts: list[str], words: int) -> None:
    documents = [(record_id(str(n)), text) for n, text in enumerate(texts)]
    _, _, stages = run(documents, backend=Weak(), words=words)
    expected = reference.gone_units(documents, "passages", words, words, None)
    for row in stages.tables["passages-0"].to_pylist():
        for passage in row["passages"]:
            assert set(range(passage["from"], passage["to"])) <= expected[row["node"]]


def test_remarks() -> None:
    assert step().remarks() == step(words=13).remarks() == step(mode="lines", words=1).remarks() == []
    (said,) = step(words=5).remarks()
    assert "runs of 5 words repeat in ordinary speech" in said


def test_too_many_documents() -> None:
    with pytest.raises(UserError, match=r"repeated_spans compares at most 4,294,967,296 documents.* Remedy: "):
        step().compare(SimpleNamespace(starts=np.array([0, 1 << 32])))  # type: ignore[arg-type]
