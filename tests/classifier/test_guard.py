from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from gpucurate.classifier.examples import Example, text_digest
from gpucurate.classifier.guard import (
    overlap,
    read_lineage,
    read_trained_on,
    refuse_benchmarks,
    refuse_known,
    trained_on_table,
    write_trained_on,
)
from gpucurate.core.digests import digest_file
from gpucurate.core.errors import InputError, UserError


def example(number: int, text: str) -> Example:
    return Example(f"{number:032x}", text, 1.0, 1.0, "crawl", "", "", None, text_digest(text))


def text(seed: int, count: int = 100) -> str:
    drawn = random.Random(seed)
    return " ".join(f"w{drawn.randrange(10_000)}" for _ in range(count))


@pytest.fixture
def model(tmp_path: Path) -> Path:
    used = [example(i, text(i)) for i in range(20)] + [example(50, "")]
    write_trained_on(tmp_path, [trained_on_table(used[:15], "train"), trained_on_table(used[15:], "validation")])
    return tmp_path


def test_new_texts_pass(model: Path) -> None:
    assert refuse_known("m", model, [example(100 + i, text(100 + i)) for i in range(50)])


def test_each_kind_of_overlap_is_found_once(model: Path) -> None:
    near = text(7).split()
    near[-1] = "changed"
    far = text(8).split()
    far[10:90:8] = ["x"] * 10
    examples = [
        example(3, text(3)),  # same id and text
        example(4, text(444)),  # same id, other text
        example(200, text(5)),
        example(201, text(16)),  # of the validation part
        example(202, " ".join(near)),
        example(203, " ".join(far)),
        example(204, text(204)),
        example(205, "..."),  # no words: like no other text without words
    ]
    trained_on = read_trained_on(model)
    assert trained_on is not None
    found = overlap(trained_on, examples)
    assert found.same_id == [examples[0].record_id, examples[1].record_id]
    assert found.same_text == [examples[2].record_id, examples[3].record_id]
    assert found.near_duplicate == [examples[4].record_id]
    with pytest.raises(UserError, match=r"5 of 8 examples .* \(2 by record id, 2 by text, 1 near-duplicates.*Remedy"):
        refuse_known("m", model, examples)


def test_a_model_that_keeps_no_record_is_not_vouched_for(tmp_path: Path) -> None:
    assert refuse_known("m", tmp_path, [example(1, text(1))]) is False


def test_a_damaged_record_is_an_error(model: Path) -> None:
    (model / "trained_on.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(InputError, match=r"trained_on\.parquet.*Remedy"):
        refuse_known("m", model, [example(1, text(1))])
    (model / "gpucurate.json").write_text("{")
    with pytest.raises(InputError, match=r"gpucurate\.json.*Remedy"):
        read_lineage(model)


def test_benchmarks_that_filtered_the_data_are_refused(model: Path) -> None:
    filtered, other = model / "arc.jsonl", model / "other.jsonl"
    filtered.write_text("{}")
    other.write_text("{} ")
    lineage = {"benchmarks": [{"name": "arc", "digest": digest_file(filtered)}]}
    (model / "gpucurate.json").write_text(json.dumps(lineage))
    refuse_benchmarks("m", read_lineage(model), [other])
    with pytest.raises(UserError, match=r"1 of 2 files .*arc\.jsonl \(there as arc\)"):
        refuse_benchmarks("m", read_lineage(model), [other, filtered])
