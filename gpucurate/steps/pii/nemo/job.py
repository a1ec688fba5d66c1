"""A job for NeMo Curator: texts as Parquet files and the settings in a folder, and the findings read back.

Nothing that comes back is taken on trust: a document that is lost or comes twice would keep its personal data.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from gpucurate.core.errors import DeviceError
from gpucurate.steps.pii.config import PiiConfig
from gpucurate.steps.pii.findings import FINDINGS

FILE_BYTES = 8 << 20  # of text in a file, which is one task of NeMo's: enough files to keep the cores of a machine busy
DOCUMENT, TEXT, FOUND = "document", "text", "findings"  # columns of the files


@dataclass(frozen=True)
class Job:
    """One run of the pipeline; what is in `folder` are names and settings in `job.json`, texts, and what comes back."""

    folder: Path
    documents: int

    @property
    def texts(self) -> Path:
        """Parquet files with `document` (int64, place in the column) and `text`."""
        return self.folder / "texts"

    @property
    def output(self) -> Path:
        """Parquet files with `document` and `findings`, as `modifiers.FindPii` writes them."""
        return self.folder / "output"

    @property
    def description(self) -> Path:
        """The settings of `pii` as JSON, the argument of the subprocess."""
        return self.folder / "job.json"

    @property
    def log(self) -> Path:
        """What the subprocess and Ray printed."""
        return self.folder / "pipeline.log"

    @property
    def finished(self) -> Path:
        """Empty file, written last."""
        return self.folder / "finished"


@contextmanager
def waiting_for(work: Path) -> Iterator[None]:
    """Hold a folder that only its owner can enter, waiting for whoever has it; freed when the holder dies."""
    work.mkdir(mode=0o700, parents=True, exist_ok=True)
    work.chmod(0o700)  # raises where it is someone else's
    with (work / "lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def prepare(texts: pa.Array | pa.ChunkedArray, config: PiiConfig, work: Path) -> Job:
    """Write texts and settings; what a killed call has left is removed."""
    job = Job(work.resolve() / "job", len(texts))
    if job.folder.exists():
        shutil.rmtree(job.folder)
    job.texts.mkdir(parents=True)
    table = pa.table({DOCUMENT: pa.array(np.arange(len(texts))), TEXT: texts})
    job.description.write_text(config.model_dump_json())
    for number, (start, stop) in enumerate(_runs(texts)):
        pq.write_table(table.slice(start, stop - start), job.texts / f"{number:06d}.parquet")
    return job


def read_findings(job: Job) -> pa.Table:
    """Schema FINDINGS, by document.  Raises DeviceError if a document is missing or there twice."""
    seen = np.zeros(job.documents, np.int64)
    found: list[tuple[int, str]] = []
    for path in sorted(job.output.glob("*.parquet")):
        table = pq.read_table(path, columns=[DOCUMENT, FOUND])
        np.add.at(seen, table[DOCUMENT].to_numpy(), 1)
        found += zip(table[DOCUMENT].to_pylist(), table[FOUND].to_pylist(), strict=True)
    if (seen != 1).any():
        document = int(np.flatnonzero(seen != 1)[0])
        raise DeviceError(
            f"NeMo Curator gave document {document} of a part back {seen[document]} times. "
            f"Remedy: read {job.log}, or choose engine: native"
        )
    rows = [(document, *each) for document, text in sorted(found) for each in json.loads(text)]
    columns = list(zip(*rows, strict=True)) or [()] * len(FINDINGS)
    return pa.table([pa.array(c, f.type) for c, f in zip(columns, FINDINGS, strict=True)], schema=FINDINGS)


def _runs(texts: pa.Array | pa.ChunkedArray) -> Iterator[tuple[int, int]]:
    """Rows that go into one file: up to FILE_BYTES, at least one, and no more than lets every core have some."""
    lengths = pc.binary_length(texts).to_numpy()
    ends = np.cumsum(lengths)
    most = min(FILE_BYTES, int(ends[-1]) // (os.cpu_count() or 1) + 1) if len(ends) else 1
    start = 0
    while start < len(ends):
        before = int(ends[start - 1]) if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, before + most, side="right")))
        yield start, stop
        start = stop
