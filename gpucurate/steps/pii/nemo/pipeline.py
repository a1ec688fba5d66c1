"""A NeMo Curator pipeline that reads a job's texts and writes their findings; what `nemo_process` starts.

Ray Data runs it, on a Ray cluster of this process's own.  Read in NeMo Curator 1.4.0 (backends/ray_data).
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from gpucurate.steps.nemo_process import end_with_parent
from gpucurate.steps.pii.config import PiiConfig
from gpucurate.steps.pii.nemo.job import DOCUMENT, FOUND, TEXT, Job


def pipeline_of(job: Job, config: PiiConfig) -> Any:
    """Reader, modifier, writer.  Making the writer makes the output folder."""
    from nemo_curator.pipeline import Pipeline
    from nemo_curator.stages.text.io.reader import ParquetReader
    from nemo_curator.stages.text.io.writer import ParquetWriter
    from nemo_curator.stages.text.modifiers import Modify

    from gpucurate.steps.pii.nemo.modifiers import FindPii

    paths = sorted(str(path) for path in job.texts.glob("*.parquet"))
    return Pipeline(
        name="gpucurate-pii",
        stages=[
            ParquetReader(file_paths=paths, files_per_partition=1, fields=[DOCUMENT, TEXT]),
            Modify(FindPii(config), input_fields=TEXT, output_fields=FOUND),
            ParquetWriter(path=str(job.output), fields=[DOCUMENT, FOUND]),
        ],
    )


def main(description: str) -> None:
    """Run the job described in a file.  Any failure ends in a traceback and a non-zero exit code."""
    end_with_parent()
    folder = Path(description).parent
    job = Job(folder, sum(pq.read_metadata(path).num_rows for path in (folder / "texts").glob("*.parquet")))
    config = PiiConfig.model_validate_json(job.description.read_text())
    ray_folder = tempfile.mkdtemp(prefix="gpucurate-ray-")  # short: Ray's sockets are in it
    os.environ["RAY_ADDRESS"] = "local"  # not the cluster that a stale address file names
    os.environ["RAY_TMPDIR"] = ray_folder
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # Ray asks for a choice, and warns without one
    from nemo_curator.backends.ray_data import RayDataExecutor

    try:
        pipeline_of(job, config).run(RayDataExecutor())
        job.finished.touch()
    finally:
        shutil.rmtree(ray_folder, ignore_errors=True)  # Ray's processes may still be writing their last logs


if __name__ == "__main__":
    main(sys.argv[1])
