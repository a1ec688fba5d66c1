"""An index of documents that were kept: what a later run needs to recognise them without reading their text.

A folder with `index.json` and numbered chunks, each three mapped files: `documents` (row, record_id, source, uri,
shingles, signature), `bands` (key, at; sorted) and, where it was asked for, `sets` (row, hashes).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.ipc as ipc

from gpucurate.core.digests import digest_file, digest_settings
from gpucurate.core.errors import InputError, UserError
from gpucurate.steps.near_duplicates.order import INDEXED, ORDER, numbers_of
from gpucurate.steps.near_duplicates.signing import SEED

NAME = "index.json"
FORMAT = 1
CHUNK_NAME = r"(documents|bands|sets)-\d{5,}\.arrow"  # what `chunk_name` gives


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """What two corpora must share to be compared."""

    shingle: int
    bands: int
    rows: int
    scope: str
    seed: int = SEED


@dataclass(frozen=True)
class Index:
    """An index on disk, opened."""

    folder: Path
    settings: IndexSettings
    exact: bool  # shingle sets are there
    chunks: tuple[int, ...]  # documents of each
    digests: dict[str, str]

    @property
    def digest(self) -> str:
        """Identity of the content, wherever it lies."""
        return digest_settings(self.digests)

    @cached_property
    def documents(self) -> list[pa.Table]:
        """A table a chunk."""
        return [self._table("documents", n) for n in range(len(self.chunks))]

    @cached_property
    def bands(self) -> list[pa.Table]:
        """A table a chunk, schema signing.BANDS."""
        return [self._table("bands", n) for n in range(len(self.chunks))]

    @cached_property
    def sets(self) -> list[pa.Table]:
        """A table a chunk; for exact indexes only."""
        return [self._table("sets", n) for n in range(len(self.chunks))]

    @cached_property
    def orders(self) -> list[pa.Table]:
        """A table a chunk, schema order.ORDER: before every document of the corpus."""
        return [
            pa.table(
                [
                    table["row"],
                    table["record_id"],
                    pa.array(np.full(table.num_rows, INDEXED, np.uint64)),
                    pa.array(numbers_of(table["record_id"])),
                ],
                schema=ORDER,
            ).combine_chunks()
            for table in self.documents
        ]

    def _table(self, kind: str, number: int) -> pa.Table:
        path = self.folder / chunk_name(kind, number)
        try:
            table = ipc.open_file(pa.memory_map(str(path))).read_all().combine_chunks()
        except (OSError, pa.ArrowInvalid) as error:
            raise InputError(
                f"index {self.folder}: cannot read {path.name}: {error}. Remedy: build it again"
            ) from error
        if kind != "bands" and table.num_rows != self.chunks[number]:
            raise InputError(
                f"index {self.folder}: {path.name} has {table.num_rows} documents, {NAME} says "
                f"{self.chunks[number]}. Remedy: build it again"
            )
        return table


def chunk_name(kind: str, number: int) -> str:
    """File of a chunk."""
    return f"{kind}-{number:05d}.arrow"


def write_index_mark(folder: Path, settings: IndexSettings, exact: bool, chunks: Sequence[int]) -> bytes:
    """Content of index.json for chunks that are written."""
    kinds = ("documents", "bands", "sets") if exact else ("documents", "bands")
    names = [chunk_name(kind, number) for number in range(len(chunks)) for kind in kinds]
    content = {
        "format": FORMAT,
        "settings": asdict(settings),
        "exact": exact,
        "chunks": list(chunks),
        "digests": {name: digest_file(folder / name) for name in names},
    }
    return json.dumps(content, indent=1).encode() + b"\n"


def open_indexes(folders: Sequence[str], wanted: IndexSettings, exact: bool) -> list[Index]:
    """Indexes that fit, each another one; raises as `open_index`, and UserError for one that is named twice."""
    indexes: dict[str, Index] = {}
    for folder in folders:
        index = open_index(folder, wanted, exact)
        if not sum(index.chunks):
            continue
        if index.digest in indexes:
            raise UserError(
                f"near_duplicates.against: {folder} and {indexes[index.digest].folder} are the same index, whose "
                "documents would be counted twice. Remedy: name it once"
            )
        indexes[index.digest] = index
    return list(indexes.values())


def open_index(folder: str, wanted: IndexSettings, exact: bool) -> Index:
    """An index that fits; raises InputError if it is none or damaged, UserError if it was built with other settings."""
    path = Path(folder) / NAME
    try:
        content = json.loads(path.read_bytes())
        if content["format"] != FORMAT:
            raise UserError(
                f"index {folder} has format {content['format']}, this version reads {FORMAT}. Remedy: build it again"
            )
        settings = IndexSettings(**content["settings"])
        chunks = tuple(map(int, content["chunks"]))
        index = Index(Path(folder), settings, bool(content["exact"]), chunks, dict(content["digests"]))
    except (FileNotFoundError, NotADirectoryError) as error:
        raise InputError(
            f"near_duplicates.against: {folder!r} is no index (it holds no {NAME}). "
            "Remedy: name a folder that `gpucurate index` wrote"
        ) from error
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise InputError(f"near_duplicates.against: {path} is damaged ({error}). Remedy: build it again") from error
    different = [
        f"{name} {old} (here {new})"
        for (name, old), new in zip(asdict(settings).items(), asdict(wanted).values(), strict=True)
        if old != new
    ]
    if different:
        raise UserError(
            f"index {folder} was built with {', '.join(different)}. "
            "Remedy: use the settings of the index, or build it again with these"
        )
    if exact and not index.exact:
        raise UserError(
            f"index {folder} holds signatures only, which `verify: jaccard` cannot compare exactly. "
            "Remedy: build it without --signatures-only, or choose `verify: signature`"
        )
    for name in index.digests:
        if not (Path(folder) / name).is_file():
            raise InputError(f"index {folder}: {name} is missing. Remedy: build it again")
    return index
