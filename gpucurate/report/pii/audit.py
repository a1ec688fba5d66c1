"""What the step `pii` matches: numbers by class and detector, the shapes that are most frequent, samples to read."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from gpucurate.core.digests import digest16
from gpucurate.report.pii.shapes import shape
from gpucurate.report.pii.tables import PartFindings, part_findings, pii_step
from gpucurate.run.live import RunContext
from gpucurate.run.state import RunState

MILLION = 1_000_000


class Stratum(NamedTuple):
    """Findings of one kind: they are right or wrong for the same reasons, and are sampled together."""

    kind: str
    detector: str
    version: int


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding with its text.  `id` is the document's record id and the place in it, in bytes."""

    id: str
    stratum: Stratum
    score: float
    match: str
    before: str
    after: str


@dataclass(slots=True)
class Audit:
    """Sums over a run.  `drawn` has the findings that a seeded hash puts first in each stratum, in that order."""

    label: str
    documents: int = 0
    words: int = 0
    findings: Counter[Stratum] = field(default_factory=Counter)
    in_documents: Counter[Stratum | str] = field(default_factory=Counter)  # documents with any, by stratum and class
    documents_with_any: int = 0
    shapes: dict[str, Counter[str]] = field(default_factory=dict)  # by class
    drawn: dict[Stratum, list[tuple[bytes, Finding]]] = field(default_factory=dict)
    located: dict[str, Stratum] = field(default_factory=dict)  # of the ids asked for, those that are there

    @property
    def kinds(self) -> dict[str, int]:
        """Findings by class, most first."""
        sums: Counter[str] = Counter()
        for stratum, number in self.findings.items():
            sums[stratum.kind] += number
        return dict(sums.most_common())

    def per_million(self, findings: int) -> float:
        """Findings in a million words."""
        return findings * MILLION / self.words if self.words else 0.0

    def samples(self, kind: str, count: int) -> list[Finding]:
        """Up to `count` findings of a class, all equally likely."""
        drawn = [each for stratum, some in self.drawn.items() if stratum.kind == kind for each in some]
        return [finding for _, finding in heapq.nsmallest(count, drawn, key=lambda each: each[0])]

    def data(self, patterns: int, count: int) -> dict[str, Any]:
        """The stable contract of `--json`; `patterns` and `samples` are empty where text was not read."""
        return {
            "step": self.label,
            "documents": self.documents,
            "documents_with_findings": self.documents_with_any,
            "words": self.words,
            "classes": [
                {
                    "class": kind,
                    "findings": number,
                    "documents": self.in_documents[kind],
                    "per_million_words": self.per_million(number),
                    "detectors": [_detector(self, s) for s in sorted(self.findings) if s.kind == kind],
                    "patterns": [
                        {"shape": each, "findings": n} for each, n in _most(self.shapes.get(kind, Counter()), patterns)
                    ],
                    "samples": [_sample(each) for each in self.samples(kind, count)],
                }
                for kind, number in self.kinds.items()
            ],
        }


def audit(
    context: RunContext,
    state: RunState,
    step: str | None,
    *,
    text: bool = True,
    keep: int = 0,
    seed: int = 0,
    locate: Collection[str] = (),
) -> Audit:
    """Look at all findings of a finished run's `pii` step, or of the one labelled `step`.

    With `text` shapes are counted and up to `keep` findings a stratum are drawn.  `locate` are ids to be looked up.
    Raises UserError where there is no such step or the caller may not read the restricted tables.
    """
    live = pii_step(context, step)
    found = Audit(live.label)
    for part in part_findings(context, state, live, text):
        _add(found, part, keep, seed, frozenset(locate))
    return found


def identity(record_id: bytes, start: int, end: int) -> str:
    """The `id` of a finding."""
    return f"{record_id.hex()}:{start}-{end}"


def _add(found: Audit, part: PartFindings, keep: int, seed: int, locate: frozenset[str]) -> None:
    found.documents += part.documents
    found.words += part.words
    if not part.findings.num_rows:
        return
    names = ("class", "detector", "version", "record_id", "start", "end", "score")
    rows = list(zip(*(part.findings[name].to_pylist() for name in names), strict=True))
    strata = [Stratum(*row[:3]) for row in rows]
    found.findings.update(strata)
    seen = {(key, row[3]) for row, stratum in zip(rows, strata, strict=True) for key in (stratum, stratum.kind)}
    found.in_documents.update(key for key, _ in seen)
    found.documents_with_any += len({row[3] for row in rows})
    if locate:
        ids = (identity(row[3], row[4], row[5]) for row in rows)
        found.located |= {name: stratum for name, stratum in zip(ids, strata, strict=True) if name in locate}
    if part.restricted is None:
        return
    texts = zip(*(part.restricted[name].to_pylist() for name in ("match", "before", "after")), strict=True)
    fresh: dict[Stratum, list[tuple[bytes, Finding]]] = {}
    for row, stratum, (match, before, after) in zip(rows, strata, texts, strict=True):
        found.shapes.setdefault(stratum.kind, Counter())[shape(match)] += 1
        if keep:
            name = identity(row[3], row[4], row[5])
            finding = Finding(name, stratum, row[6], match, before, after)
            fresh.setdefault(stratum, []).append((digest16(f"{seed}/{name}/{stratum.kind}".encode()), finding))
    for stratum, some in fresh.items():
        together = [*found.drawn.get(stratum, []), *some]
        found.drawn[stratum] = heapq.nsmallest(keep, together, key=lambda each: each[0])


def _most(shapes: Counter[str], count: int) -> list[tuple[str, int]]:
    return sorted(shapes.items(), key=lambda each: (-each[1], each[0]))[:count]


def _detector(found: Audit, stratum: Stratum) -> dict[str, Any]:
    return {
        "detector": stratum.detector,
        "version": stratum.version,
        "findings": found.findings[stratum],
        "documents": found.in_documents[stratum],
    }


def _sample(finding: Finding) -> Mapping[str, Any]:
    return {
        "id": finding.id,
        "detector": finding.stratum.detector,
        "score": finding.score,
        "match": finding.match,
        "before": finding.before,
        "after": finding.after,
    }
