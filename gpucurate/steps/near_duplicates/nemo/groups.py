"""NeMo Curator's files read back: its ids to our documents, its components to groups.

The layout is that of NeMo Curator 1.4.0, learned from its modules under stages/deduplication; tests/rapids holds these
names against the installed package.  Nothing in the files is taken on trust: a lost or doubled row would remove a
document for no reason.
"""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from gpucurate.core.errors import DeviceError
from gpucurate.steps.near_duplicates.nemo.job import Job

REGISTRY = "fuzzy_id_generator.json"  # fuzzy/workflow.py: ID_GENERATOR_OUTPUT_FILENAME
COMPONENTS = "ConnectedComponentsStage"  # fuzzy/connected_components.py: the stage's name, under cache_path
ID = "_curator_dedup_id"  # id_generator.py: CURATOR_DEDUP_ID_STR
GROUP = "_duplicate_group_id"  # fuzzy/utils.py: CURATOR_FUZZY_DUPLICATE_GROUP_FIELD

Numbers = NDArray[np.int64]


class _Wrong(Exception):
    """What is wrong with a file of a finished run."""


def read_groups(job: Job, documents: int) -> Numbers:
    """int64 [documents]: the least document of the group each one is in, -1 for those in none.

    Raises DeviceError, naming the file, if a file is missing, damaged or contradicts another.
    """
    try:
        return _groups(job, documents)
    except _Wrong as wrong:
        raise DeviceError(f"{wrong}. Remedy: remove {job.folder} and run again") from wrong


def _groups(job: Job, documents: int) -> Numbers:
    duplicates = int(_read_json(job.finished, "duplicates"))
    groups = np.full(documents, -1, np.int64)
    folder = job.cache / COMPONENTS
    ids, labels = _components(folder)
    members = _documents_of(job)[_checked(ids, job.documents, folder)]
    _, label = np.unique(labels, return_inverse=True)
    least = np.full(int(label.max(initial=-1)) + 1, documents, np.int64)
    np.minimum.at(least, label, members)
    if len(ids) - len(least) != duplicates:
        raise _Wrong(
            f"NeMo Curator reports {duplicates} duplicates, but {folder} has {len(ids)} documents in {len(least)} "
            "groups, so files are missing"
        )
    groups[members] = least[label]
    return groups


def batch_key(paths: list[str]) -> str:
    """What NeMo's id registry calls a group of files (id_generator.py, IdGeneratorBase.hash_files)."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, ";".join(paths)))


def _components(folder: Path) -> tuple[Numbers, Numbers]:
    """Ids and labels of all documents in a group.  There is no file if no two documents shared a bucket."""
    ids, labels = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for path in sorted(folder.glob("*.parquet")):
        table = _read(path, [ID, GROUP])
        ids.append(table[ID].to_numpy().astype(np.int64))
        labels.append(table[GROUP].to_numpy().astype(np.int64))
    return np.concatenate(ids), np.concatenate(labels)


def _checked(ids: Numbers, handed_over: int, folder: Path) -> Numbers:
    """The ids, if each is one that was given out and stands there once."""
    wrong = ids[(ids < 0) | (ids >= handed_over)]
    if len(wrong):
        raise _Wrong(f"{folder} has the id {wrong[0]}, which NeMo Curator gave to no document")
    if len(np.unique(ids)) != len(ids):
        raise _Wrong(f"{folder} puts a document into two groups")
    return ids


def _documents_of(job: Job) -> Numbers:
    """int64 [documents handed over]: our document for each of NeMo's ids, which it gave out as files arrived."""
    path = job.output / REGISTRY
    batches = _read_json(path, "batch_registry")
    documents = np.full(job.documents, -1, np.int64)
    for file, count in zip(job.paths, job.counts, strict=True):
        if (key := batch_key([str(file)])) not in batches:
            raise _Wrong(f"NeMo Curator's id registry {path} does not know {file}")
        first, last = batches[key]
        if last - first + 1 != count or not 0 <= first <= last < job.documents:
            raise _Wrong(
                f"NeMo Curator's id registry {path} gives the ids {first} to {last} to the {count} texts of {file}; "
                f"{job.documents} were handed over"
            )
        documents[first : last + 1] = _read(file, ["document"])["document"].to_numpy()
    if (documents < 0).any():
        raise _Wrong(f"NeMo Curator's id registry {path} gives the same ids to two files")
    return documents


def _read(path: Path, columns: list[str]) -> pa.Table:
    try:
        return pq.read_table(path, columns=columns, partitioning=None)
    except (OSError, pa.ArrowException) as error:
        raise _Wrong(f"{path}, a file of a NeMo Curator run, cannot be read ({error})") from error


def _read_json(path: Path, key: str) -> Any:
    try:
        return json.loads(path.read_text())[key]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _Wrong(f"{path}, a file of a NeMo Curator run, cannot be read ({error!r})") from error
