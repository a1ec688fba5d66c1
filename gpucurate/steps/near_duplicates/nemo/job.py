"""A job for NeMo Curator: texts as Parquet files and the settings, in a folder named by the digest of both.

Another text, setting or version is another folder, so what an earlier run has left is never mixed with this one.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from gpucurate.core.digests import digest_file, digest_settings
from gpucurate.steps.near_duplicates.nemo.text_files import write_text_files


class Settings(NamedTuple):
    """What is asked of NeMo Curator: characters in a shingle, bands and rows of its LSH; and which version is asked."""

    shingle_chars: int
    bands: int
    rows: int
    version: str


@dataclass(frozen=True)
class Job:
    """One run of the workflow.  `files` are names in `texts`, `counts` the documents in each."""

    folder: Path
    settings: Settings
    files: tuple[str, ...]
    counts: tuple[int, ...]

    @property
    def documents(self) -> int:
        """Documents handed over."""
        return sum(self.counts)

    @property
    def paths(self) -> tuple[Path, ...]:
        """The Parquet files, absolute.  NeMo's id registry is keyed by these very strings."""
        return tuple(self.folder / "texts" / name for name in self.files)

    @property
    def description(self) -> Path:
        """The job itself as JSON, the argument of the subprocess."""
        return self.folder / "job.json"

    @property
    def cache(self) -> Path:
        """NeMo's `cache_path`: signatures, buckets, edges, components."""
        return self.folder / "cache"

    @property
    def output(self) -> Path:
        """NeMo's `output_path`: its id registry, and the ids it would remove."""
        return self.folder / "output"

    @property
    def log(self) -> Path:
        """What the subprocess and Ray printed."""
        return self.folder / "workflow.log"

    @property
    def finished(self) -> Path:
        """Written last: `{"duplicates": ids NeMo would remove}`."""
        return self.folder / "finished.json"


def prepare(texts: Sequence[pa.Table], settings: Settings, work: Path) -> Job:
    """Write the texts and the job's description; a finished job with the same texts and settings is left as it is.

    One call at a time may use `work`.
    """
    work = work.resolve()
    new = work / "writing"
    _remove(new)
    (new / "texts").mkdir(parents=True)
    written = write_text_files(texts, new / "texts")
    digests = {name: digest_file(new / "texts" / name) for name in written}
    folder = work / digest_settings({"texts": digests, "settings": settings._asdict()})[:32]
    job = Job(folder, settings, tuple(written), tuple(written.values()))
    if job.finished.exists():
        _remove(new)
        return job
    (new / "job.json").write_text(json.dumps({**asdict(job), "folder": str(folder)}))
    _remove(folder)
    new.rename(folder)
    return job


def read_job(description: Path) -> Job:
    """The job that `prepare` described."""
    said = json.loads(description.read_text())
    return Job(Path(said["folder"]), Settings(*said["settings"]), tuple(said["files"]), tuple(said["counts"]))


def write_finished(job: Job, duplicates: int) -> None:
    """Say that the workflow has ended well; appears whole or not at all."""
    half = job.finished.with_suffix(".half")
    half.write_text(json.dumps({"duplicates": duplicates}))
    half.replace(job.finished)


def _remove(folder: Path) -> None:
    """Remove what an interrupted call has left, if anything."""
    if folder.exists():
        shutil.rmtree(folder)
