"""The source `hub`: which data files a split has, and their rows as documents."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pyarrow as pa
from pydantic import Field

from gpucurate.core.errors import InputError
from gpucurate.sources.contract import Chunk, InputFile, Source, Unit
from gpucurate.sources.fields import FieldsConfig
from gpucurate.sources.hub.saved import SavedSplit, is_saved
from gpucurate.sources.hub.streamed import StreamedSplit
from gpucurate.sources.tables import RowReader, check_text_column, row_reasons


class HubConfig(FieldsConfig):
    """Hugging Face data sets; `path` is a name on the hub or a local directory."""

    split: str = Field("train", description="Split to read.")
    subset: str | None = Field(None, description="Subset (also called configuration), where a data set has several.")
    revision: str | None = Field(None, description="Branch, tag or commit of a data set on the hub; pins it.")


class Hub(Source[HubConfig]):
    """`position` is the number of the row in its data file, the URI of a row without a URL is
    `file#position`, and the raw payload of a row is its text."""

    kind = "hub"
    version = 1
    config_type = HubConfig
    reasons = row_reasons("hub")

    def files(self) -> list[InputFile]:
        """Data files of the split, sorted by name.  Raises MissingExtra without the package `datasets`, InputError if
        a data set cannot be reached, RecipeError if it has no such split or subset."""
        return sorted((file for path in self.config.path for file in self._split(path).files), key=lambda f: f.name)

    def read(self, unit: Unit) -> Iterator[Chunk]:
        """Documents of one data file.  Raises InputError if the data set is no longer what it was."""
        reader = RowReader(self.kind, self.name, unit.file.name, self.config)
        batches = self._batches(unit.file)
        done = 0
        while True:
            try:
                batch = next(batches, None)
            except (pa.ArrowException, ValueError, OSError) as error:
                reader.damage(done, str(error))
                break
            if batch is None:
                break
            if done == 0:
                check_text_column(batch.schema, self.config, unit.file.name)
            yield from reader.add(batch, done)
            done += batch.num_rows
        yield from reader.close()

    def _batches(self, file: InputFile) -> Iterator[pa.RecordBatch]:
        for path in self.config.path:
            split = self._split(path)
            if file in split.files:
                return split.batches(file, self.config.field_names())
        raise InputError(f"{file.url} is not what the run listed. Remedy: set `revision` to a commit, then run again")

    def _split(self, path: str) -> SavedSplit | StreamedSplit:
        return _open_split(path, self.config.split, self.config.subset, self.config.revision)


@lru_cache(maxsize=16)
def _open_split(path: str, split: str, subset: str | None, revision: str | None) -> SavedSplit | StreamedSplit:
    """Opened once per process: it asks the hub."""
    directory = Path(path).expanduser()
    if path.startswith(("/", "./", "../", "~")) and not directory.is_dir():
        raise InputError(f"no such directory: {path}")
    if is_saved(directory):
        return SavedSplit(directory.absolute(), split)
    return StreamedSplit(str(directory.absolute()) if directory.is_dir() else path, split, subset, revision)
