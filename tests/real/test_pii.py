"""What `pii` finds in labelled texts and spares in Wikipedia: floors under the figures of docs/pii-evaluation.md."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gpucurate.recipe.load import parse_recipe
from gpucurate.run.driver import Cluster, run
from gpucurate.run.progress import PlainProgress
from gpucurate.run.vocabulary import VOCABULARY
from gpucurate.steps.pii import PiiConfig
from gpucurate.steps.pii.finder import Finder
from tests.real.test_dumps import ENWIKI, LTGWIKI

pytest.importorskip("phonenumbers")
pytest.importorskip("stdnum")
CLASSES = {
    "CREDIT_CARD": "credit_card",
    "EMAIL_ADDRESS": "email",
    "IP_ADDRESS": "ip_address",
    "PHONE_NUMBER": "phone",
    "US_SSN": "us_ssn",
}


def found_in(texts: list[str]) -> list[dict[str, object]]:
    found: list[dict[str, object]] = (
        Finder(PiiConfig.model_validate({})).find(pa.array(texts, pa.large_string())).to_pylist()
    )
    return found


def test_labelled_sentences(real_data: Path) -> None:
    rows = json.loads((real_data / "pii/presidio-research/tests/data/generated_small.json").read_text())
    texts = [row["full_text"] for row in rows]
    labels = {
        (number, len(text[: span["start_position"]].encode()), CLASSES[span["entity_type"]])
        for number, (row, text) in enumerate(zip(rows, texts, strict=True))
        for span in row["spans"]
        if span["entity_type"] in CLASSES
    }
    found = {(row["row"], row["start"], row["class"]) for row in found_in(texts)}
    assert len(labels) == 27
    assert len(labels & found) >= 25
    assert len(found - labels) <= 1


def test_sentences_of_presidio(real_data: Path) -> None:
    lines = (real_data / "pii/presidio/presidio-analyzer/tests/data/context_sentences_tests.txt").read_text()
    rows = [line for line in lines.splitlines() if line and not line.startswith("#")]
    wanted = [(CLASSES[k], text) for k, text in zip(rows[::2], rows[1::2], strict=True) if k in ("PHONE_NUMBER",)]
    found = {(row["row"], row["class"]) for row in found_in([text for _, text in wanted])}
    assert len(wanted) == 5
    assert found >= {(number, kind) for number, (kind, _) in enumerate(wanted)}


@pytest.mark.parametrize(
    ("dump", "articles", "expected"), [(ENWIKI, 106, {}), (LTGWIKI, 890, {"ip_address": 2})], ids=["enwiki", "ltgwiki"]
)
def test_encyclopedias_keep_their_numbers(
    real_data: Path, tmp_path: Path, dump: str, articles: int, expected: dict[str, int]
) -> None:
    """Dates, populations, ISBN, coordinates and scores are no personal data; two addresses of editors are."""
    recipe = {"name": "w", "sources": [{"name": "w", "wikipedia": {"path": str(real_data / dump)}}], "steps": []}
    run(parse_recipe(recipe, VOCABULARY), tmp_path / "out", Cluster(inline=True), "cpu", PlainProgress())
    parts = sorted(tmp_path.glob("out/parts/*/documents@*.parquet"))
    texts = [text for part in parts for text in pq.read_table(part, columns=["text"])["text"].to_pylist()]
    assert len(texts) >= articles
    assert Counter(row["class"] for row in found_in(texts)) == expected
