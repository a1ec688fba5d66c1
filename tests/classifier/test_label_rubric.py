from __future__ import annotations

from pathlib import Path

import pytest
from blake3 import blake3

from gpucurate.classifier.endpoint_pacing import asked_to_wait
from gpucurate.classifier.rubric import EDUCATIONAL, load_rubric
from gpucurate.core.errors import UserError

HEAD = "---\nname: mine\nversion: 2\nanswer: 'Points:'\nreminder: end with points\n---\n"


@pytest.mark.parametrize(
    ("answer", "score"),
    [
        ("Clear and complete.\nScore: 4", 4),
        ("Score: 0", 0),
        ("Because.\n\n**Score: 3**\n\n", 3),
        ("Because.\nscore: **5**", 5),
        ("Because.\nScore: 2/5.", 2),
        ("Because.\n`Score: 1`", 1),
        ("Score: 3\nOn reflection it stays so.\nScore: 3", 3),
        ("", None),
        ("3", None),
        ("Score:", None),
        ("Score: three", None),
        ("Score: 6", None),
        ("Score: -1", None),
        ("Score: 2.5", None),
        ("Score: 2-3", None),
        ("Score: 15", None),
        ("Score: 4\nbut it might be less", None),
        ("Score: 2\nScore: 3", None),
        ("The score: 3 is what it gets", None),
        ("Educational score: 3", None),
        ("Score: ３", None),
    ],
)
def test_an_answer_gives_a_score_only_as_the_rubric_asks(answer: str, score: int | None) -> None:
    assert load_rubric().score(answer) == score


def test_our_rubric_holds_the_text_once_and_as_it_is() -> None:
    rubric = load_rubric()
    text = "A page with {text} and </page> in it."
    assert text in rubric.prompt(text)
    assert rubric.prompt("") == rubric.before + rubric.after
    assert rubric.digest == blake3(EDUCATIONAL.read_bytes()).hexdigest()
    assert (rubric.name, rubric.version) == ("educational", 1)


def test_a_rubric_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.md"
    path.write_text(HEAD + "Rate this: {text}\n")
    rubric = load_rubric(path)
    assert rubric.prompt("abc") == "Rate this: abc"
    assert rubric.score("Points: 3") == 3
    assert rubric.score("Score: 3") is None
    path.write_text(HEAD + "Rate this:  {text}\n")
    assert load_rubric(path).digest != rubric.digest


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"Rate {text}", "does not begin with a block"),
        (b"---\nname: [\n---\n{text}", "is no YAML"),
        (b"---\nname: a\n---\n{text}", "`version` is None"),
        (b"---\njust words\n---\n{text}", "`name` is None"),
        (HEAD.encode() + b"no place", "holds {text} 0 times"),
        (HEAD.encode() + b"{text} {text}", "holds {text} 2 times"),
        (b"\xff", "cannot read the rubric"),
    ],
)
def test_mistakes_in_a_rubric_are_said(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "mine.md"
    path.write_bytes(content)
    with pytest.raises(UserError) as caught:
        load_rubric(path)
    assert said in str(caught.value)
    assert "Remedy" in str(caught.value)


@pytest.mark.parametrize(
    ("said", "seconds"),
    [("3", 3.0), ("0.5", 0.5), ("-1", 0.0), ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0), ("soon", None)],
)
def test_wishes_to_wait(said: str, seconds: float | None) -> None:
    assert asked_to_wait({"retry-after": said}) == seconds
    assert asked_to_wait({}) is None
