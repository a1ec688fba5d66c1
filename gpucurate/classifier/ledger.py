"""The ledger: a labels file that grows line by line, each on disk before the next thing is done.

Whatever kills the writer, a document is labelled once by each judge and repeat: a line that was cut short counts as not
written and is taken away when the ledger is opened again, a line that is whole is work done.  Answers that gave no
score go to a second file beside it, so that the labels file holds labels only.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from gpucurate.classifier.examples import SampledDocument, read_labels
from gpucurate.classifier.json_lines import as_line, read_objects
from gpucurate.core.errors import UserError
from gpucurate.store.atomic import storage_errors

UNUSABLE = ".unusable.jsonl"  # replaces the suffix of the labels file's name
Work = tuple[str, str, int]  # record id, judge, repeat


@dataclass(frozen=True, slots=True)
class GivenLabel:
    """A line of the labels file as this package writes it."""

    record_id: str
    score: float
    judge: str
    rubric: str
    repeat: int
    answer: str  # as it came
    text_digest: str
    tokens: dict[str, int] | None  # `prompt` and `completion`, as the server counted
    settings: str  # digest of what else shaped the answer: model, temperature, length of the excerpt, ...


@dataclass(frozen=True, slots=True)
class UnusableAnswer:
    """A line of the second file: an answer without a score, or a request that was refused."""

    record_id: str
    judge: str
    rubric: str
    repeat: int
    text_digest: str
    attempt: int  # from 1
    why: str
    answer: str
    tokens: dict[str, int] | None
    failed: bool  # the last attempt: no label will come unless asked for again


class Ledger:
    """An open labels file, locked against a second writer; use as a context."""

    def __init__(self, path: Path) -> None:
        """Open or create it; raises UserError if another process has it, StorageError, and InputError if damaged."""
        self.path = path
        self.unusable_path = path.with_name(path.name.removesuffix(".jsonl") + UNUSABLE)
        self._labels = _open(path)
        self._unusable: BinaryIO | None = None
        try:
            _lock(self._labels, path)
            _mend(self._labels, path)
            self._unusable = _open(self.unusable_path)
            _mend(self._unusable, self.unusable_path)
            self.labels = {(n.record_id, n.judge, n.repeat): n for _, n in read_labels([path])}
            self.failed: set[Work] = {
                (row["record_id"], row["judge"], row["repeat"])
                for _, row in read_objects(self.unusable_path)
                if row.get("failed")
            }
            self._settings = {row["judge"]: row.get("settings") for _, row in read_objects(path)}
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close both files, which frees the lock."""
        self._labels.close()
        if self._unusable is not None:
            self._unusable.close()

    def check(self, documents: Mapping[str, SampledDocument], judge: str, rubric: str, settings: str) -> None:
        """Raise UserError if this judge has labelled under another rubric, other settings, or another text."""
        for label in self.labels.values():
            if label.judge != judge:
                continue
            if label.rubric != rubric:
                raise UserError(
                    f"{self.path} holds labels of judge {judge!r} by another rubric ({label.rubric[:12]}, now "
                    f"{rubric[:12]}). Remedy: another file of labels, or the rubric it was begun with"
                )
            document = documents.get(label.record_id)
            if document is not None and document.text_digest != label.text_digest:
                raise UserError(
                    f"{self.path} holds a label for another text of document {label.record_id}. "
                    "Remedy: another file of labels for this sample"
                )
        before = self._settings.get(judge)
        if before is not None and before != settings:
            raise UserError(
                f"{self.path} holds labels of judge {judge!r} that were asked for with other settings (model, "
                "temperature, tokens, parameters or characters). Remedy: the same settings, another file of labels, or "
                "another --judge name"
            )

    def missing(self, documents: Iterable[str], judge: str, repeats: int, again: bool) -> list[Work]:
        """Work to do, in a fixed order; what failed before is work only if wanted `again`."""
        wanted = [(record_id, judge, repeat) for repeat in range(repeats) for record_id in sorted(documents)]
        return [work for work in wanted if work not in self.labels and (again or work not in self.failed)]

    def add(self, label: GivenLabel) -> None:
        """Append a label and have it on disk before returning."""
        _append(self._labels, self.path, asdict(label))

    def add_unusable(self, answer: UnusableAnswer) -> None:
        """Append what came instead of a label."""
        assert self._unusable is not None
        _append(self._unusable, self.unusable_path, asdict(answer))


def _open(path: Path) -> BinaryIO:
    with storage_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open("ab+", buffering=0)  # one write a line, at the end whoever else writes


def _lock(file: BinaryIO, path: Path) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise UserError(
            f"{path} is being written by another command. Remedy: wait for it, stop it, or choose another file"
        ) from error


def _mend(file: BinaryIO, path: Path) -> None:
    """Take away a last line that a kill cut short; end one that lacks only its line feed."""
    with storage_errors(path):
        file.seek(0)
        content = file.read()
        end = content.rfind(b"\n") + 1
        tail = content[end:]
        if not tail:
            return
        try:
            whole = isinstance(json.loads(tail), dict)
        except ValueError:
            whole = False
        if whole:
            file.write(b"\n")
        else:
            file.truncate(end)
        os.fsync(file.fileno())


def _append(file: BinaryIO, path: Path, row: Mapping[str, Any]) -> None:
    line = as_line(row)
    with storage_errors(path):
        written = 0
        while written < len(line):  # an unbuffered file may take less at once
            written += file.write(line[written:])
        os.fsync(file.fileno())
