"""NeMo Curator's FuzzyDeduplicationWorkflow on a Ray cluster on this machine; what `nemo_process` starts.

Read in NeMo Curator 1.4.0 (stages/deduplication/fuzzy/workflow.py, core/client.py).  Not run on a GPU.
"""

from __future__ import annotations

import shutil
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any

from gpucurate.steps.near_duplicates.nemo.job import Job, read_job, write_finished
from gpucurate.steps.nemo_process import end_with_parent

BANDS_AT_A_TIME = 5  # the workflow's own default of `bands_per_iteration`; it must not exceed the bands


def workflow_of(job: Job) -> Any:
    """The workflow with a job's settings.  Its constructor touches no file."""
    from nemo_curator.stages.deduplication.fuzzy.workflow import FuzzyDeduplicationWorkflow

    return FuzzyDeduplicationWorkflow(
        cache_path=str(job.cache),
        output_path=str(job.output),
        input_filetype="parquet",
        text_field="text",
        char_ngrams=job.settings.shingle_chars,
        num_bands=job.settings.bands,
        minhashes_per_band=job.settings.rows,
        bands_per_iteration=min(BANDS_AT_A_TIME, job.settings.bands),
    )


def tasks_of(job: Job) -> list[Any]:
    """A task a file, instead of a folder that NeMo cuts by block size: so we know what its id registry is keyed by."""
    from nemo_curator.tasks import FileGroupTask

    return [FileGroupTask(dataset_name="texts", data=[str(path)]) for path in job.paths]


def main(description: str) -> None:
    """Run the job described in a file.  Any failure ends in a traceback and a non-zero exit code."""
    end_with_parent()
    import ray
    from nemo_curator.core.client import RayClient

    job = read_job(Path(description))
    job.cache.mkdir(exist_ok=True)
    job.output.mkdir(exist_ok=True)
    # The workflow connects to Ray and leaves it several times, and its id registry must live on in between: so it needs
    # a cluster that stays (RAY_ADDRESS=local would start one at each connection).  Ray's sockets need a short path.
    ray_folder = tempfile.mkdtemp(prefix="gpucurate-ray-")
    client = RayClient(ray_temp_dir=ray_folder, include_dashboard=False)
    try:
        client.start()
        result = workflow_of(job).run(initial_tasks=tasks_of(job))
        write_finished(job, int(result.get_metadata("num_duplicates")))
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        ray.shutdown()  # a process still connected would wait a minute for the cluster, then die without its traceback
        client.stop()
        shutil.rmtree(ray_folder, ignore_errors=True)  # Ray's processes may still be writing their last logs


if __name__ == "__main__":
    main(sys.argv[1])
