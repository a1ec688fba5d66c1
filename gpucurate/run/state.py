"""What a finished run leaves for the commands that look at it: the funnel, verification, samples."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from gpucurate.core.digests import canonical_json
from gpucurate.core.errors import StorageError, UserError
from gpucurate.core.tally import StepAccount
from gpucurate.run.live import RunContext
from gpucurate.run.reading import Part
from gpucurate.store.atomic import write_bytes
from gpucurate.store.directory import OutputDirectory, open_directory

STATE = "state.json"


@dataclass(frozen=True, slots=True)
class SettledPart:
    """A part with what was decided and encoded; paths are relative to the output directory."""

    part: Part
    decisions: str
    tokens: str | None


@dataclass(frozen=True, slots=True)
class RunState:
    """A whole run, at its end."""

    device: str
    parts: list[SettledPart]
    quarantine: list[str]  # tables that have rows
    corpus_keys: dict[str, str]  # of corpus-scope steps, by label
    compared: dict[str, dict[str, list[str]]]  # files of their stages, by label and stage
    tokenizer_file: str | None  # relative; None unless the tokenizer was trained here
    accounts: list[StepAccount]
    counts: dict[str, int]  # what the sources counted: pages, residue of markup, ...
    resources: dict[str, dict[str, str]] = field(default_factory=dict)  # digests of models and lists, by label and name


ADAPTER = TypeAdapter(RunState)


def write_state(directory: OutputDirectory, state: RunState) -> None:
    """Replace the state on disk; a run removes it when it begins, so that it never describes an unfinished one."""
    write_bytes(directory.report / STATE, ADAPTER.dump_json(state, indent=1))


def read_state(directory: OutputDirectory) -> RunState:
    """The state of a finished run; raises UserError if the run did not finish, StorageError if it is damaged."""
    path: Path = directory.report / STATE
    if not path.exists():
        raise UserError(f"the run in {directory.root} has not finished. Remedy: run the same recipe again, it resumes")
    try:
        return ADAPTER.validate_json(path.read_bytes())
    except ValidationError as error:
        reason = str(error).splitlines()[0]
        raise StorageError(f"{path} is damaged ({reason}). Remedy: run the same recipe again, it resumes") from error


def open_finished(path: str | Path) -> tuple[RunContext, RunState]:
    """Context and state of the finished run in a directory; what is there is read without a GPU, and without the models
    and word lists it was made with.

    Raises UserError if it is no output directory or its run did not finish, StorageError if it is damaged.
    """
    directory, mark = open_directory(path)
    state = read_state(directory)
    context = RunContext(str(directory.root), canonical_json(mark["recipe"]), "cpu", canonical_json(state.resources))
    return context, state


def forget_state(directory: OutputDirectory) -> None:
    """Called when a run begins."""
    (directory.report / STATE).unlink(missing_ok=True)


def trained_file(directory: OutputDirectory, state: RunState) -> Path | None:
    """The tokenizer that was trained in this run, if one was."""
    return directory.root / state.tokenizer_file if state.tokenizer_file else None
