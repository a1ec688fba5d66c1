"""The modifiers of `pii` in real pipelines of NeMo Curator, under Ray on the CPU: the same findings, the same texts."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gpucurate.core.errors import RecipeError
from gpucurate.device import pick
from gpucurate.steps.pii import Pii, PiiConfig
from gpucurate.steps.pii.finder import Finder
from gpucurate.steps.pii.nemo import find_by_nemo
from tests.steps.pii.test_nemo import CONFIG, TEXTS

pytest.importorskip("phonenumbers")


def scrubbed() -> list[str]:
    """What the step makes of the texts."""
    edit = Pii(CONFIG, pick("cpu")).measure(pa.table({"text": TEXTS})).edit
    assert edit is not None
    return [new if new is not None else old for new, old in zip(edit.text.to_pylist(), TEXTS.to_pylist(), strict=True)]


@pytest.fixture
def scrub() -> Any:
    from gpucurate.steps.pii.nemo.modifiers import ScrubPii

    return ScrubPii


def test_a_pipeline_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scrub: Any) -> None:
    import sys

    from nemo_curator.backends.ray_data import RayDataExecutor
    from nemo_curator.pipeline import Pipeline
    from nemo_curator.stages.text.io.reader import ParquetReader
    from nemo_curator.stages.text.io.writer import ParquetWriter
    from nemo_curator.stages.text.modifiers import Modify

    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:/usr/bin:/bin")  # Ray calls `ray`
    monkeypatch.setenv("RAY_ADDRESS", "local")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    (tmp_path / "in").mkdir()
    for number in range(3):
        rows = pa.table({"id": pa.array(range(len(TEXTS))), "text": TEXTS}).slice(number * 8, 8)
        pq.write_table(rows, tmp_path / "in" / f"{number}.parquet")
    stages = [
        ParquetReader(file_paths=str(tmp_path / "in"), files_per_partition=1, fields=["id", "text"]),
        Modify(scrub(CONFIG), input_fields="text"),
        ParquetWriter(path=str(tmp_path / "out")),
    ]
    Pipeline(name="scrub", stages=stages).run(RayDataExecutor())
    rows = pa.concat_tables(pq.read_table(path) for path in (tmp_path / "out").glob("*.parquet")).sort_by("id")
    assert rows["id"].to_pylist() == list(range(23))
    assert rows["text"].to_pylist() == scrubbed()
    assert rows["text"][0].as_py().count("[EMAIL]") == 1


def test_engine_nemo_finds_what_we_find() -> None:
    assert find_by_nemo(TEXTS, CONFIG).equals(Finder(CONFIG).find(TEXTS))


def test_a_modifier_travels_without_its_detectors(scrub: Any) -> None:
    made = scrub(CONFIG)
    texts, expected = TEXTS.to_pylist(), scrubbed()
    assert [made.modify_document(text) for text in texts] == expected
    again = pickle.loads(pickle.dumps(made))
    assert again._finder is None
    assert [again.modify_document(text) for text in texts] == expected
    assert again.name == "ScrubPii"


@pytest.mark.parametrize("policy", ["drop", "quarantine"])
def test_policies_that_remove_documents_are_refused(scrub: Any, policy: str) -> None:
    with pytest.raises(RecipeError, match=f"policy {policy} of class email removes documents"):
        scrub(PiiConfig.model_validate({"policies": {"email": policy}}))
