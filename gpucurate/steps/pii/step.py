"""The step `pii`: what is found becomes signals and tables, policies become new text, counts become verdicts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpucurate.core.reasons import Reason, Verdict
from gpucurate.core.text_buffers import text_buffers
from gpucurate.steps.contract import Edit, Measurement, RecordStep, Verdicts
from gpucurate.steps.pii.classes import PiiClass
from gpucurate.steps.pii.config import PiiConfig, Policy
from gpucurate.steps.pii.finder import Finder
from gpucurate.steps.pii.keys import VARIABLE, Key, read_key
from gpucurate.steps.pii.nemo import find_by_nemo, require_nemo
from gpucurate.steps.pii.policy import apply, with_digests

QUARANTINED, TOO_MANY, EMPTIED = 1, 2, 3
ANYTHING = re.compile(r"\w")


class Pii(RecordStep[PiiConfig]):
    """Finds personal data and does with it what the recipe says of its class."""

    name = "pii"
    version = 2  # credit_card 2
    config_type = PiiConfig
    reasons = (
        Reason(
            "pii.quarantined", "the document has personal data of a class set aside", verdict=Verdict.QUARANTINE
        ),
        Reason("pii.too_many", "the document has more personal data than is allowed"),
        Reason("pii.emptied", "nothing but placeholders is left of the document"),
    )  # fmt: skip

    def resources(self) -> Mapping[str, str]:
        """The key's fingerprint, since surrogates and digests follow from it, and the versions of the libraries whose
        tables decide what is valid."""
        return {"key": self._key.fingerprint, **self._finder.versions()}

    def remarks(self) -> list[str]:
        """A key that everyone knows."""
        if not self._key.public:
            return []
        return [
            "surrogates and digests use the public default key, so that anyone can test whether a known "
            f"address is among them. Remedy: set {VARIABLE}, or key_file, to a long random secret"
        ]

    def measure(self, documents: pa.Table) -> Measurement:
        """Signals `pii_<class>` (int32, findings of each class looked for) and `pii_emptied` (bool, no letter or digit
        is left outside of changed spans)."""
        texts = documents["text"]
        findings = self._find(texts)
        changed = apply(texts, findings, self.config, self._key)
        findings, restricted = with_digests(texts, findings, self._key)
        signals = {
            f"pii_{kind.value}": pa.array(count(findings, kind, documents.num_rows)) for kind in self.config.policies
        }
        signals["pii_emptied"] = pa.array(emptied(texts, changed.spans))
        return Measurement(pa.table(signals), Edit(changed.text, changed.spans, findings, restricted))

    def judge(self, documents: pa.Table, signals: pa.Table) -> Verdicts:
        """Set aside first, then too many of a class or of all, then nothing left."""
        counts = {kind: np.asarray(signals[f"pii_{kind.value}"]) for kind in self.config.policies}
        none = np.zeros(signals.num_rows, np.int64)
        policies = self.config.policies
        quarantined = sum((counts[k] for k, policy in policies.items() if policy is Policy.QUARANTINE), none) > 0
        many = none > 0
        for kind, policy in policies.items():
            if policy is Policy.DROP:
                many = many | (counts[kind] > self.config.drop_above)
        if self.config.max_findings is not None:
            total = sum((counts[k] for k, policy in policies.items() if policy is not Policy.KEEP), none)
            many = many | (total > self.config.max_findings)
        flags = [quarantined, many, np.asarray(signals["pii_emptied"])]
        return np.select(flags, [QUARANTINED, TOO_MANY, EMPTIED], 0).astype(np.int16)

    def warm(self) -> None:
        """Compile the scan and read the tables of phone numbers; NeMo Curator's workers do that for themselves."""
        if self.config.engine == "nemo":
            require_nemo()
            return
        texts = pa.array(["call +1 425 882 9090 or write to a@b.example"], pa.large_string())
        self.measure(pa.table({"text": texts}))

    def _find(self, texts: pa.ChunkedArray) -> pa.Table:
        return find_by_nemo(texts, self.config) if self.config.engine == "nemo" else self._finder.find(texts)

    @cached_property
    def _key(self) -> Key:
        return read_key(self.config.key_file)

    @cached_property
    def _finder(self) -> Finder:
        return Finder(self.config)


def count(findings: pa.Table, kind: PiiClass, documents: int) -> NDArray[np.int32]:
    """Findings of a class in each document, int32."""
    rows = np.asarray(findings["row"])[np.asarray(findings["class"]) == kind.value]
    return np.bincount(rows, minlength=documents).astype(np.int32)


def emptied(texts: pa.Array | pa.ChunkedArray, spans: pa.Table) -> NDArray[np.bool_]:
    """Which documents with spans have no letter or digit outside of them."""
    buffers = text_buffers(texts)
    view = buffers.data.data
    empty = np.zeros(buffers.documents, np.bool_)
    reached = np.zeros(buffers.documents, np.int64)
    rows, starts, ends = (spans[name].to_pylist() for name in ("row", "start", "end"))
    empty[rows] = True

    def between(row: int, start: int, end: int) -> str:
        low = int(buffers.offsets[row])
        return bytes(view[low + start : low + end]).decode()

    for row, start, end in zip(rows, starts, ends, strict=True):
        if empty[row] and ANYTHING.search(between(row, int(reached[row]), start)):
            empty[row] = False
        reached[row] = end
    for row in np.flatnonzero(empty).tolist():
        size = int(buffers.offsets[row + 1] - buffers.offsets[row])
        empty[row] = ANYTHING.search(between(row, int(reached[row]), size)) is None
    return empty
