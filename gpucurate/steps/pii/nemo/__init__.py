"""The detectors of `pii` inside NeMo Curator: modifiers for pipelines of one's own, and `engine: nemo`.

`modifiers` has the two classes to put into a pipeline.  With `engine: nemo` the step hands its texts to such a pipeline
in a subprocess, and what comes back are the findings; policies are applied here, as always.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import pyarrow as pa

from gpucurate.core.errors import MissingExtra
from gpucurate.steps.nemo_process import run
from gpucurate.steps.pii.config import PiiConfig
from gpucurate.steps.pii.nemo.job import prepare, read_findings, waiting_for

__all__ = ["find_by_nemo", "find_in_job", "require_nemo"]

COMMAND = (sys.executable, "-m", "gpucurate.steps.pii.nemo.pipeline")
NEEDED = ("nemo_curator", "ray")


def find_by_nemo(texts: pa.Array | pa.ChunkedArray, config: PiiConfig) -> pa.Table:
    """What `Finder.find` finds in a large_string column, found in a NeMo Curator pipeline under Ray.

    Files pass through `gpucurate-nemo-pii` in the system's temporary folder (`TMPDIR`), which only its owner can enter;
    one call at a time uses it and others wait.  The folder of a job stays, with the log, if the pipeline fails.

    Raises MissingExtra without nemo_curator or ray, DeviceError if the pipeline fails or loses a document.
    """
    require_nemo()
    return find_in_job(texts, config, Path(tempfile.gettempdir()) / "gpucurate-nemo-pii", COMMAND)


def require_nemo() -> None:
    """Raises MissingExtra without nemo_curator or ray."""
    for package in NEEDED:
        if find_spec(package) is None:
            raise MissingExtra("step 'pii' with engine 'nemo'", package, "nemo")


def find_in_job(texts: pa.Array | pa.ChunkedArray, config: PiiConfig, work: Path, command: Sequence[str]) -> pa.Table:
    """`find_by_nemo` with the folder and the program that does the work given; it gets the path of a job."""
    with waiting_for(work):
        job = prepare(texts, config, work)
        if job.documents:
            run(command, job)
        findings = read_findings(job)
        shutil.rmtree(job.folder)
    return findings
