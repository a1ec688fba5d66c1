"""`extract_again`: documents that got this far on fast text are read and extracted again, carefully.

The text of a document becomes what the source's careful engine draws from the same record.  A document that engine
fails on is put aside; nothing keeps its fast text unnoticed.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from gpucurate.core.reasons import Reason, Verdict
from gpucurate.recipe.model import StepConfig
from gpucurate.steps.contract import SPANS, Edit, Measurement, ReextractingStep, Verdicts

ENGINE = "trafilatura"  # what sources extract with the second time


class ExtractAgainConfig(StepConfig):
    """Settings of `extract_again`; the engine's own are those of the source."""

    on: Literal["all", "survivors"] = Field(
        "survivors", description="Which documents are extracted again; the careful engine is slow."
    )


class ExtractAgain(ReextractingStep[ExtractAgainConfig]):
    """Measures what became of each extraction; edits the text of those that went well."""

    name = "extract_again"
    version = 1
    config_type = ExtractAgainConfig
    reasons = (
        Reason("extract_again.empty", "the careful engine found no main content"),
        Reason("extract_again.timeout", "the page took more than its time limit", verdict=Verdict.QUARANTINE),
        Reason("extract_again.crash", "the careful engine failed on the page", verdict=Verdict.QUARANTINE),
        Reason("extract_again.lost", "the record is no longer found in its file", verdict=Verdict.QUARANTINE),
        Reason("extract_again.failed", "the source failed in another way", verdict=Verdict.QUARANTINE),
    )

    def resources(self) -> dict[str, str]:
        """Version of the careful engine."""
        try:
            return {ENGINE: version(ENGINE)}
        except PackageNotFoundError:
            return {}  # the source says what is missing, with the remedy

    def measure(self, documents: pa.Table) -> Measurement:
        """Signals: `extract_again` (string), null where all went well, else the source's reason code."""
        old = documents["text"]
        text, failure = self.reextract(documents.drop_columns(["text"]))
        changed = pc.fill_null(pc.not_equal(text, old), False)
        text = pc.if_else(changed, text, pa.scalar(None, pa.large_string()))
        return Measurement(pa.table({"extract_again": failure}), Edit(text, _whole_texts(old, text)))

    def judge(self, documents: pa.Table, signals: pa.Table) -> Verdicts:
        """A failure's reason by the last word of its code."""
        words = [reason.code.rpartition(".")[2] for reason in self.reasons]
        verdicts = [
            0 if code is None else _index(words, code.rpartition(".")[2])
            for code in signals["extract_again"].to_pylist()
        ]
        return np.array(verdicts, np.int16)


def _index(words: list[str], word: str) -> int:
    return 1 + (words.index(word) if word in words else len(words) - 1)


def _whole_texts(old: pa.ChunkedArray, new: pa.Array) -> pa.Table:
    """One span for each text that changed: all of it, since the two have nothing to do with each other."""
    rows = np.flatnonzero(np.asarray(new.is_valid()))
    columns = {
        "row": pa.array(rows, pa.int32()),
        "start": pa.array(np.zeros(len(rows), np.int64)),
        "end": pc.binary_length(old.take(pa.array(rows))).cast(pa.int64()),
        "replacement": new.take(pa.array(rows)).cast(pa.string()),
        "kind": pa.repeat(pa.scalar(ExtractAgain.name), len(rows)),
    }
    return pa.table(columns).cast(SPANS)
