"""A sample of findings for a person to judge, and what the judgements say of precision.

Strata are class, detector and version.  Each class gets the same number of findings as far as it has them, and within a
class each detector; so rare detectors are seen, and the estimate weighs strata by their findings in the corpus.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from gpucurate.core.errors import UserError
from gpucurate.report.pii.audit import Audit, Finding, Stratum
from gpucurate.store.artifacts import OWNER_ONLY

COLUMNS = ("id", "class", "detector", "version", "score", "before", "match", "after", "verdict")
RIGHT, WRONG, UNSURE = "right", "wrong", "unsure"
VERDICTS = {
    **dict.fromkeys(("right", "r", "yes", "y", "true", "1"), RIGHT),
    **dict.fromkeys(("wrong", "w", "no", "n", "false", "0"), WRONG),
    **dict.fromkeys(("unsure", "u", "?"), UNSURE),
}


def allocate(sizes: Mapping[Stratum, int], count: int) -> dict[Stratum, int]:
    """How many of `count` findings each stratum gives: equal shares of classes, then of detectors within a class."""
    classes: dict[str, int] = {}
    for stratum, size in sizes.items():
        classes[stratum.kind] = classes.get(stratum.kind, 0) + size
    found: dict[Stratum, int] = {}
    for kind, share in _equal_shares(classes, count).items():
        found |= _equal_shares({s: n for s, n in sizes.items() if s.kind == kind}, share)
    return found


def draw(found: Audit, count: int) -> list[Finding]:
    """Up to `count` findings, by the hash that orders `found.drawn`, so that the first ones are a sample too."""
    shares = allocate(found.findings, count)
    drawn = [each for stratum, some in found.drawn.items() for each in some[: shares[stratum]]]
    return [finding for _, finding in sorted(drawn, key=lambda each: each[0])]


def write_review(path: Path, findings: list[Finding]) -> None:
    """A file with an empty column `verdict` for its owner alone: CSV or, where the name ends in .jsonl, JSON lines.

    Raises UserError if the file is there already: it may hold somebody's work.
    """
    rows = [
        dict(zip(COLUMNS, (f.id, *f.stratum, f"{f.score:.2f}", f.before, f.match, f.after, ""), strict=True))
        for f in findings
    ]
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY)
    except FileExistsError:
        raise UserError(f"{path} exists and may hold verdicts. Remedy: choose another name") from None
    with os.fdopen(descriptor, "w", newline="", encoding="utf-8") as file:
        if path.suffix == ".jsonl":
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        else:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(rows)


def read_review(path: Path) -> dict[str, str]:
    """Verdict by id; rows without one are left out.

    Raises UserError naming the row of a verdict that is no word of VERDICTS, of a column that is missing, of an id that
    comes twice.
    """
    found: dict[str, str] = {}
    for number, row in enumerate(_rows(path), 1):
        for name in ("id", "verdict"):
            if not isinstance(row, dict) or row.get(name) is None:
                raise UserError(f"{path}: row {number} has no {name!r}. Remedy: use a file that --sample wrote")
        said = str(row["verdict"]).strip().lower()
        if not said:
            continue
        if said not in VERDICTS:
            raise UserError(f"{path}: row {number} has the verdict {said!r}. Remedy: right, wrong or unsure")
        if row["id"] in found:
            raise UserError(f"{path}: row {number} repeats the id {row['id']}")
        found[row["id"]] = VERDICTS[said]
    if not found:
        raise UserError(f"{path} has no verdicts. Remedy: put right, wrong or unsure into the column `verdict`")
    return found


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:  # spreadsheets put a mark before the first name
            if path.suffix == ".jsonl":
                yield from (json.loads(line) for line in file if line.strip())
            else:
                yield from csv.DictReader(file)
    except (OSError, ValueError, csv.Error) as error:
        raise UserError(f"{path} cannot be read as a review file: {error}") from error


def _equal_shares(sizes: Mapping[Any, int], count: int) -> dict[Any, int]:
    """`count` split equally, what small ones lack going to the others; the rest goes to the first names."""
    shares: dict[Any, int] = {}
    left = count
    for place, name in enumerate(sorted(sizes, key=lambda name: (sizes[name], name))):
        shares[name] = min(sizes[name], left // (len(sizes) - place))
        left -= shares[name]
    for name in sorted(sizes):
        more = min(left, sizes[name] - shares[name], 1)
        shares[name] += more
        left -= more
    return shares
