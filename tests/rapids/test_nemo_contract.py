"""What the adapter takes for granted, held against the installed NeMo Curator; no GPU needed."""

from __future__ import annotations

import importlib
import json
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gpucurate.core.errors import DeviceError
from gpucurate.device.choice import what_is_lacking
from gpucurate.steps import nemo_process
from gpucurate.steps.near_duplicates.nemo import COMMAND, find_groups, groups, installed, nemo_groups, workflow
from gpucurate.steps.near_duplicates.nemo.job import Job, prepare
from tests.steps.near_duplicates.nemo_cases import SETTINGS, tables


@pytest.fixture
def job(tmp_path: Path) -> Job:
    made = prepare(tables(["same", "", "other"], ["Same"]), SETTINGS, tmp_path)
    for folder in made.cache, made.output:
        folder.mkdir()
    return made


def test_the_version_is_one_that_was_read() -> None:
    assert version("nemo-curator").startswith(installed.KNOWN)


def test_the_packages_asked_for_are_those_imported() -> None:
    importlib.import_module("nemo_curator.stages.deduplication.fuzzy.workflow")
    assert set(installed.RAPIDS) <= {name.partition(".")[0] for name in sys.modules}


def test_names_of_columns_and_files() -> None:
    from nemo_curator.stages.deduplication import id_generator
    from nemo_curator.stages.deduplication.fuzzy import utils
    from nemo_curator.stages.deduplication.fuzzy import workflow as theirs

    assert id_generator.CURATOR_DEDUP_ID_STR == groups.ID
    assert utils.CURATOR_FUZZY_DUPLICATE_GROUP_FIELD == groups.GROUP
    assert theirs.ID_GENERATOR_OUTPUT_FILENAME == groups.REGISTRY


def test_the_workflow_takes_our_settings(job: Job) -> None:
    made = workflow.workflow_of(job)
    assert (made.char_ngrams, made.num_bands, made.minhashes_per_band, made.num_hashes) == (24, 14, 8, 112)
    assert made.bands_per_iteration == 5
    assert made.text_field in pq.read_schema(job.paths[0]).names


def test_few_bands_are_accepted(tmp_path: Path) -> None:
    few = prepare(tables(["a", "b"]), SETTINGS._replace(bands=2), tmp_path)
    assert workflow.workflow_of(few).bands_per_iteration == 2


def test_stages_and_where_they_write(job: Job) -> None:
    made = workflow.workflow_of(job)
    first = made._create_minhash_pipeline(generate_input_filegroups=False)
    assert [stage.name for stage in first.stages] == ["MinHashStage"]
    last = {stage.name: stage for stage in made._create_connected_components_pipeline().stages}
    assert list(last) == ["BucketsToEdgesStage", "ConnectedComponentsStage", "IdentifyDuplicates"]
    assert Path(last["ConnectedComponentsStage"].output_path) == job.cache / groups.COMPONENTS
    assert Path(last["IdentifyDuplicates"].output_path) == job.output / "FuzzyDuplicateIds"


def test_a_task_a_file_is_accepted(job: Job) -> None:
    tasks = workflow.tasks_of(job)
    workflow.workflow_of(job)._validate_initial_tasks(tasks)
    assert [task.data for task in tasks] == [[str(path)] for path in job.paths]
    assert all(task.validate() for task in tasks)


