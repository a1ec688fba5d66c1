"""What is handed to NeMo Curator: files of texts, and folders that two different jobs never share."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpucurate.steps.near_duplicates.nemo import find_groups, job, text_files
from gpucurate.steps.near_duplicates.nemo.job import Settings, prepare, read_job
from gpucurate.steps.near_duplicates.nemo.text_files import write_text_files
from tests.steps.near_duplicates.nemo_cases import SETTINGS, stand_in, tables


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(st.text(max_size=12), max_size=6), max_size=5), st.integers(1, 30))
def test_files_hold_every_text_once_in_order(
    tmp_path_factory: pytest.TempPathFactory, parts: list[list[str]], limit: int
) -> None:
    folder = tmp_path_factory.mktemp("texts")
    counts = write_text_files(tables(*parts), folder, limit)
    assert list(counts) == sorted(path.name for path in folder.iterdir())
    found = []
    for name, count in counts.items():
        rows = pq.read_table(folder / name).to_pylist()
        assert len(rows) == count > 0
        size = sum(len(row["text"].encode()) for row in rows)
        assert size <= limit or count == 1
        found += [(row["document"], row["text"]) for row in rows]
    assert found == [(n, text) for n, text in enumerate(chain(*parts)) if text]


def test_neighbouring_parts_share_a_file(tmp_path: Path) -> None:
    assert write_text_files(tables(["ab"], ["cd"], ["ef"]), tmp_path, 4) == {"000000.parquet": 2, "000001.parquet": 1}


def test_a_file_stays_far_from_the_offsets_of_32_bits() -> None:
    assert text_files.FILE_BYTES <= 512_000_000 < 2**31


def test_a_finished_job_is_found_again(tmp_path: Path) -> None:
    texts = tables(["same", "Same"])
    first = find_groups(texts, SETTINGS, tmp_path, stand_in("0"))
    again = find_groups(texts, SETTINGS, tmp_path, ["/does/not/exist"])
    assert first.tolist() == again.tolist() == [0, 0]
    assert [path.name for path in tmp_path.glob("writing")] == []


@pytest.mark.parametrize(
    "other",
    [SETTINGS._replace(bands=9), SETTINGS._replace(shingle_chars=5), SETTINGS._replace(version="1.4.1")],
    ids=["bands", "characters", "version"],
)
def test_other_settings_are_another_job(tmp_path: Path, other: Settings) -> None:
    texts = tables(["same", "Same"])
    assert prepare(texts, SETTINGS, tmp_path).folder != prepare(texts, other, tmp_path).folder


def test_files_of_another_size_are_another_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = tables(["same", "other", "Same"], ["same"])
    find_groups(texts, SETTINGS, tmp_path, stand_in("0"))
    monkeypatch.setattr(job, "write_text_files", lambda texts, folder: write_text_files(texts, folder, 4))
    assert find_groups(texts, SETTINGS, tmp_path, stand_in("1")).tolist() == [0, -1, 0, 0]
    assert len(list(tmp_path.glob("*/finished.json"))) == 2
    assert (tmp_path / "calls").read_text().count("called") == 2


def test_other_texts_are_another_job(tmp_path: Path) -> None:
    assert (
        prepare(tables(["a", "b"]), SETTINGS, tmp_path).folder != prepare(tables(["a", "c"]), SETTINGS, tmp_path).folder
    )


def test_an_interrupted_job_starts_afresh(tmp_path: Path) -> None:
    texts = tables(["same", "Same", "other"])
    half = prepare(texts, SETTINGS, tmp_path)
    stage = half.cache / "ConnectedComponentsStage"
    stage.mkdir(parents=True)
    pq.write_table(pa.table({"_curator_dedup_id": [0, 2], "_duplicate_group_id": [0, 0]}), stage / "old.parquet")
    (tmp_path / "writing").mkdir()
    assert find_groups(texts, SETTINGS, tmp_path, stand_in("0")).tolist() == [0, 0, -1]


def test_a_job_is_read_as_it_was_written(tmp_path: Path) -> None:
    made = prepare(tables(["a", "b"]), SETTINGS, tmp_path)
    assert read_job(made.description) == made
