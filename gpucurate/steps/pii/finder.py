"""Finds personal data in a batch of texts: one pass for candidates, then the detectors that know them.

What is found in a text depends on that text and the settings alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import version

import pyarrow as pa

from gpucurate.core.text_buffers import text_buffers
from gpucurate.steps.pii import scan
from gpucurate.steps.pii.candidate import Candidate
from gpucurate.steps.pii.classes import Match, PiiClass
from gpucurate.steps.pii.config import PiiConfig
from gpucurate.steps.pii.credentials import ApiKeyDetector, private_keys
from gpucurate.steps.pii.email import EmailDetector
from gpucurate.steps.pii.findings import FINDINGS, findings_table, resolve
from gpucurate.steps.pii.named_entities import NamedEntities, NameDetector
from gpucurate.steps.pii.national import NationalIdDetector, SsnDetector
from gpucurate.steps.pii.network import AddressDetector
from gpucurate.steps.pii.payment import CardDetector, IbanDetector
from gpucurate.steps.pii.phone import PhoneDetector
from gpucurate.steps.pii.wallets import WalletDetector

__all__ = ["FINDINGS", "Finder"]

Detect = Callable[[Candidate], Iterable[Match]]


class Finder:
    """Detectors of the classes that the settings name.

    Raises MissingExtra where a class needs a package that is not installed, and RecipeError for settings that name
    what does not exist.
    """

    def __init__(self, config: PiiConfig, named: NamedEntities | None = None) -> None:
        """`named` stands in for the model that the settings name."""
        self._min_score = config.min_score
        self._detectors = _detectors(config)
        self._names = NameDetector(config, named) if config.ner != "none" else None
        packages = {PiiClass.PHONE: "phonenumbers", PiiClass.NATIONAL_ID: "python-stdnum"}
        self._versions = {name: version(name) for kind, name in packages.items() if kind in config.policies}
        if self._names is not None:
            self._versions |= self._names.versions()

    def find(self, texts: pa.Array | pa.ChunkedArray) -> pa.Table:
        """Findings in a large_string column without nulls: schema FINDINGS, sorted by (row, start), none overlapping.

        Never raises for any text; offsets are bytes and never cut a character.
        """
        return findings_table(self._matches(texts))

    def versions(self) -> dict[str, str]:
        """Versions of the packages whose tables decide what is valid."""
        return dict(self._versions)

    def _matches(self, texts: pa.Array | pa.ChunkedArray) -> Iterator[tuple[int, Match]]:
        buffers = text_buffers(texts)
        view = buffers.data.data
        found: dict[int, list[Match]] = {}
        for kind, row, start, end in zip(*map(_plain, scan.candidates(*buffers)), strict=True):
            detectors = self._detectors.get(kind)
            if detectors is None:
                continue
            low = int(buffers.offsets[row])
            candidate = Candidate(view[low : int(buffers.offsets[row + 1])], start - low, end - low)
            for detect in detectors:
                for match in detect(candidate):
                    if match.score >= self._min_score:
                        found.setdefault(row, []).append(match)
        if self._names is not None:
            for row, text in enumerate(texts.to_pylist()):
                named = [match for match in self._names(text) if match.score >= self._min_score]
                if named:
                    found.setdefault(row, []).extend(named)
        for row in sorted(found):
            for match in resolve(found[row]):
                yield row, match


def _plain(array: object) -> list[int]:
    return array.tolist()  # type: ignore[attr-defined,no-any-return]


def _detectors(config: PiiConfig) -> dict[int, list[Detect]]:
    """Detectors by kind of candidate."""
    wanted = config.policies
    found: dict[int, list[Detect]] = {}

    def on(kind: int, detect: Detect) -> None:
        found.setdefault(kind, []).append(detect)

    if PiiClass.EMAIL in wanted:
        on(scan.EMAIL, EmailDetector(config.spare_reserved))
    network = AddressDetector(config.spare_reserved, wanted)
    on(scan.QUAD, network.quad)
    on(scan.COLONS, network.colons)
    on(scan.TOKEN, network.token)
    if PiiClass.CREDIT_CARD in wanted:
        on(scan.CARD, CardDetector())
    if PiiClass.IBAN in wanted:
        on(scan.IBAN, IbanDetector())
    if PiiClass.US_SSN in wanted:
        on(scan.NUMBER, SsnDetector(config.spare_reserved))
    if PiiClass.NATIONAL_ID in wanted:
        national = NationalIdDetector(config.national_ids)
        on(scan.NUMBER, national.number)
        on(scan.TOKEN, national.token)
    if PiiClass.PHONE in wanted:
        on(scan.NUMBER, PhoneDetector(config.regions, config.spare_reserved))
    if PiiClass.API_KEY in wanted:
        on(scan.TOKEN, ApiKeyDetector(config.spare_reserved))
    if PiiClass.PRIVATE_KEY in wanted:
        on(scan.BEGIN, private_keys)
    on(scan.TOKEN, WalletDetector(wanted))
    return found
