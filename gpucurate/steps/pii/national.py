"""Numbers that states give to people: US social security numbers, and ids whose check digits `python-stdnum` knows.

A check digit lets one number in ten or so through, so a form that other numbers share counts only beside a word that
names the id; forms nothing else has count alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module

from gpucurate.core.errors import MissingExtra, RecipeError
from gpucurate.steps.pii.candidate import Candidate, words
from gpucurate.steps.pii.classes import Detector, Match, PiiClass
from gpucurate.steps.pii.national_forms import FORMS, Form
from gpucurate.steps.pii.number_pieces import Pieces

SSN = Detector("us_ssn", PiiClass.US_SSN)
SSN_WRITTEN = re.compile(r"\d{3}-\d\d-\d{4}")
SSN_FORM = re.compile(r"(?!000|666|9)\d{3}[- ]?(?!00)\d\d[- ]?(?!0000)\d{4}")  # Social Security Administration, 2011
SSN_WORDS = words("ssn", "social security", "soc sec", "ss#", "ssid", "tax id", "taxpayer")
SSN_SPECIMENS = frozenset({"078051120", "219099999"})  # printed on sample cards and forms
MOST, FEWEST = 18, 9


class SsnDetector:
    """Finds US social security numbers: as they are written, or in other ways beside a word that names them."""

    def __init__(self, spare_reserved: bool) -> None:
        self._spare = spare_reserved

    def __call__(self, candidate: Candidate) -> Iterator[Match]:
        """Every number in the run."""
        pieces = Pieces(candidate)
        for piece in pieces.walk(9, 9):
            if not SSN_FORM.fullmatch(piece.text) or (self._spare and piece.digits in SSN_SPECIMENS):
                continue
            written = SSN_WRITTEN.fullmatch(piece.text) is not None
            named = candidate.near(SSN_WORDS)
            if written or named:
                yield Match(piece.start, piece.end, SSN, 0.95 if written and named else 0.8 if written else 0.7)
                pieces.skip()


@dataclass(frozen=True, slots=True)
class _Id:
    detector: Detector
    form: Form
    valid: Callable[[str], bool]


class NationalIdDetector:
    """Finds the ids named as python-stdnum names them (`br.cpf`)."""

    def __init__(self, names: tuple[str, ...]) -> None:
        ids = [_id(name) for name in names]
        self._numbers = {n: [each for each in ids if n in each.form.digits] for n in range(FEWEST, MOST + 1)}
        self._tokens = [each for each in ids if each.form.letters]

    def number(self, candidate: Candidate) -> Iterator[Match]:
        """Ids of digits alone, in a run of digit groups."""
        pieces = Pieces(candidate)
        for piece in pieces.walk(FEWEST, MOST):
            for each in self._numbers[len(piece.digits)]:
                score = _score(each, piece.text, candidate)
                if score:
                    yield Match(piece.start, piece.end, each.detector, score)
                    pieces.skip()
                    break

    def token(self, candidate: Candidate) -> Iterator[Match]:
        """Ids with letters; the whole token has to be one."""
        if candidate.end - candidate.start > MOST + 2:
            return
        text = candidate.match.decode("ascii")
        for each in self._tokens:
            score = _score(each, text, candidate)
            if score:
                yield Match(candidate.start, candidate.end, each.detector, score)
                return


def _score(each: _Id, text: str, candidate: Candidate) -> float:
    alone = each.form.alone is not None and each.form.alone.fullmatch(text) is not None
    if not alone and not each.form.beside_a_word.fullmatch(text):
        return 0.0
    named = candidate.near(each.form.words)
    if not (alone or named) or not each.valid(text):
        return 0.0
    return 0.95 if alone and named else 0.8 if named else 0.6


def _id(name: str) -> _Id:
    if name not in FORMS:
        raise RecipeError(f"step 'pii': no national id {name!r}. Remedy: choose among {', '.join(sorted(FORMS))}")
    try:
        module = import_module(f"stdnum.{name}")
    except ModuleNotFoundError as error:
        raise MissingExtra("step 'pii': class national_id", "python-stdnum", "pii") from error
    return _Id(Detector(f"national_id.{name.replace('_', '')}", PiiClass.NATIONAL_ID), FORMS[name], module.is_valid)
