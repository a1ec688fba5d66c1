"""The table of findings, and the rule that leaves no two of them overlapping."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator

import pyarrow as pa

from gpucurate.steps.pii.classes import RANK, Match

FINDINGS = pa.schema(
    [
        pa.field("row", pa.int32(), nullable=False),  # document's row among those given
        pa.field("start", pa.int64(), nullable=False),  # byte offsets into that document's text
        pa.field("end", pa.int64(), nullable=False),
        pa.field("class", pa.string(), nullable=False),  # classes.PiiClass
        pa.field("detector", pa.string(), nullable=False),  # who found it: `email`, `phone.context`, ...
        pa.field("version", pa.int32(), nullable=False),  # of that detector
        pa.field("score", pa.float32(), nullable=False),  # 0 to 1
    ]
)


def findings_table(found: Iterable[tuple[int, Match]]) -> pa.Table:
    """Pairs of row and match to a table of schema FINDINGS, in the order given."""
    rows = [
        (row, m.start, m.end, m.detector.kind.value, m.detector.name, m.detector.version, m.score) for row, m in found
    ]
    columns = list(zip(*rows, strict=True)) or [()] * len(FINDINGS)
    return pa.table([pa.array(c, f.type) for c, f in zip(columns, FINDINGS, strict=True)], schema=FINDINGS)


def resolve(matches: list[Match]) -> list[Match]:
    """The matches of one document, sorted by start, without overlaps.

    Of matches that overlap, the class that stands first in `PiiClass` wins, then the longer, the earlier, the higher
    score and the detector's name; touching is not overlapping.
    """
    matches.sort(key=lambda match: match.start)
    return [match for together in _overlapping(matches) for match in _winners(together)]


def _overlapping(matches: list[Match]) -> Iterator[list[Match]]:
    together: list[Match] = []
    until = 0
    for match in matches:
        if together and match.start >= until:
            yield together
            together = []
        together.append(match)
        until = max(until, match.end) if len(together) > 1 else match.end
    if together:
        yield together


def _winners(together: list[Match]) -> list[Match]:
    if len(together) == 1:
        return together
    chosen: list[Match] = []  # by start; a chain of overlaps can be as long as a document, so places are searched
    for match in sorted(together, key=_strength):
        place = bisect_left(chosen, match.start, key=lambda other: other.start)
        after = place == len(chosen) or match.end <= chosen[place].start
        before = place == 0 or chosen[place - 1].end <= match.start
        if after and before:
            chosen.insert(place, match)
    return chosen


def _strength(match: Match) -> tuple[int, int, int, float, str]:
    return RANK[match.detector.kind], match.start - match.end, match.start, -match.score, match.detector.name
