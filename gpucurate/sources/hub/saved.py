"""Local directories written by `save_to_disk` of the package `datasets`: Arrow streams, listed in a state file.

They are read without that package.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from gpucurate.core.errors import InputError, RecipeError
from gpucurate.recipe.mistakes import did_you_mean
from gpucurate.sources.contract import InputFile
from gpucurate.sources.files import open_input
from gpucurate.sources.local_files import describe

SPLITS_FILE = "dataset_dict.json"
STATE_FILE = "state.json"


def is_saved(directory: Path) -> bool:
    """True for a directory that `save_to_disk` wrote, of one split or several."""
    return (directory / SPLITS_FILE).is_file() or (directory / STATE_FILE).is_file()


class SavedSplit:
    """A split in such a directory.  A directory of a single split is that split, whatever its name."""

    def __init__(self, directory: Path, split: str) -> None:
        home = directory
        if (directory / SPLITS_FILE).is_file():
            splits: list[str] = _load(directory / SPLITS_FILE)["splits"]
            if split not in splits:
                raise RecipeError(f"split: {directory} has no split {split!r}{did_you_mean(split, splits)}")
            home = directory / split
        names = [entry["filename"] for entry in _load(home / STATE_FILE)["_data_files"]]
        self.files = [_describe(home / name, directory) for name in names]

    def batches(self, file: InputFile, columns: list[str]) -> Iterator[pa.RecordBatch]:
        """Rows of one Arrow file; all its columns, since it is read through anyway."""
        with open_input(file) as stream:
            yield from pa.ipc.open_stream(stream)


def _load(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {path}: {error}") from error


def _describe(path: Path, directory: Path) -> InputFile:
    size, digest = describe(str(path))
    return InputFile(str(path), size, digest, path.relative_to(directory.parent).as_posix())
