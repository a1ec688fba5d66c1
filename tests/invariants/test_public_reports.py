"""Inputs that made other tools hang, crash or lie, by public report: one run with every record step carries all."""

from __future__ import annotations

import gzip
import json
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
import yaml

from gpucurate.store.artifacts import Artifact, read_table
from gpucurate.tokens.config import TokensConfig
from gpucurate.tokens.tokenizer import load_tokenizer
from tests.cli.test_commands import call
from tests.sources.archives import http, warc_record
from tests.sources.wikipedia.exports import article, export, page

PROSE = """The river was long and the bridge over it was old, and that is what they have written of it to this day.
Nobody in the village knew who had built the first arch, but there were letters in the archive that named a teacher.
When winter came the market moved to the other side, where music was played until the last boats had gone home."""
SPECIAL = f"{PROSE} It ends with <|endoftext|> and with <|fim_prefix|> in the middle of the text."
RUNS = {"a": "a" * 100_000, "^": "^" * 1_000_000}
NESTED_TABLES = "{|\n|-\n| x\n" * 8_000  # 88 KB
TEXTS = {
    "a": RUNS["a"],
    "^": RUNS["^"],
    "special": SPECIAL,
    "lines": PROSE,
    "nothing": "",
    "blank": "\n\n",
    "marks": "!!!",
}
PAGES = {
    "Braces": "{{a" * 10_000 + PROSE,
    "Tags": "<x>" * 14 + "[[{{x}}" + PROSE,
    "Tables": NESTED_TABLES,
    "Convert": "It is {{convert|1300|mi|km}} long and has {{formatnum:6000}} arches. " + PROSE,
}
EMPTY_TEXTS = ("<text/>", '<text deleted="deleted"/>')
GONE_WHILE_READING = {
    "jsonl.damaged": 1,  # what the cut file may have held
    "wikipedia.empty": 1,
    "wikipedia.deleted": 1,
    "wikipedia.no_text": 1,  # a page of tables alone
}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run over all of it, in less time than any of the reported hangs."""
    root = tmp_path_factory.mktemp("reports")
    lines = [json.dumps({"url": name, "text": text}) for name, text in TEXTS.items()]
    lines.append('{"url": "surrogate", "text": "' + r"\ud835" + " " + PROSE.replace("\n", r"\n") + '"}')
    (root / "texts.jsonl").write_text("\n".join(lines) + "\n")
    whole = gzip.compress(
        "".join(json.dumps({"url": f"cut{i}", "text": f"{i} {PROSE}"}) + "\n" for i in range(9)).encode()
    )
    (root / "cut.jsonl.gz").write_bytes(whole[:-4])
    empty = [page(f"Empty{n}", f"<revision><id>{n}</id>{text}</revision>") for n, text in enumerate(EMPTY_TEXTS)]
    (root / "wiki.xml").write_bytes(export(*empty, *(article(title, text) for title, text in PAGES.items())))
    bodies = {
        "nul": f"<p>a\x00b</p><p>{PROSE}</p>",
        "declared": f'<?xml version="1.0" encoding="utf-16"?><html><body><p>{PROSE}</p></body></html>',
    }
    records = (warc_record("response", f"https://example.org/{n}", http(b.encode())) for n, b in bodies.items())
    (root / "crawl.warc").write_bytes(b"".join(records))
    (root / "recipe.yaml").write_text(yaml.safe_dump(recipe(root)))
    started = time.monotonic()
    with pytest.MonkeyPatch.context() as patch:
        assert call(patch, "run", root / "recipe.yaml", "--out", root / "out", "--inline") == 0
        assert time.monotonic() - started < 120  # linear work takes two seconds; the rest is compilation
        assert call(patch, "verify", root / "out") == 0
    return root / "out"


def recipe(root: Path) -> dict[str, Any]:
    return {
        "name": "reports",
        "sources": [
            {"name": "documents", "jsonl": {"path": str(root / "texts.jsonl")}},
            {"name": "cut", "jsonl": {"path": str(root / "cut.jsonl.gz")}},
            {"name": "wiki", "wikipedia": {"path": str(root / "wiki.xml")}},
            {"name": "crawl", "warc": {"path": str(root / "crawl.warc"), "engine": "resiliparse"}},
        ],
        "steps": [
            {"urls": {"words": ["casino"]}},
            "normalize",
            {"language": {"keep": ["eng"], "threshold": 0.0}},
            {
                "rules": {
                    "gopher_quality": {"min_words": 20},
                    "gopher_repetition": {},
                    "c4": {},
                    "fineweb": {},
                    "lesson": {},
                }
            },
            "exact_duplicates",
        ],
        "tokens": {"tokenizer": "tiktoken:gpt2"},
        "shards": {"length": 16, "size": 17_000, "remainder": "pad"},
    }


def rows(out: Path, stage: str) -> pa.Table:
    """A table of all parts."""
    paths = sorted(out.glob(f"parts/*/{stage}@*"))
    return pa.concat_tables([read_table(Artifact.at(path)) for path in paths])


def text_of(out: Path, ending: str) -> str:
    documents = rows(out, "documents")
    (found,) = [
        t
        for u, t in zip(documents["uri"].to_pylist(), documents["text"].to_pylist(), strict=True)
        if u.endswith(ending)
    ]
    return str(found)


def test_every_record_is_accounted_for(
    finished: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch, "funnel", finished, "--json") == 0
    steps = json.loads(capsys.readouterr().out)["steps"]
    read = steps[0]
    assert read["in"]["documents"] == len(TEXTS) + 1 + 9 + 1 + 6 + 2
    gone = {**read["dropped"], **read["quarantined"]}
    assert {reason: tally["documents"] for reason, tally in gone.items()} == GONE_WHILE_READING
    assert rows(finished, "decisions").num_rows == read["kept"]["documents"]
    for before, after in pairwise(steps):
        assert before["kept"] == after["in"]


def test_a_cut_gzip_file_keeps_what_stands_before_the_cut(finished: Path) -> None:
    uris = rows(finished, "documents")["uri"].to_pylist()
    assert [f"cut{i}" for i in range(9)] == [uri for uri in uris if uri.startswith("cut")]
    assert "cut short" in "".join(rows(finished, "quarantine")["detail"].to_pylist())


def test_runs_of_one_character_are_tokenised_whole(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the rules, of which C4's takes such lines out before."""
    plain = recipe(finished.parent)
    plain["sources"], plain["steps"] = plain["sources"][:1], ["normalize"]
    (tmp_path / "recipe.yaml").write_text(yaml.safe_dump(plain))
    started = time.monotonic()
    assert call(monkeypatch, "run", tmp_path / "recipe.yaml", "--out", tmp_path / "out", "--inline") == 0
    assert time.monotonic() - started < 60  # a second of work; the hangs took minutes
    assert call(monkeypatch, "verify", tmp_path / "out") == 0
    decisions = rows(tmp_path / "out", "decisions")
    tokens = dict(zip(decisions["uri"].to_pylist(), decisions["tokens"].to_pylist(), strict=True))
    tokenizer = load_tokenizer(TokensConfig(), None)
    for name, text in RUNS.items():
        assert tokens[name] == len(tokenizer.encode(pa.array([text]))[0])
        assert 0 < tokens[name] <= len(text)


