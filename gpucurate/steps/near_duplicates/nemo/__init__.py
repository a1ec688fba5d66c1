"""NeMo Curator's fuzzy deduplication as the one that proposes candidates (`engine: nemo`).

The texts go to Parquet files, NeMo's workflow runs on its own Ray cluster in a subprocess, and its ids come back as
groups of our documents.  Groups are proposals: NeMo compares nothing exactly, so the step verifies and chooses.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpucurate.steps.near_duplicates.nemo.groups import read_groups
from gpucurate.steps.near_duplicates.nemo.installed import require_nemo
from gpucurate.steps.near_duplicates.nemo.job import Settings, prepare
from gpucurate.steps.nemo_process import run

__all__ = ["NEMO_SHINGLE_CHARS", "find_groups", "nemo_groups"]

# The default of FuzzyDeduplicationWorkflow(char_ngrams=...); under 20 it warns of false positives.
NEMO_SHINGLE_CHARS = 24
COMMAND = (sys.executable, "-m", "gpucurate.steps.near_duplicates.nemo.workflow")


def nemo_groups(texts: Sequence[pa.Table], shingle_chars: int, bands: int, rows: int, work: Path) -> NDArray[np.int64]:
    """The group of duplicates that NeMo Curator puts each document in: its least document, or -1 without a group.

    `texts`: a table a part in corpus order, of which the column `text` (large_string) is read.  Documents are numbered
    through all parts.  `work` is a folder for the files that pass between the two; what an interrupted call has
    finished there is found again.

    Raises MissingExtra without nemo_curator, UserError for another version of it, DeviceError without a GPU or if the
    workflow fails.
    """
    settings = Settings(shingle_chars, bands, rows, require_nemo())
    return find_groups(texts, settings, work, COMMAND)


def find_groups(texts: Sequence[pa.Table], settings: Settings, work: Path, command: Sequence[str]) -> NDArray[np.int64]:
    """`nemo_groups` with the program that does the work given: `command` and the path of a job are its arguments.

    Documents without text are in no group and are not handed over.
    """
    documents = sum(table.num_rows for table in texts)
    job = prepare(texts, settings, work)
    if job.documents < 2:
        return np.full(documents, -1, np.int64)
    if not job.finished.exists():
        run(command, job)
    return read_groups(job, documents)
