"""Data sets in any format that the package `datasets` reads, on the hub or in a local directory, streamed by file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from gpucurate.core.digests import digest_settings
from gpucurate.core.errors import InputError, MissingExtra, RecipeError
from gpucurate.sources import local_files, remote_files
from gpucurate.sources.contract import InputFile

BATCH_ROWS = 256
HUB_SCHEME = "hf://datasets/"  # then owner/name@commit/file


class StreamedSplit:
    """A split as `datasets` sees it.

    Where a shard of the stream is a data file, each file is read by itself; where it is not (archives), the split is
    one file.  Digests: BLAKE3 of local files, git blob ids of files on the hub, whose URLs carry the commit.
    """

    def __init__(self, path: str, split: str, subset: str | None, revision: str | None) -> None:
        builder = _builder(path, subset, revision)
        self._rows = _stream(builder, path, split)
        data_files = [str(name) for name in (builder.config.data_files or {}).get(split, [])]
        found = [_describe(name, path) for name in data_files]
        if len(found) != self._rows.num_shards:
            digest = digest_settings([[file.name, file.digest] for file in found] or builder.hash)
            found = [InputFile(path, sum(file.size for file in found), digest, f"{_short(path)}/{split}")]
        self.files = found

    def batches(self, file: InputFile, columns: list[str]) -> Iterator[pa.Table]:
        """Rows of one data file."""
        rows = self._rows
        if len(self.files) > 1:
            rows = rows.shard(num_shards=len(self.files), index=self.files.index(file))
        there = rows.column_names or []
        wanted = list(dict.fromkeys(name if name in there else name.split(".")[0] for name in columns))
        if wanted[0] in there:  # else all are shown to whoever says that the text is missing
            rows = rows.select_columns([name for name in wanted if name in there])
        yield from rows.with_format("arrow").iter(batch_size=BATCH_ROWS)


def _builder(path: str, subset: str | None, revision: str | None) -> Any:
    try:
        import datasets
    except ImportError as error:
        raise MissingExtra("the source `hub`", "datasets", "hub") from error
    try:
        return datasets.load_dataset_builder(path, name=subset, revision=revision)
    except ValueError as error:
        raise RecipeError(f"data set {path!r}: {error}") from error
    except (OSError, datasets.exceptions.DatasetsError) as error:
        raise InputError(
            f"data set {path!r} cannot be reached or does not exist: {error}. "
            "Remedy: check the name, the network and HF_TOKEN, or give a local directory"
        ) from error


def _stream(builder: Any, path: str, split: str) -> Any:
    try:
        return builder.as_streaming_dataset(split=split)
    except ValueError as error:
        raise RecipeError(f"split: data set {path!r}: {error}") from error


def _describe(url: str, path: str) -> InputFile:
    if "://" not in url:
        size, digest = local_files.describe(url)
        return InputFile(url, size, digest, f"{_short(path)}/{Path(os.path.relpath(url, path)).as_posix()}")
    size, digest = remote_files.describe(url)
    below = url.partition("@")[2].partition("/")[2] if url.startswith(HUB_SCHEME) else url.rpartition("/")[2]
    return InputFile(url, size, digest, f"{_short(path)}/{below}")


def _short(path: str) -> str:
    """A name for the data set that is the same on every machine."""
    return Path(path).name if Path(path).is_absolute() else path