def test_special_tokens_in_a_text_stay_text(finished: Path) -> None:
    """The separator stands between documents only, and the marks are still there after the tokens are decoded."""
    tokens = rows(finished, "tokens")["tokens"].combine_chunks().flatten()
    separator = json.loads((finished / "shards" / "shards.json").read_text())["separator"]
    assert pc.sum(pc.equal(tokens, separator)).as_py() == 0
    decoded = load_tokenizer(TokensConfig(), None).decode(tokens.to_numpy(), np.array([0, len(tokens)]))[0].as_py()
    assert "It ends with <|endoftext|> and with <|fim_prefix|> in the middle" in bytes(decoded).decode()


def test_text_without_words_is_dropped_with_a_reason(finished: Path) -> None:
    decisions = rows(finished, "decisions")
    reasons = dict(zip(decisions["uri"].to_pylist(), decisions["reason"].to_pylist(), strict=True))
    assert reasons["nothing"] == reasons["blank"] == "normalize.empty"
    assert reasons["marks"] == "language.no_text"


def test_language_is_told_of_text_with_line_ends_and_by_either_name(finished: Path) -> None:
    decisions = rows(finished, "decisions")
    steps = dict(zip(decisions["uri"].to_pylist(), decisions["step"].to_pylist(), strict=True))
    assert steps["lines"] != "language"


def test_a_lone_surrogate_is_repaired(finished: Path) -> None:
    assert text_of(finished, "surrogate").startswith("\ufffd The river")


def test_html_with_nul_or_a_declared_encoding_is_extracted(finished: Path) -> None:
    assert "The river was long" in text_of(finished, "/nul")
    assert "The river was long" in text_of(finished, "/declared")


def test_wikitext_is_read_in_linear_time_and_keeps_its_numbers(finished: Path) -> None:
    converted = text_of(finished, "Convert")
    assert "1300" in converted.replace(",", "")
    assert "6000" in converted.replace(",", "")
    assert "The river was long" in text_of(finished, "Tags")
