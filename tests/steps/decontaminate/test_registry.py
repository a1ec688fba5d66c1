"""The registry: what is refused, what freezing writes, and the benchmarks that have a registry file in configs/."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from gpucurate.core.errors import InputError, UserError
from gpucurate.steps.decontaminate.freeze import freeze
from gpucurate.steps.decontaminate.records import item_texts
from gpucurate.steps.decontaminate.registry import check_frozen, digest_of, open_registry, read_registry_file
from tests.steps.decontaminate.registries import register, step

CONFIGS = Path(__file__).parents[3] / "configs" / "registry"
SHIPPED = ("agieval", "arc", "bbh", "boolq", "gsm8k", "humaneval", "mbpp", "mmlu", "piqa", "truthfulqa")

# Small files in each benchmark's own layout, with made-up content; and the texts they must give.
LAYOUTS: dict[str, tuple[dict[str, Any], list[tuple[str, ...]]]] = {
    "gsm8k": (
        {"gsm8k/test.jsonl": [{"question": "How many?", "answer": "Two <<1+1=2>>2.\n#### 2"}]},
        [("How many?", "Two  2.\n  2")],
    ),
    "humaneval": (
        {"humaneval/HumanEval.jsonl.gz": [{"prompt": "def f():", "canonical_solution": "return 1", "test": "t"}]},
        [("def f():", "return 1")],
    ),
    "mbpp": ({"mbpp/mbpp.jsonl": [{"text": "Write f.", "code": "f = 1"}]}, [("Write f.", "Write f.\nf = 1", "f = 1")]),
    "mmlu": (
        {"mmlu/dev/a_dev.csv": 'question,choice0,choice1,choice2,choice3,answer\n"Who, then?",w,x,"y\nz",,3\n'},
        [("Who, then?", "Who, then?\nw\nx\ny\nz\n", "Who, then?\nA. w\nB. x\nC. y\nz\nD. ")],
    ),
    "truthfulqa": (
        {"truthfulqa/TruthfulQA.csv": "\ufeffType,Category,Question,Best Answer,Source\nA,B,Why?,Because.,s\n"},
        [("Why?", "Why?\nBecause.")],
    ),
    "boolq": ({"boolq/dev.jsonl": [{"question": "is it", "passage": "It is.", "answer": True}]}, [("is it",)]),
    "arc": (
        {
            f"arc/ARC-{kind}/ARC-{kind}-Test.jsonl": [
                {"question": {"stem": kind, "choices": [{"text": "a", "label": "A"}, {"text": "b", "label": "B"}]}}
            ]
            for kind in ("Easy", "Challenge")
        },
        [("Easy", "Easy\na\nb"), ("Challenge", "Challenge\na\nb")],
    ),
    "piqa": ({"piqa/valid.jsonl": [{"goal": "g", "sol1": "a", "sol2": "b"}]}, [("g\na", "g\nb")]),
    "bbh": (
        {"bbh/snarks.json": {"canary": "c", "examples": [{"input": "i", "target": "(A)"}]}},
        [("i",)],
    ),
    "agieval": (
        {"agieval/data/v1_1/x.jsonl": [{"passage": None, "question": "q", "options": ["(A)a", "(B)b"], "label": "A"}]},
        [("q", "q\n(A)a\n(B)b")],
    ),
}


def write(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, list):
        content = "".join(json.dumps(each) + "\n" for each in content)
    elif isinstance(content, dict):
        content = json.dumps(content)
    path.write_bytes(gzip.compress(content.encode()) if path.suffix == ".gz" else content.encode())


def test_every_shipped_benchmark_reads_its_layout(tmp_path: Path) -> None:
    assert sorted(path.stem for path in CONFIGS.glob("*.yaml")) == sorted(LAYOUTS) == list(SHIPPED)
    for name, (files, expected) in LAYOUTS.items():
        copy = tmp_path / f"{name}.yaml"
        copy.write_text((CONFIGS / f"{name}.yaml").read_text())
        for path, content in files.items():
            write(tmp_path / path, content)
        assert freeze(copy)[0] == len(expected)
        registered = read_registry_file(copy)
        check_frozen(registered)
        assert list(item_texts(registered)) == expected
        assert copy.read_text().splitlines()[0] == (CONFIGS / f"{name}.yaml").read_text().splitlines()[0]


def test_real_benchmarks_are_what_was_frozen(real_data: Path, tmp_path: Path) -> None:
    source = real_data / "benchmarks"
    for name in ("gsm8k", "humaneval", "mbpp", "mmlu", "truthfulqa"):
        (tmp_path / name).symlink_to(source / name)
    (tmp_path / "boolq").symlink_to(source / "truthfulqa")
    names = ["gsm8k", "humaneval", "mbpp", "mmlu", "truthfulqa", "boolq"]
    made = step(*(CONFIGS / f"{name}.yaml" for name in names), folder=str(tmp_path))
    made.protected([])
    states = Counter((row[0], row[3]) for row in made._collection.rows)
    assert states == {
        ("gsm8k", "protected"): 1319,
        ("humaneval", "protected"): 164,
        ("mbpp", "protected"): 974,
        ("mmlu-dev", "protected"): 284,
        ("mmlu-dev", "duplicate"): 1,
        ("truthfulqa", "protected"): 812,
        ("truthfulqa", "flagged_only"): 1,
        ("boolq", "protected"): 3248,
        ("boolq", "flagged_only"): 22,
    }


def test_a_changed_file_is_refused_with_both_digests(tmp_path: Path) -> None:
    path = register(tmp_path, ["one two three four five six"])
    frozen = yaml.safe_load(path.read_text())["files"][0]["digest"]
    (tmp_path / "exam.jsonl").write_text('{"question": "another"}\n')
    with pytest.raises(UserError, match=r"'exam'.*is not what was frozen") as raised:
        step(path).resources()
    freeze(path)
    now = yaml.safe_load(path.read_text())["files"][0]["digest"]
    assert frozen != now
    assert frozen in str(raised.value)
    assert now in str(raised.value)
    assert f"gpucurate registry freeze {path}" in str(raised.value)
    step(path).resources()


def test_a_glob_is_frozen_by_names_too(tmp_path: Path) -> None:
    path = tmp_path / "r.yaml"
    path.write_text("# kept\nname: r\nversion: v\nfiles: [{path: 'd/*.jsonl'}] # too\nitems: [[q]]\n")
    write(tmp_path / "d/a.jsonl", [{"q": "x"}])
    freeze(path)
    assert path.read_text().startswith("# kept\nname: r\nversion: v\nfiles: [{path: 'd/*.jsonl', digest: ")
    assert path.read_text().endswith("}] # too\nitems: [[q]]\n")
    (tmp_path / "d/a.jsonl").rename(tmp_path / "d/b.jsonl")
    with pytest.raises(UserError, match="is not what was frozen"):
        step(path).resources()
    done = freeze(path)[1][0]
    assert done.before != done.now
    step(path).resources()


def test_every_spelling_of_a_digest_is_replaced(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", [{"q": "x"}])
    for spelling in ("", "digest: null", "digest:", "digest: '0'", 'digest: "00"'):
        path = tmp_path / "r.yaml"
        middle = f"    {spelling}\n" if spelling else ""
        path.write_text(f"name: r\nversion: v\nfiles:\n  - path: a.jsonl\n{middle}items: [[q]]\n")
        freeze(path)
        check_frozen(read_registry_file(path))
        lines = path.read_text().splitlines()
        assert [line.strip().split(":")[0] for line in lines] == [
            *("name", "version", "files", "- path", "digest", "items")
        ]


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        (
            {"items": [["questoin"]]},
            UserError,
            r"no field 'questoin' \(.*exam.jsonl, record 1\); did you mean 'question'",
        ),
        ({"items": [["question.stem"]]}, UserError, "no field 'question.stem'"),
        ({"items": []}, UserError, "items"),
        ({"items": [[]]}, UserError, "expected lists of field names"),
        ({"files": [{"path": "nowhere.jsonl"}]}, InputError, "there is no file"),
        ({"files": [{"path": "none/*.jsonl"}]}, InputError, "there is no file"),
        ({"format": "json"}, UserError, "is no list; say with `records`"),
        ({"format": "parquet"}, InputError, "cannot read"),
        ({"colour": "red"}, UserError, "colour: unknown key"),
        ({"without": "["}, UserError, "not a regular expression"),
        ({"threshold": 2}, UserError, "threshold"),
        ({"name": "held_out"}, UserError, "name: held_out names the corpus's own held-out share"),
    ],
)
def test_mistakes(tmp_path: Path, change: dict[str, Any], error: type[Exception], said: str) -> None:
    path = register(tmp_path, ["one two three four five six"])
    data = {**yaml.safe_load(path.read_text()), **change}
    path.write_text(yaml.safe_dump(data))
    with pytest.raises(error, match=said):
        freeze(path)


def test_more_mistakes(tmp_path: Path) -> None:
    path = register(tmp_path, ["a b c d e f"])
    with pytest.raises(UserError, match="two benchmarks of the registry are called 'exam'"):
        open_registry([str(path), str(path)], None)
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match="has no YAML file"):
        open_registry([str(tmp_path / "empty")], None)
    for content in ("- a\n", "a: [\n"):
        path.write_text(content)
        with pytest.raises(UserError, match="registry file"):
            read_registry_file(path)
    path.write_text("name: r\nversion: v\nfiles: [{path: exam.jsonl}]\nitems: [[question]]\n")
    with pytest.raises(UserError, match="has no digest yet"):
        step(path).resources()
    with pytest.raises(ValueError, match="nothing to protect"):
        step(holdout=None)
    with pytest.raises(ValueError, match="cannot be larger"):
        step(path, n=5)


def test_tables_without_a_header_parquet_and_tsv(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", "first question,1\nsecond,2\n")
    write(tmp_path / "a.tsv.gz", "third\t3\n")
    pq.write_table(pa.table({"q": ["fourth"], "more": [{"x": ["y", "z"]}]}), tmp_path / "a.parquet")
    entry = {"name": "r", "version": "v", "items": [["q"]]}
    for files, columns, expected in (
        (["a.csv", "a.tsv.gz"], ["q", "n"], ["first question", "second", "third"]),
        (["a.parquet"], None, ["fourth\ny\nz"]),
    ):
        items = [["q"]] if columns else [["q", "more.x"]]
        data = {**entry, "files": [{"path": p} for p in files], "columns": columns, "items": items}
        (tmp_path / "r.yaml").write_text(yaml.safe_dump(data))
        assert [texts[0] for texts in item_texts(read_registry_file(tmp_path / "r.yaml"))] == expected


def test_files_that_hold_no_benchmark_are_said_before_a_run(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(b"".join(b'{"question": "%d"}\n' % i for i in range(999))))
    packed[len(packed) // 2 :] = bytes(len(packed) // 2)
    for name, content, error, said in (
        ("a.jsonl", b"\n", UserError, r"'r' has nothing to search for: 0 records, .* Remedy: .*r.yaml"),
        ("b.jsonl", b'{"question": " "}\n{"question": null}\n', UserError, "nothing to search for: 2 records"),
        ("c.jsonl", b'{"question": "x"}\n\n{"question"\n', InputError, r"c.jsonl: line 3 is no JSON"),
        ("d.jsonl.gz", bytes(packed), InputError, r"'r': cannot read .*d.jsonl.gz"),
        ("e.jsonl", b'{"question": "x"}\n{"answer": "x"}\n', UserError, r"no field 'question' \(.*record 2\)"),
    ):
        (tmp_path / name).write_bytes(content)
        data = {"name": "r", "version": "v", "items": [["question"]], "files": [{"path": name}]}
        (tmp_path / "r.yaml").write_text(yaml.safe_dump(data))
        registered = read_registry_file(tmp_path / "r.yaml")
        data["files"] = [{"path": name, "digest": digest_of(registered, registered.benchmark.files[0])}]
        (tmp_path / "r.yaml").write_text(yaml.safe_dump(data))
        with pytest.raises(error, match=said):
            step(tmp_path / "r.yaml").warm()
