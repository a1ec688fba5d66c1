"""Groups from NeMo Curator's files, written here by a program that stands in for it; lost and damaged files."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gpucurate.core.errors import DeviceError
from gpucurate.steps.near_duplicates.nemo import find_groups, job
from gpucurate.steps.near_duplicates.nemo.groups import read_groups
from gpucurate.steps.near_duplicates.nemo.job import Job, prepare
from tests.steps.near_duplicates import nemo_workflow
from tests.steps.near_duplicates.nemo_cases import SETTINGS, expected, stand_in, tables, write_small_files


@pytest.fixture
def small_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job, "write_text_files", write_small_files)


PARTS = (
    ["apple pie", "", "banana split", "cherry tart", "APPLE PIE"],
    [],
    ["a text longer than any file of this test may be, alone", "Cherry Tart", "😀 emoji", "apple pie"],
    ["", "😀 EMOJI", "unique"],
)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.usefixtures("small_files")
def test_groups_are_of_our_documents_whatever_ids_nemo_gives(tmp_path: Path, seed: int) -> None:
    groups = find_groups(tables(*PARTS), SETTINGS, tmp_path, stand_in(str(seed)))
    assert groups.dtype == np.int64
    assert groups.tolist() == expected(*PARTS) == [0, -1, -1, 3, 0, -1, 3, 7, 0, -1, 7, -1]


@pytest.mark.usefixtures("small_files")
def test_random_corpora(tmp_path: Path) -> None:
    chance = random.Random(5)
    words = [f"text number {n}" for n in range(60)]
    parts = [[chance.choice(words) for _ in range(chance.randrange(40))] for _ in range(8)]
    assert find_groups(tables(*parts), SETTINGS, tmp_path, stand_in("1")).tolist() == expected(*parts)


@pytest.mark.parametrize("parts", [(), ([],), (["", ""], [""]), (["alone"], [""])], ids=repr)
def test_without_two_texts_nothing_is_started(tmp_path: Path, parts: tuple[list[str], ...]) -> None:
    groups = find_groups(tables(*parts), SETTINGS, tmp_path, ["/does/not/exist"])
    assert groups.tolist() == [-1] * sum(map(len, parts))


def test_no_duplicates_leave_no_components(tmp_path: Path) -> None:
    assert find_groups(tables(["one", "two"], ["three"]), SETTINGS, tmp_path, stand_in("0")).tolist() == [-1] * 3
    assert not list(tmp_path.glob("*/cache/ConnectedComponentsStage"))


@pytest.fixture
def done(tmp_path: Path, small_files: None) -> Job:
    prepared = prepare(tables(*PARTS), SETTINGS, tmp_path)
    nemo_workflow.main("0", str(prepared.description))
    return prepared


def rewrite(path: Path, change: Callable[[dict], None]) -> None:
    said = json.loads(path.read_text())
    change(said)
    path.write_text(json.dumps(said))


def test_a_lost_file_of_components_is_noticed(tmp_path: Path) -> None:
    texts = tables(["same", "Same", "other", "Other"])
    with pytest.raises(
        DeviceError, match=r"reports 2 duplicates, but .*ConnectedComponentsStage has 2 documents in .* run again"
    ):
        find_groups(texts, SETTINGS, tmp_path, stand_in("loses"))


def test_components_gone_altogether_are_noticed(done: Job) -> None:
    for path in done.cache.rglob("*.parquet"):
        path.unlink()
    with pytest.raises(DeviceError, match="has 0 documents in 0 groups"):
        read_groups(done, 12)


def test_a_damaged_file_of_components_is_named(done: Job) -> None:
    path = min(done.cache.rglob("*.parquet"))
    path.write_bytes(path.read_bytes()[:20])
    with pytest.raises(DeviceError, match=path.name):
        read_groups(done, 12)


@pytest.mark.parametrize(
    ("ids", "said"), [([0, 99], "has the id 99"), ([0, -1], "has the id -1"), ([0, 0], "puts a document into two")]
)
def test_ids_are_checked(done: Job, ids: list[int], said: str) -> None:
    path = min(done.cache.rglob("*.parquet"))
    pq.write_table(pa.table({"_curator_dedup_id": ids, "_duplicate_group_id": [0, 0]}), path)
    with pytest.raises(DeviceError, match=f"ConnectedComponentsStage {said}"):
        read_groups(done, 12)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda batches: batches.popitem(), r"does not know .*\.parquet"),
        (lambda batches: batches.update({k: [0, 0] for k in batches}), r"gives the ids 0 to 0 to the \d texts of"),
        (lambda batches: batches.update({k: [0, v[1] - v[0]] for k, v in batches.items()}), "same ids to two files"),
        (
            lambda batches: batches.update({k: [v[0] + 7, v[1] + 7] for k, v in batches.items()}),
            r"gives the ids \d+ to \d+ to .*; 10 were",
        ),
    ],
    ids=["missing", "short", "same", "shifted"],
)
def test_the_registry_is_checked(done: Job, change: Callable[[dict], None], said: str) -> None:
    rewrite(done.output / "fuzzy_id_generator.json", lambda registry: change(registry["batch_registry"]))
    with pytest.raises(DeviceError, match=said):
        read_groups(done, 12)


@pytest.mark.parametrize("name", ["output/fuzzy_id_generator.json", "finished.json"])
@pytest.mark.parametrize("text", ["", "{}", None], ids=["empty", "no key", "absent"])
def test_an_unreadable_file_is_named_with_the_remedy(done: Job, name: str, text: str | None) -> None:
    path = done.folder / name
    path.unlink()
    if text is not None:
        path.write_text(text)
    with pytest.raises(DeviceError, match=rf"{name}, a file of .* cannot be read .* Remedy: remove {done.folder} and"):
        read_groups(done, 12)