def test_a_registry_of_theirs_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from nemo_curator.stages.deduplication.id_generator import IdGeneratorBase

    from gpucurate.steps.near_duplicates.nemo import job as jobs
    from tests.steps.near_duplicates.nemo_cases import write_small_files

    monkeypatch.setattr(jobs, "write_text_files", write_small_files)
    texts = [f"a text of twenty letters {n % 4}" for n in range(7)]
    made = prepare(tables(texts[:3], ["", *texts[3:]]), SETTINGS, tmp_path)
    generator = IdGeneratorBase()
    for path, count in reversed(list(zip(made.paths, made.counts, strict=True))):
        generator.register_batch([str(path)], count)
        generator.register_batch([str(path)], count)  # a task that is tried again keeps its ids
    made.output.mkdir()
    generator.to_disk(str(made.output / groups.REGISTRY))
    assert json.loads((made.output / groups.REGISTRY).read_text())["next_id"] == made.documents == 7
    assert len(made.files) == 7
    stage = made.cache / groups.COMPONENTS
    stage.mkdir(parents=True)
    ids = np.array([0, 1, 2, 4, 5, 6])  # 6 is the first text, 3 the only one without a copy
    rows = {groups.ID: ids, groups.GROUP: (6 - ids) % 4}
    pq.write_table(pa.table(rows), stage / "r0.parquet")
    made.finished.write_text('{"duplicates": 3}')
    assert groups.read_groups(made, 8).tolist() == [0, 1, 2, -1, -1, 0, 1, 2]


def test_edges_are_made_of_what_theirs_reads(job: Job) -> None:
    """The one stage that runs without a GPU: buckets to the edges whose components we read."""
    from nemo_curator.stages.deduplication.fuzzy.buckets_to_edges import BucketsToEdgesStage
    from nemo_curator.tasks import FileGroupTask

    buckets = job.folder / "part.0.parquet"
    pq.write_table(pa.table({"_bucket_id": ["b0_x", "b0_y"], groups.ID: [[0, 1, 2], [4, 7]]}), buckets)
    done = BucketsToEdgesStage(output_path=str(job.cache)).process(FileGroupTask(dataset_name="t", data=[str(buckets)]))
    edges = pq.read_table(done.data[0]).to_pydict()
    assert edges == {f"{groups.ID}_x": [0, 1, 4], f"{groups.ID}_y": [1, 2, 7]}


def test_a_slurm_array_would_share_the_files_out_unless_told_not_to(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    from nemo_curator.backends.slurm_array import SlurmArrayConfig

    monkeypatch.setenv("SLURM_ARRAY_TASK_ID", "1")
    monkeypatch.setenv("SLURM_ARRAY_TASK_COUNT", "2")
    assert SlurmArrayConfig.from_env() is not None
    for name, value in nemo_process._environment(job).items():
        monkeypatch.setenv(name, value)
    assert SlurmArrayConfig.from_env() is None


@pytest.mark.skipif(what_is_lacking() is None, reason="there is a GPU")
def test_without_a_gpu_the_adapter_says_so(tmp_path: Path) -> None:
    with pytest.raises(DeviceError, match="engine 'nemo' needs a GPU, but"):
        nemo_groups(tables(["same", "same"]), 24, 14, 8, tmp_path)


@pytest.mark.skipif(what_is_lacking() is None, reason="there is a GPU")
def test_ray_starts_and_the_failure_of_the_first_gpu_stage_is_told(tmp_path: Path) -> None:
    """A real cluster, registry and pipeline up to the point where Ray finds no GPU for MinHashStage."""
    with pytest.raises(DeviceError, match=r"exit code 1\. Its log .*workflow\.log ends:") as failure:
        find_groups(tables(["same", "same"]), SETTINGS, tmp_path, COMMAND)
    assert "_setup_stage_on_node" in str(failure.value)
    log = next(tmp_path.glob("*/workflow.log")).read_text()
    assert "Token authentication is disabled" not in log
    assert not list(tmp_path.glob("*/finished.json"))


@pytest.mark.gpu
def test_on_a_gpu_equal_texts_are_grouped(tmp_path: Path) -> None:
    """Not run on a GPU so far."""
    lacking = what_is_lacking()
    if lacking is not None:
        pytest.skip(lacking)
    texts = [" ".join(f"word{(n * k) % 101}" for k in range(1, 200)) for n in range(1, 51)]
    found = nemo_groups(tables(texts, ["", *texts[:5]]), 24, 20, 13, tmp_path)
    assert found[51:].tolist() == found[:5].tolist() == [0, 1, 2, 3, 4]
    assert found[50] == -1
