"""Ratings to compare: from files of labels, and from annotators' files in JSON or JSON Lines with an id and a score.

In a file of labels every judge and repeat is a rater; an annotator's file is one.  Scores may be words if the words of
the scale are given in their order.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpucurate.classifier.examples import HIGHEST, LOWEST, read_labels
from gpucurate.classifier.json_lines import read_objects
from gpucurate.core.errors import InputError

Ratings = dict[str, dict[str, float]]  # by rater, then by id of the document
OF_LABELS = {"record_id", "judge", "repeat", "score"}


@dataclass(frozen=True, slots=True)
class AnnotatorFormat:
    """Where annotators' files have what.  `levels` are the scale's words from 0, `skip` values that are no rating."""

    id_field: str = "id"
    score_field: str = "score"
    levels: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()

    @property
    def classes(self) -> int:
        """How many classes the scale has."""
        return len(self.levels) or int(HIGHEST) + 1


def read_ratings(paths: Sequence[Path], form: AnnotatorFormat) -> tuple[Ratings, dict[str, int]]:
    """Ratings of all files, and how many each rater's file skipped.

    Raises InputError naming the place of a missing field, a value off the scale, or a document rated twice.
    """
    labels = [path for path in paths if _holds_labels(path)]
    ratings: Ratings = {}
    for _, label in read_labels(labels):
        ratings.setdefault(f"{label.judge}#{label.repeat}", {})[label.record_id] = label.score
    skipped: dict[str, int] = {}
    for path in (p for p in paths if p not in labels):
        if path.stem in ratings:
            raise InputError(f"{path}: there is a rater {path.stem!r} already. Remedy: rename the file")
        ratings[path.stem], skipped[path.stem] = _annotations(path, form)
    return ratings, skipped


def _annotations(path: Path, form: AnnotatorFormat) -> tuple[dict[str, float], int]:
    found: dict[str, float] = {}
    skipped = 0
    for place, row in _rows(path):
        for field in (form.id_field, form.score_field):
            if row.get(field) is None:
                fields = ", ".join(sorted(row))
                raise InputError(
                    f"{place}: no field {field!r} (there are {fields}). Remedy: --id and --score name them"
                )
        if str(row[form.score_field]) in form.skip:
            skipped += 1
            continue
        identity = str(row[form.id_field])
        if identity in found:
            raise InputError(f"{place}: {identity!r} is rated a second time. Remedy: take one of the two out")
        found[identity] = _score(place, row[form.score_field], form)
    return found, skipped


def _score(place: str, value: object, form: AnnotatorFormat) -> float:
    if form.levels:
        if str(value) not in form.levels:
            raise InputError(
                f"{place}: {value!r} is none of the levels {', '.join(form.levels)}. "
                "Remedy: add it to --levels, or --skip it if it is no rating"
            )
        return float(form.levels.index(str(value)))
    number = float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else math.nan
    if not LOWEST <= number <= HIGHEST:
        raise InputError(
            f"{place}: {value!r} is no number from {LOWEST:g} to {HIGHEST:g}. "
            "Remedy: correct it, give the words of the scale with --levels, or --skip it if it is no rating"
        )
    return number


def _holds_labels(path: Path) -> bool:
    """True if the first line is a label of ours."""
    if _is_list(path):
        return False
    for _, row in read_objects(path):
        return row.keys() >= OF_LABELS
    return False


def _rows(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if not _is_list(path):
        yield from read_objects(path)
        return
    try:
        rows = json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: no JSON ({error}). Remedy: a list of objects, or one object a line") from error
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict):
            raise InputError(f"{path}, item {number}: no JSON object. Remedy: a list of objects")
        yield f"{path}, item {number}", row


def _is_list(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(64).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"[")
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}. Remedy: correct the path") from error
