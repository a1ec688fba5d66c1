"""Precision by class from a reviewed sample, with intervals.

A stratum's share of right findings counts by how many findings it has in the corpus.  The interval is Wilson's, at
the number of findings that a simple random sample would need to be as sure if all strata were alike:
1 / sum(weight² / reviewed) (Kish 1965, section 11.7), the reviewed number itself where a class has one stratum.  That
some of all findings were looked at is not used to narrow it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gpucurate.core.errors import UserError
from gpucurate.report.pii.audit import Audit, Stratum
from gpucurate.report.pii.review import RIGHT, UNSURE, WRONG
from gpucurate.report.pii.wilson import Share, wilson


@dataclass(frozen=True, slots=True)
class Precision:
    """Of a class, of a detector or of all findings.

    `unreviewed` are findings of strata nobody judged: the estimate says nothing of them.
    """

    name: str
    right: int
    wrong: int
    unsure: int
    share: Share
    findings: int
    unreviewed: int

    def data(self) -> dict[str, Any]:
        """For `--json`; null where nothing was judged."""
        judged = self.right + self.wrong > 0
        interval = dict(zip(("precision", "low", "high"), self.share if judged else (None,) * 3, strict=True))
        counts = {n: getattr(self, n) for n in ("right", "wrong", "unsure", "findings", "unreviewed")}
        return {"name": self.name, **interval, **counts}


def estimate(found: Audit, review: Mapping[str, str]) -> list[Precision]:
    """Of all findings, then of each class, each followed by its detectors where it has several.

    `review` are verdicts by id, located by `audit`.  Raises UserError for one of a finding that the run does not have.
    """
    verdicts: dict[Stratum, Counter[str]] = {}
    for identity, verdict in review.items():
        if identity not in found.located:
            raise UserError(
                f"finding {identity} is not of this run. Remedy: name the directory that the sample was drawn from, or "
                "draw a new one with --sample"
            )
        verdicts.setdefault(found.located[identity], Counter())[verdict] += 1
    rows = [_precision("all", list(found.findings), found, verdicts)]
    for kind in found.kinds:
        strata = [stratum for stratum in sorted(found.findings) if stratum.kind == kind]
        rows.append(_precision(kind, strata, found, verdicts))
        if len(strata) > 1:
            rows += [_precision(f"{kind}/{s.detector}", [s], found, verdicts) for s in strata]
    return rows


def _precision(name: str, strata: list[Stratum], found: Audit, verdicts: Mapping[Stratum, Counter[str]]) -> Precision:
    judged = {s: v for s in strata if (v := verdicts.get(s)) and v[RIGHT] + v[WRONG]}
    reviewed = sum(found.findings[s] for s in judged)
    value = spread = 0.0
    for stratum, said in judged.items():
        weight = found.findings[stratum] / reviewed
        number = said[RIGHT] + said[WRONG]
        value += weight * said[RIGHT] / number
        spread += weight * weight / number
    total = sum(found.findings[s] for s in strata)
    said = sum((verdicts.get(s, Counter()) for s in strata), Counter[str]())
    return Precision(
        name,
        said[RIGHT],
        said[WRONG],
        said[UNSURE],
        wilson(value, 1 / spread if spread else 0),
        total,
        total - reviewed,
    )
