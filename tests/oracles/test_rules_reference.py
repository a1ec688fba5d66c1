"""Each rule set against its plain Python form: the same first reason on invented and on real documents."""

from __future__ import annotations

import random
import zipfile
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpucurate.device import pick
from gpucurate.steps.rules import Rules, RulesConfig
from gpucurate.steps.rules.sets import RULE_SETS
from tests.oracles import rules_reference as reference
from tests.oracles.text_features_reference import stripped

PIECES = (
    *"ab .!?'\"()[]{\n…。-•#\u2003",
    *("[1]", "[]", "[12][3]", "[edit]", "[citation needed]", " [1] ", "the ", "to be ", "of that ", "   \n", "中文。"),
    *("javascript", "JavaScript ", "Lorem Ipsum ", "privacy Policy ", "uses cookies ", "Terms of Use\n", "\n\n", "..."),
    *("one two three ", "End of it. ", "Yes! ", "x" * 1001, "A line that is long enough to be a line.\n", "- item\n"),
)
documents = st.lists(st.sampled_from(PIECES), max_size=60).map("".join)


def judge(rule_set: str, texts: list[str]) -> list[str | None]:
    step = Rules(RulesConfig.model_validate({rule_set: {}}), pick("cpu"))
    table = pa.table({"text": pa.array(texts, pa.large_string())})
    verdicts = step.judge(table, step.measure(table).signals)
    return [step.reasons[v - 1].code if v else None for v in verdicts.tolist()]


def prose(seed: int) -> list[str]:
    """Documents of random words, lines and repeats that fail each rule somewhere."""
    chance = random.Random(seed)
    vocabulary = [
        "the",
        "to",
        "and",
        "of",
        "house",
        "river",
        "gone",
        "a",
        "extraordinarily",
        "42",
        "#",
        "...",
        "x-y",
        "No.",
    ]
    texts = []
    for _ in range(150):
        chosen = chance.sample(vocabulary, chance.randrange(2, len(vocabulary)))
        lines = []
        for _ in range(chance.randrange(1, 14)):
            words = [chance.choice(chosen) for _ in range(chance.randrange(1, 40))]
            lines.append(
                chance.choice(("", "", "", "- ")) + " ".join(words) + chance.choice((".", ".", "", "...", "!"))
            )
        lines += chance.choices(lines, k=chance.choice((0, 0, 1, 5)))
        texts.append(chance.choice(("\n", "\n\n")).join(lines))
    return texts


@pytest.mark.parametrize("rule_set", list(RULE_SETS))
@given(texts=st.lists(documents, max_size=4))
@settings(max_examples=120, deadline=None)
def test_invented_documents(rule_set: str, texts: list[str]) -> None:
    assert judge(rule_set, texts) == [getattr(reference, rule_set)(text) for text in texts]


@pytest.mark.parametrize("rule_set", list(RULE_SETS))
def test_random_prose(rule_set: str) -> None:
    texts = prose(3)
    found = judge(rule_set, texts)
    assert found == [getattr(reference, rule_set)(text) for text in texts]
    assert len(set(found)) > 1  # it tells documents apart


@pytest.mark.parametrize("rule_set", list(RULE_SETS))
def test_real_documents(rule_set: str, real_data: Path) -> None:
    texts = []
    with zipfile.ZipFile(real_data / "books" / "webtext.zip") as books:
        for name in books.namelist():
            text = books.read(name).decode("latin-1").replace("\r\n", "\n")
            texts += [text[at : at + 2_500] for at in range(0, min(len(text), 100_000), 2_500)]
    with zipfile.ZipFile(real_data / "books" / "udhr2.zip") as books:
        texts += [books.read(name).decode()[:1_500] for name in books.namelist()[1:400:9] if name.endswith(".txt")]
    assert len(texts) > 150
    assert judge(rule_set, texts) == [getattr(reference, rule_set)(text) for text in texts]


@given(text=documents, terminal=st.booleans())
@settings(max_examples=400, deadline=None)
def test_line_removal_leaves_what_the_plain_walk_keeps(text: str, terminal: bool) -> None:
    step = Rules(RulesConfig.model_validate({"c4": {"terminal_punctuation": terminal}}), pick("cpu"))
    measured = step.measure(pa.table({"text": pa.array([text], pa.large_string())}))
    assert measured.edit is not None
    measured.edit.text.validate(full=True)
    new = measured.edit.text.to_pylist()[0]
    pieces, at = [], 0
    for span in measured.edit.spans.to_pylist():
        assert at <= span["start"] < span["end"]
        pieces.append(text.encode()[at : span["start"]])
        at = span["end"]
    assert b"".join([*pieces, text.encode()[at:]]).decode() == (text if new is None else new)
    assert (new is None) == (measured.edit.spans.num_rows == 0)
    kept = text if new is None else new
    assert [stripped(line) for line in kept.split("\n") if stripped(line)] == reference.c4_text(text, terminal)
