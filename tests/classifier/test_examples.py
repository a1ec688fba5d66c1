from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gpucurate.classifier.examples import examples_digest, host_of, load_examples, text_digest
from gpucurate.core.errors import InputError

ONE, TWO = "00" * 16, "11" * 16


def document(record_id: str = ONE, text: str = "Water boils at 100 °C.", **more: Any) -> dict[str, Any]:
    row = {"record_id": record_id, "source": "web", "uri": "https://www.example.org:8080/a", "title": None}
    return {**row, "language": "en", "text": text, "weight": 2.5, "stratum": "all", **more}


def label(record_id: str = ONE, text: str = "Water boils at 100 °C.", **more: Any) -> dict[str, Any]:
    row = {"record_id": record_id, "score": 3, "judge": "a", "rubric": "r", "repeat": 0, "answer": "Score: 3"}
    return {**row, "text_digest": text_digest(text), "tokens": None, **more}


def write(path: Path, *rows: dict[str, Any] | str) -> Path:
    lines = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
    path.write_text("".join(lines), encoding="utf-8")
    return path


def test_the_score_is_the_mean_over_judges_and_repeats(tmp_path: Path) -> None:
    sample = write(tmp_path / "sample.jsonl", document(TWO, "second"), document(ONE), document("22" * 16, "no label"))
    first = write(tmp_path / "a.jsonl", label(TWO, "second", score=1), label(score=2), label(score=3, repeat=1))
    second = write(tmp_path / "b.jsonl", label(score=4.75, judge="b", rubric="s"))
    examples = load_examples([sample], [first, second])
    assert [(e.record_id, e.score, e.labels) for e in examples] == [(ONE, 3.25, 3), (TWO, 1.0, 1)]
    assert examples[0].judges == ("a", "b")
    assert examples[0].rubrics == ("r", "s")
    assert (examples[0].host, examples[0].weight, examples[0].language) == ("example.org", 2.5, "en")
    assert examples == load_examples([sample, sample], [second, first])
    assert examples_digest(examples) == examples_digest(examples[::-1])
    assert examples_digest(examples) != examples_digest(examples[:1])


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{]\n", "line 2: no JSON"),
        ("[1]\n", "line 2: no JSON object"),
        ('{"record_id": "', "line 2: cut short"),
        (label(TWO), "no sample holds a document 1111"),
        (label(repeat=1, score=5.01), "the score 5.01 is not on the scale"),
        (label(repeat=1, score=-1), "the score -1"),
        (label(repeat=1, score=float("nan")), "the score nan"),
        (label(repeat=1, score="3"), "`score` is '3'"),
        (label(repeat=1, score=True), "`score` is True"),
        (label(repeat=-1), "`repeat` is -1"),
        (label(score=4), "has labelled document 0000"),
        (label(repeat=1, text="another text"), "for another text"),
        (label("xyz"), "`record_id` is 'xyz'"),
        (label(repeat=1, judge=None), "`judge` is None"),
    ],
)
def test_a_wrong_label_is_named_by_its_line(tmp_path: Path, line: dict[str, Any] | str, said: str) -> None:
    sample = write(tmp_path / "sample.jsonl", document())
    labels = write(tmp_path / "labels.jsonl", label(), line)
    with pytest.raises(InputError) as caught:
        load_examples([sample], [labels])
    assert said in str(caught.value)
    assert f"{labels}, line 2" in str(caught.value)
    assert "Remedy: " in str(caught.value)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (document(text="other"), "twice with different texts"),
        (document(weight=3.0), "weights of two draws"),
        (document(TWO, weight=0), "a weight of 0"),
        (document(TWO, weight=float("nan")), "a weight of nan"),
        (document(TWO, text=None), "`text` is None"),
        (json.dumps(document(TWO, text="\ud800")) + "\n", "half a UTF-16 pair"),
        ("\n", "no JSON"),
    ],
)
def test_a_wrong_document_is_named_by_its_line(tmp_path: Path, row: dict[str, Any] | str, said: str) -> None:
    sample = write(tmp_path / "sample.jsonl", document(), row)
    with pytest.raises(InputError, match="line 2") as caught:
        load_examples([sample], [write(tmp_path / "labels.jsonl", label())])
    assert said in str(caught.value)


def test_one_file_of_labels_given_twice_is_refused(tmp_path: Path) -> None:
    sample, labels = write(tmp_path / "sample.jsonl", document()), write(tmp_path / "labels.jsonl", label())
    with pytest.raises(InputError, match="give each file once"):
        load_examples([sample], [labels, labels])


def test_missing_and_empty_files_are_named(tmp_path: Path) -> None:
    sample = write(tmp_path / "sample.jsonl", document())
    with pytest.raises(InputError, match=r"cannot read .*absent\.jsonl"):
        load_examples([sample], [tmp_path / "absent.jsonl"])
    with pytest.raises(InputError, match=r"no documents in .*empty\.jsonl"):
        load_examples([write(tmp_path / "empty.jsonl")], [write(tmp_path / "labels.jsonl", label())])
    with pytest.raises(InputError, match=r"no labels in .*empty\.jsonl"):
        load_examples([sample], [write(tmp_path / "empty.jsonl")])


@pytest.mark.parametrize(
    ("uri", "host"),
    [
        ("https://WWW.Example.org/path", "example.org"),
        ("http://user@news.example.org:81/", "news.example.org"),
        ("file.jsonl#12", ""),
        ("", ""),
    ],
)
def test_hosts(uri: str, host: str) -> None:
    assert host_of(uri) == host
