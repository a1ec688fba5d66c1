"""Sentence vectors on pairs of news sentences that people called paraphrases (Microsoft Research Paraphrase Corpus)."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from tests.steps.near_duplicates.corpora import table
from tests.steps.semantic_duplicates.test_step import in_parts, make
from tests.steps.stages import answers

pytest.importorskip("torch")
PAIRS = 40


def test_paraphrases_lie_close_and_other_news_far(real_data: Path) -> None:
    path = real_data / "neardup" / "msr-para" / "data" / "para" / "msr" / "msr-para-test.tsv"
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    same = [row for row in rows if row["Quality"] == "1"]
    assert (len(rows), len(same)) == (1725, 1147)
    texts = [row[name] for row in same[:PAIRS] for name in ("#1 String", "#2 String")]
    documents = table(texts)
    said = answers(make(threshold=0.8, clusters=1, keep="first_id"), in_parts(documents, [30]))
    number = {identity: n for n, identity in enumerate(documents["record_id"].to_pylist())}
    gone = {n: number[other] for n, other in enumerate(said["duplicate_of"].to_pylist()) if other is not None}
    of_own_pair = [n // 2 == other // 2 for n, other in gone.items()]
    assert PAIRS // 3 <= len(gone) <= PAIRS
    assert np.mean(of_own_pair) > 0.9
