"""Whom the step `toxicity` removes: shares by source, language, host and length, and of documents that mention a group.

Block lists and classifiers remove text of and about minorities more often than other text (Dodge et al. 2021, arXiv
2104.08758, section 5.3; Sap et al. 2019 on dialect).  Which terms stand for which group is the user's to say.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.errors import UserError
from gpucurate.report.pii.wilson import wilson
from gpucurate.report.toxicity_terms import Terms
from gpucurate.run.live import LiveStep, RunContext
from gpucurate.run.ratings import signal_of
from gpucurate.run.state import RunState, SettledPart
from gpucurate.run.walk import Judged, Walk, walk
from gpucurate.steps.language.lengths import LENGTHS
from gpucurate.steps.toxicity import Toxicity
from gpucurate.steps.toxicity.matching import count_matches, normalised
from gpucurate.steps.toxicity.signals import LANGUAGE
from gpucurate.steps.urls import place_of
from gpucurate.store.artifacts import read_table

SLICES = ("source", LANGUAGE, "host", "length")
UNKNOWN = "unknown"
TEXTS_AT_ONCE = 1000  # that are matched against terms

Counts = NDArray[np.int64]  # [reasons + 1]: documents kept, then removed for each reason


@dataclass(slots=True)
class Toll:
    """Counts by slice and by group of terms."""

    label: str
    reasons: tuple[str, ...]
    whole: Counts
    slices: dict[tuple[str, str], Counts]
    groups: dict[str, Counts]  # of documents that mention one of its terms
    terms: Mapping[str, int]  # how many a group has
    group_lengths: dict[str, Counts] = field(default_factory=dict)  # [length classes]: those documents

    def data(self) -> dict[str, Any]:
        """The stable contract of `--json`."""
        base = _row(self.whole, self.reasons)
        order = sorted(self.slices, key=lambda name: (SLICES.index(name[0]), -int(self.slices[name].sum()), name))
        return {
            "step": self.label,
            "all": base,
            "slices": [{"by": by, "value": value, **_row(self.slices[by, value], self.reasons)} for by, value in order],
            "groups": [self._group(name, counts, base) for name, counts in self.groups.items()],
        }

    def _group(self, name: str, counts: Counts, base: Mapping[str, Any]) -> dict[str, Any]:
        row = _row(counts, self.reasons)
        ratio = row["share"] / base["share"] if row["documents"] and base["share"] else None
        return {"group": name, "terms": self.terms[name], **row, "ratio": ratio, "by_length": self._expected(name)}

    def _expected(self, name: str) -> float | None:
        """Share that would be removed if its documents fared as all documents of their length class do."""
        documents = self.group_lengths[name]
        if not documents.sum():
            return None
        rates = np.zeros(len(LENGTHS))
        for number, value in enumerate(LENGTHS):
            counts = self.slices.get(("length", _length_name(value)))
            rates[number] = counts[1:].sum() / counts.sum() if counts is not None else 0
        return float(documents @ rates / documents.sum())


def toll(context: RunContext, state: RunState, step: str | None, terms: Terms | None) -> Toll:
    """Of the last step `toxicity` of a finished run, or the one labelled `step`.

    Raises UserError where there is none.
    """
    live = _step(context, step)
    codes = tuple(reason.code for reason in live.step.reasons)
    groups = {name: np.zeros(len(codes) + 1, np.int64) for name in (terms.groups if terms else {})}
    slices: dict[tuple[str, str], Counts] = defaultdict(lambda: np.zeros(len(codes) + 1, np.int64))
    found = Toll(live.label, codes, np.zeros(len(codes) + 1, np.int64), slices, groups, terms.counts if terms else {})
    found.group_lengths = {name: np.zeros(len(LENGTHS), np.int64) for name in groups}
    for part in state.parts:
        _add(found, context, state, part, live, terms)
    return found


def _step(context: RunContext, wanted: str | None) -> LiveStep:
    steps = [live for live in context.live.steps if isinstance(live.step, Toxicity)]
    chosen = [live for live in steps if wanted in (None, live.label)]
    if not chosen:
        there = ", ".join(live.label for live in steps) or "none"
        raise UserError(f"the recipe has no step {wanted or 'toxicity'!r} of that kind; it has {there}")
    return chosen[-1]


def _add(
    found: Toll, context: RunContext, state: RunState, settled: SettledPart, live: LiveStep, terms: Terms | None
) -> None:
    """Add a part's documents that reached the step."""
    position = context.live.steps.index(live)
    steps = context.live.steps[: position + 1]
    done = walk(context, settled.part, steps, state.corpus_keys, measure=False)
    judged = done.judged[-1]
    rows = np.flatnonzero(judged.entered)
    verdicts = judged.verdicts[rows].astype(np.int64)
    found.whole += np.bincount(verdicts, minlength=len(found.whole))
    lengths = np.searchsorted(LENGTHS, judged.bytes_in[rows], side="right") - 1
    for by, names in _named(done, steps, judged, rows, lengths).items():
        values, places = np.unique(names.astype(str), return_inverse=True)
        counts = np.zeros((len(values), len(found.whole)), np.int64)
        np.add.at(counts, (places, verdicts), 1)
        for value, row in zip(values.tolist(), counts, strict=True):
            found.slices[by, value] += row
    if terms is not None:
        texts = done.texts(judged.entered)
        for low in range(0, len(texts), TEXTS_AT_ONCE):
            some = slice(low, low + TEXTS_AT_ONCE)
            _add_groups(found, terms, texts[some].to_pylist(), verdicts[some], lengths[some])


def _add_groups(
    found: Toll, terms: Terms, texts: list[str], verdicts: NDArray[np.int64], lengths: NDArray[np.int64]
) -> None:
    buffers = normalised(texts)
    for name, matcher in terms.groups.items():
        mention = count_matches(buffers, matcher).found > 0
        found.groups[name] += np.bincount(verdicts[mention], minlength=len(found.whole))
        found.group_lengths[name] += np.bincount(lengths[mention], minlength=len(LENGTHS))


def _named(
    done: Walk, steps: Sequence[LiveStep], judged: Judged, rows: NDArray[np.int64], lengths: NDArray[np.int64]
) -> dict[str, NDArray[np.object_]]:
    """By slice, the name of each document's; a language only where a step identified it."""
    uris = np.array(done.meta["uri"].to_pylist(), object)[rows]
    named = {
        "source": np.array(done.meta["source"].to_pylist(), object)[rows],
        "host": np.array([place_of(uri).host or UNKNOWN for uri in uris], object),
        "length": np.array([_length_name(each) for each in LENGTHS], object)[lengths],
    }
    for live, each in zip(steps, done.judged, strict=True):
        if LANGUAGE in read_table(each.signals).column_names:
            codes = signal_of(done, live, each, LANGUAGE).fill_null(UNKNOWN)
            named[LANGUAGE] = np.array(codes.to_pylist(), object)[rows]
    return named


def _length_name(least: int) -> str:
    return f"from {least:,} bytes"


def _row(counts: Counts, reasons: Sequence[str]) -> dict[str, Any]:
    documents, removed = int(counts.sum()), int(counts[1:].sum())
    share = wilson(removed / documents if documents else 0, documents)
    known = bool(documents)
    return {
        "documents": documents,
        "removed": removed,
        "reasons": dict(zip(reasons, counts[1:].tolist(), strict=True)),
        "share": share.value if known else None,
        "low": share.low if known else None,
        "high": share.high if known else None,
    }
