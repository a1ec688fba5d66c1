"""The registry: which files a benchmark consists of, frozen by their digests, and which fields make an item.

A registry file is YAML and describes one benchmark; it holds none of its content.  Paths are relative, so that the
files may lie anywhere.  A file that is not what it was when frozen is refused, since it must be known exactly what was
protected.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import Field, ValidationError, field_validator

from gpucurate.core.digests import digest_file, digest_settings
from gpucurate.core.errors import InputError, UserError
from gpucurate.recipe.mistakes import explain
from gpucurate.recipe.model import Block
from gpucurate.steps.decontaminate.config import Action

HELD_OUT = "held_out"  # where a benchmark's name stands, for documents of the corpus itself
SUFFIXES = (".yaml", ".yml")
GLOB = frozenset("*?[")


class RegistryFile(Block):
    """A file of a benchmark, or several by a glob."""

    path: str = Field(min_length=1, description="Relative path, or a glob.")
    digest: str | None = Field(None, description="BLAKE3 of the file, or of the names and digests of all files.")


class Benchmark(Block):
    """One benchmark of the registry."""

    name: str = Field(pattern=r"^[\w.-]+$", description="Letters, digits, `-`, `_`, `.`: how reports call it.")
    version: str = Field(description="Which state of the benchmark this is, in words.")
    origin: str = Field("", description="Where its files come from.")
    files: tuple[RegistryFile, ...] = Field(min_length=1, description="Its files.")
    format: Literal["auto", "jsonl", "json", "csv", "tsv", "parquet"] = Field(
        "auto", description="Format of the files; by default as their names end (a further .gz is unpacked)."
    )
    records: str | None = Field(None, description="Key under which a JSON file holds its list of records.")
    columns: tuple[str, ...] | None = Field(None, description="Names of the columns of a table without a header.")
    items: tuple[tuple[str, ...], ...] = Field(
        min_length=1,
        description="What is searched for of each record: lists of fields, each list one text. A dot leads into a "
        "mapping, and through lists; `A. {choice}` is a field with words that are printed beside it.",
    )
    without: str | None = Field(None, description="Regular expression of marks that are left out of every text.")
    n: int | None = Field(None, ge=2, description="Words in a gram, for this benchmark.")
    threshold: float | None = Field(None, gt=0, le=1, description="Share of grams, for this benchmark.")
    verdict: Action | None = Field(None, description="What becomes of a document, for this benchmark.")

    @field_validator("name")
    @classmethod
    def _not_reserved(cls, name: str) -> str:
        if name == HELD_OUT:
            raise ValueError(f"{HELD_OUT} names the corpus's own held-out share; choose another name")
        return name

    @field_validator("items")
    @classmethod
    def _no_empty_text(cls, items: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
        if not all(fields and all(fields) for fields in items):
            raise ValueError("expected lists of field names, such as [[question], [question, choices]]")
        return items

    @field_validator("without")
    @classmethod
    def _compiles(cls, pattern: str | None) -> str | None:
        try:
            re.compile(pattern or "")
        except re.error as error:
            raise ValueError(f"not a regular expression: {error}") from error
        return pattern


@dataclass(frozen=True, slots=True)
class Registered:
    """A benchmark and the registry file that describes it."""

    benchmark: Benchmark
    source: Path
    folder: Path  # where relative paths begin

    @property
    def identity(self) -> str:
        """Digest of everything that shapes what is protected."""
        return digest_settings(self.benchmark.model_dump(mode="json"))


def open_registry(paths: Sequence[str], folder: str | None) -> list[Registered]:
    """Benchmarks of registry files and of folders of them.  Raises UserError."""
    found = [read_registry_file(path, folder) for each in paths for path in _files_of(Path(each))]
    names = [one.benchmark.name for one in found]
    for name in names:
        if names.count(name) > 1:
            both = ", ".join(str(one.source) for one in found if one.benchmark.name == name)
            raise UserError(f"two benchmarks of the registry are called {name!r} ({both}); names must differ")
    return found


def read_registry_file(path: Path, folder: str | None = None) -> Registered:
    """One registry file, checked.  Raises UserError that names the key."""
    try:
        data: Any = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise UserError(f"cannot read registry file {path}: {error}") from error
    if not isinstance(data, dict):
        raise UserError(f"registry file {path} must be a mapping with the keys {', '.join(Benchmark.model_fields)}")
    try:
        benchmark = Benchmark.model_validate(data)
    except ValidationError as error:
        raise UserError(explain(error, Benchmark, str(path))) from error
    return Registered(benchmark, path, Path(folder) if folder is not None else path.parent)


def matched_files(registered: Registered, file: RegistryFile) -> list[Path]:
    """The files that an entry names, by name.  Raises InputError if there are none."""
    pattern = file.path
    if GLOB & set(pattern):
        found = sorted(path for path in registered.folder.glob(pattern) if path.is_file())
    else:
        path = registered.folder / pattern
        found = [path] if path.is_file() else []
    if not found:
        raise InputError(
            f"benchmark {registered.benchmark.name!r}: there is no file {registered.folder / pattern}. Remedy: fetch "
            f"it from {registered.benchmark.origin or 'its origin'}, or say with `folder` where it lies"
        )
    return found


def digest_of(registered: Registered, file: RegistryFile) -> str:
    """Digest of an entry as it is now: of the file, or of the names and digests of a glob's files."""
    paths = matched_files(registered, file)
    if not GLOB & set(file.path):
        return digest_file(paths[0])
    named = [[path.relative_to(registered.folder).as_posix(), digest_file(path)] for path in paths]
    return digest_settings(named)


def check_frozen(registered: Registered) -> None:
    """Raises UserError for an entry that was never frozen, or whose files changed since."""
    for file in registered.benchmark.files:
        remedy = f"gpucurate registry freeze {registered.source}"
        if file.digest is None:
            raise UserError(f"{registered.source}: {file.path} has no digest yet. Remedy: {remedy}")
        now = digest_of(registered, file)
        if now != file.digest:
            raise UserError(
                f"benchmark {registered.benchmark.name!r}: {file.path} is not what was frozen: digest {now}, frozen "
                f"{file.digest}. Remedy: bring the frozen files back, or, if the new ones are meant, {remedy}"
            )


def _files_of(path: Path) -> Iterator[Path]:
    if path.is_dir():
        found = sorted(each for each in path.iterdir() if each.suffix in SUFFIXES)
        if not found:
            raise UserError(f"registry folder {path} has no YAML file")
        yield from found
    else:
        yield path
