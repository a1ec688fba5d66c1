"""What a source is to the runner: configuration in, units out, and chunks of documents from each unit.

The runner owns scheduling, artifacts and books.  A source owns formats: it must give the same chunks for the same
unit on every machine, and must account for each record it meets as document, dropped, or quarantined.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

import pyarrow as pa

from gpucurate.core.errors import RecipeError
from gpucurate.core.reasons import Reason
from gpucurate.core.tally import Tally
from gpucurate.recipe.model import SourceConfig
from gpucurate.sources.files import snapshot
from gpucurate.sources.input_file import InputFile as InputFile

CHUNK_BYTES = 64 << 20  # raw bytes after which a chunk closes; bounds the memory of every later task
Config = TypeVar("Config", bound=SourceConfig)


def _skip_none(uri: str) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Unit:
    """What one task reads: the bytes [start, stop) of a file as stored, or the whole file where it cannot be cut."""

    source: str  # the recipe's name
    file: InputFile
    start: int
    stop: int

    @property
    def whole(self) -> bool:
        """True if the unit is the entire file."""
        return self.start == 0 and self.stop == self.file.size


@dataclass(frozen=True, slots=True)
class Chunk:
    """Up to about `CHUNK_BYTES` of raw records, read and extracted.

    `entered` counts records and raw bytes; documents + dropped + quarantined records equal it.  `counts` are named
    integers that add up over chunks (residue of markup, records by type, damaged files).
    """

    documents: pa.Table  # core.documents.DOCUMENTS
    quarantine: pa.Table  # core.documents.QUARANTINE
    entered: Tally
    dropped: Mapping[str, Tally]  # records that are not documents by their nature, by reason; bytes are raw bytes
    counts: Mapping[str, int] = field(default_factory=dict)


class Source(ABC, Generic[Config]):
    """Base of all sources.  Subclasses set the class variables and implement `units` and `read`."""

    kind: ClassVar[str]  # the recipe's word
    version: ClassVar[int]  # part of the task key; raise it when the same bytes give other documents
    config_type: ClassVar[type[Any]]
    reasons: ClassVar[tuple[Reason, ...]]
    suffixes: ClassVar[tuple[str, ...]] = ()  # which files of a directory are meant; all of them if empty

    def __init__(self, name: str, config: Config) -> None:
        self.name = name
        self.config = config
        # Set by the runner when the recipe's first steps judge URIs alone: records it is true for are not extracted,
        # their documents have an empty text, and the step that blocks them says so in the funnel.
        self.skip_uri: Callable[[str], bool] = _skip_none

    def identity(self) -> dict[str, object]:
        """Everything besides the unit's bytes that shapes its documents; part of the task key.

        The default is the configuration without the paths.  A source with a model or engine adds its version.
        """
        return self.config.model_dump(mode="json", exclude={"path"})

    def files(self) -> list[InputFile]:
        """The snapshot: what the paths mean now, sorted by name.  Raises InputError for a path that means nothing."""
        return snapshot(self.config.path, self.suffixes)

    def units(self, files: Sequence[InputFile]) -> list[Unit]:
        """Cut the snapshot into units; the default is one unit a file."""
        return [Unit(self.name, file, 0, file.size) for file in files]

    @abstractmethod
    def read(self, unit: Unit) -> Iterator[Chunk]:
        """Read a unit, in constant memory.  Raises InputError only if the file cannot be read at all."""

    @property
    def wants_second_extraction(self) -> bool:
        """True if the recipe must extract the survivors of this source again, by the step that is made for it."""
        return False

    def reextract(self, unit: Unit, documents: pa.Table) -> tuple[pa.Array, pa.Array]:
        """Read the raw records of these documents again and extract them with the careful engine.

        `documents` has the columns of DOCUMENTS but `text`, all from this unit, in the order of reading.  Returns
        (text, failure): large_string and string arrays, exactly one of the two non-null in each row; failure is a
        reason code.
        """
        raise RecipeError(f"source {self.name!r} ({self.kind}) cannot extract its records a second time")

    def warm(self) -> None:
        """Compile the kernels this source uses, so that workers find them in the cache."""
