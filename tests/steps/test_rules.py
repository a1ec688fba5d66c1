"""The step `rules`: what is judged and what is only measured, edits and order, odd texts, user's mistakes."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pydantic import ValidationError

from gpucurate.core.errors import RecipeError
from gpucurate.core.reasons import check_unique
from gpucurate.device import pick
from gpucurate.steps.contract import SPANS
from gpucurate.steps.rules import Rules, RulesConfig
from gpucurate.steps.rules.sets import RULE_SETS

SENTENCE = "The old mill at the end of the road was sold to a painter, and that was the talk of the town. "
NOUNS = [
    "keeper",
    "lamp",
    "harbour",
    "rope",
    "mill",
    "road",
    "painter",
    "town",
    "boat",
    "letter",
    "window",
    "garden",
    "horse",
    "bridge",
    "winter",
    "song",
]
VERBS = [
    "carried",
    "found",
    "painted",
    "crossed",
    "watched",
    "opened",
    "closed",
    "moved",
    "sold",
    "lost",
    "mended",
    "followed",
    "counted",
    "drew",
]


def sentence(chance: random.Random) -> str:
    one, two, three, four = chance.sample(NOUNS, 4)
    verb, then = chance.sample(VERBS, 2)
    return f"One {one} {verb} the {two} and {then} that {three} with {four} number {chance.random():.5f}."


PROSE = "\n\n".join(sentence(random.Random(seed)) for seed in range(29))
ALL = {name: {} for name in RULE_SETS}


def make(**settings: object) -> Rules:
    return Rules(RulesConfig.model_validate(settings), pick("cpu"))


def table(*texts: str) -> pa.Table:
    return pa.table({"text": pa.array(texts, pa.large_string())})


def reason(text: str, **settings: object) -> str | None:
    step = make(**settings)
    documents = table(text)
    verdict = int(step.judge(documents.drop_columns("text"), step.measure(documents).signals)[0])
    return step.reasons[verdict - 1].code if verdict else None


def test_reasons_are_unique_and_say_where_they_come_from() -> None:
    assert len(check_unique(Rules.reasons)) == len(Rules.reasons) == 39
    assert all(reason.origin and reason.meaning for reason in Rules.reasons)


def test_prose_passes_every_set() -> None:
    assert reason(PROSE, **ALL) is None


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "gopher.short"),
        ("\n\n", "gopher.short"),
        ("!!!", "gopher.short"),
        ("A few words only.", "gopher.short"),
        ("the and " * 50_001, "gopher.long"),
        (SENTENCE.replace(" ", " # ") * 4, "gopher.hash_ratio"),
        ("a b to of " * 30, "gopher.word_length"),
        (PROSE.replace(" ", "... "), "gopher.ellipsis_ratio"),
        ("\n".join("- " + line for line in PROSE.split("\n\n")), "gopher.bullet_lines"),
        (PROSE.replace(".", "..."), "gopher.ellipsis_lines"),
        ("1234 3456 the and 5678 7890 99 1111 " * 20, "gopher.letter_words"),
        (PROSE.upper(), "gopher.stop_words"),
    ],
)
def test_gopher_quality(text: str, code: str) -> None:
    assert reason(text, gopher_quality={}) == code


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("\n\n".join([SENTENCE] * 3), "gopher.duplicate_paragraphs"),
        (PROSE + "\n\n" + PROSE[:900].rpartition("\n\n")[0], "gopher.duplicate_paragraph_chars"),
        ("\n".join(f"{n}\nsee here" for n in range(9)), "gopher.duplicate_lines"),
        (" ".join(f"mostly harmless {n}" for n in range(30)), "gopher.top_2_gram"),
        ("\n\n".join(f"{PROSE[n * 97 : n * 97 + 20]}. {SENTENCE}{n}" for n in range(8)), "gopher.duplicate_5_gram"),
        ("", None),
        ("\n\n", None),
    ],
)
def test_gopher_repetition(text: str, code: str | None) -> None:
    settings = {f"top_{n}_gram": None for n in (3, 4)}
    assert reason(text, gopher_repetition=settings) == code


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "fineweb.empty"),
        ("no end of any sentence here at all\n" * 1, "fineweb.terminal_lines"),
        ("Short one.\nShort two.\nShort three.", "fineweb.short_lines"),
        (PROSE + "\n\n" + PROSE.rpartition("\n\n")[2], "fineweb.duplicate_line_chars"),
        ("It ends here.\n\n\n" * 1 + "Another line that is longer than thirty characters.", None),
        ("longwordsarejoinedhereforthistest.\n\nanotherlongwordisjoinedforthis.", "fineweb.newlines"),
    ],
)
def test_fineweb(text: str, code: str | None) -> None:
    assert reason(text, fineweb={}) == code


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (PROSE + "\n\nThen comes Lorem Ipsum dolor.", "c4.lorem_ipsum"),
        (PROSE + "\n\nif (x > 0) { return y; }", "c4.curly_bracket"),
        ("One line with words. Two. Three. Four.", "c4.few_sentences"),
        (PROSE, None),
    ],
)
def test_c4(text: str, code: str | None) -> None:
    assert reason(text, c4={}) == code


def test_a_page_without_lines_left() -> None:
    assert reason("menu\nhome", c4={"min_sentences": None}) == "c4.no_lines"


def test_what_c4_removes() -> None:
    text = (
        f"Menu\n\n{SENTENCE}[1][2] Ends [edit] here.\n\nEnable JavaScript now.\n\n{SENTENCE}\n"
        "Read our cookie policy now."
    )
    measured = make(c4={}).measure(table(text, PROSE))
    assert measured.edit is not None
    assert measured.edit.spans.schema == SPANS
    assert measured.edit.text.to_pylist() == [f"{SENTENCE.strip()} Ends here.\n\n{SENTENCE}", None]
    kinds = measured.edit.spans["kind"].to_pylist()
    assert [k for k in kinds if k != "c4.blank_line"] == [
        "c4.short_line", "c4.citation", "c4.citation", "c4.javascript", "c4.policy",
    ]  # fmt: skip


def test_terminal_punctuation_is_an_option() -> None:
    text = "This line just stops\nThis one says: “well done”\nThis one trails off...\n这是一个句子。 这是 第二。"
    kept = make(c4={"terminal_punctuation": True}).measure(table(text)).edit
    assert kept is not None
    assert kept.text.to_pylist() == ["This one says: “well done”\n这是一个句子。 这是 第二。"]
    assert make(c4={}).measure(table(text)).edit.text.to_pylist() == [None]  # type: ignore[union-attr]


def test_only_named_sets_are_judged_but_all_are_flagged() -> None:
    documents = table("!!!", PROSE)
    step = make(lesson={})
    signals = step.measure(documents).signals
    assert step.judge(documents, signals).tolist() == [step.reasons.index(_named(step, "lesson.short")) + 1, 0]
    with pytest.raises(ValidationError, match="no rule set is named"):
        make()
    flags = step.flags(signals)
    assert list(flags) == list(step.reasons)
    assert flags[_named(step, "gopher.short")].tolist() == [True, False]
    assert all(flag.dtype == np.bool_ and len(flag) == 2 for flag in flags.values())


def _named(step: Rules, code: str):  # type: ignore[no-untyped-def]
    return next(reason for reason in step.reasons if reason.code == code)


def test_without_c4_nothing_is_edited_and_fineweb_sees_the_whole_text() -> None:
    text = PROSE + "\n\nmenu\nmenu\nhome\nhome\nabout\nabout"
    plain, edited = make(fineweb={}), make(fineweb={}, c4={})
    assert plain.measure(table(text)).edit is None
    for step, lines in ((plain, 29 + 6), (edited, 29)):
        assert step.measure(table(text)).signals["edited_text_lines"].to_pylist() == [lines]
        assert step.measure(table(text)).signals["text_lines"].to_pylist() == [35]


def test_blank_lines_do_not_count_for_fineweb_after_c4() -> None:
    text = "\n\n".join(f"Word{n} is here again." for n in range(9))
    assert make(fineweb={}).measure(table(text)).signals["edited_newlines"].to_pylist() == [16]
    assert make(fineweb={}, c4={}).measure(table(text, "")).signals["edited_newlines"].to_pylist() == [8, 0]


def test_thresholds_judge_again_and_line_rules_measure_again() -> None:
    base = RulesConfig.model_validate({"c4": {}, "gopher_quality": {}}).measuring()
    for judging in ({"c4": {"min_sentences": 2}}, {"c4": {"curly_bracket": False}}, {"c4": {}, "fineweb": {}}):
        assert RulesConfig.model_validate(judging).measuring() == base
    for measuring in (
        {"gopher_quality": {}},
        {"c4": {"min_line_words": 4}},
        {"c4": {"citations": False}},
        {"c4": {}, "stop_words": ["der"]},
    ):
        assert RulesConfig.model_validate(measuring).measuring() != base


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"gopher_quality": {"max_bullet_lines": 90}}, "less than or equal to 1"),
        ({"gopher_quality": {"min_words": -1}}, "greater than or equal to 0"),
        ({"gopher_quality": {"min_words": 60, "max_words": 50}}, r"min_words \(60\) is above max_words \(50\)"),
        ({"lesson": {"min_word_length": 13}}, r"min_word_length \(13.0\) is above max_word_length \(12.0\)"),
    ],
)
def test_thresholds_that_mean_nothing_are_refused(settings: dict[str, object], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        RulesConfig.model_validate(settings)


def test_rules_can_be_switched_off() -> None:
    off = dict.fromkeys(RULE_SETS["gopher_quality"].published.model_dump())
    assert reason("!!!", gopher_quality=off) is None
    assert (
        reason("lorem ipsum dolor { x", c4={"min_sentences": None, "lorem_ipsum": False, "curly_bracket": False})
        is None
    )


def test_stop_words_of_another_language() -> None:
    german = "Der Hund und die Katze sind mit dem Mann nach Hause gegangen. " * 20
    assert reason(german, gopher_quality={}) == "gopher.stop_words"
    assert reason(german, gopher_quality={}, stop_words=["und", "die", "mit"]) is None


@pytest.mark.parametrize("word", ["", "don't", "to be", "中文"])
def test_a_stop_word_that_is_not_one_word(word: str) -> None:
    with pytest.raises(ValidationError, match="not one word"):
        RulesConfig.model_validate({"stop_words": [word]})


def test_bad_words_of_the_user(tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("\n".join(["darn", "holy cow", "c++", "性"] + [f"filler{n}" for n in range(900)]))
    texts = ["Darn it", "darning", "HOLY COW!", "holy cows", "c++", "xc++", "filler899", "两性人", "", "fine"]
    whole = make(c4={"bad_words": str(words)})
    assert whole.measure(table(*texts)).signals["c4_bad_words"].to_pylist() == [
        True, False, True, False, True, False, True, False, False, False,
    ]  # fmt: skip
    anywhere = make(c4={"bad_words": str(words), "bad_words_anywhere": True})
    assert anywhere.measure(table(*texts)).signals["c4_bad_words"].to_pylist() == [True] * 8 + [False] * 2
    before = whole.resources()
    assert len(before["bad_words"]) == 64
    words.write_text("other")
    assert whole.resources() != before
    assert make(c4={}).resources() == {}


def test_a_bad_word_list_that_cannot_be_used(tmp_path: Path) -> None:
    empty, binary = tmp_path / "empty.txt", tmp_path / "binary.txt"
    empty.write_text("\n \n")
    binary.write_bytes(b"\xff\xfe\x00")
    for path, message in ((empty, "no words"), (binary, "UTF-8"), (tmp_path / "none.txt", "cannot read")):
        with pytest.raises(RecipeError, match=message):
            make(c4={"bad_words": str(path)}).resources()


@pytest.mark.parametrize(
    "text",
    [
        *("a" * 1_000_000, "! " * 300_000, "\n" * 500_000, "[" * 300_000, "[1" * 200_000, "[1]" * 200_000),
        *("a\n" * 300_000, "...." * 100_000, "'" * 200_000, "x'y" * 100_000, "1." * 200_000, "{" * 100_000),
        *("中" * 200_000, "中\u0301" * 100_000, "\u200d" * 99_999, "lorem ipsu" * 50_000),
    ],
)
def test_long_runs_of_anything(text: str) -> None:
    assert reason(text, **ALL) is not None


def test_no_documents_and_slices() -> None:
    step = make(**ALL)
    step.warm()
    empty = step.measure(table())
    assert empty.signals.num_rows == 0
    assert step.judge(table(), empty.signals).tolist() == []
    three = table("one", PROSE + "\nshort", "three four")
    sliced = step.measure(three.slice(1, 2))
    assert sliced.signals.equals(step.measure(table(*three["text"].to_pylist()[1:])).signals)
    assert sliced.edit is not None
    assert sliced.edit.text.to_pylist() == [PROSE, ""]
