"""Phone numbers, validated by libphonenumber's metadata (`phonenumbers`), behind gates that spare other numbers.

Digits alone prove nothing: of random ten-digit numbers libphonenumber accepts a large share for some region.  A number
therefore needs an international prefix, or a word such as `call` beside it, or the grouping its region writes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from gpucurate.core.errors import MissingExtra, RecipeError
from gpucurate.steps.pii.candidate import Candidate, words
from gpucurate.steps.pii.classes import Detector, Match, PiiClass
from gpucurate.steps.pii.number_pieces import Piece, Pieces
from gpucurate.steps.pii.phone_regions import gate

INTERNATIONAL = Detector("phone.international", PiiClass.PHONE)
CONTEXT = Detector("phone.context", PiiClass.PHONE)
GROUPING = Detector("phone.grouping", PiiClass.PHONE)

PHONE_WORDS = words(
    "phone", "telephone", "tel.", "tels.", "tele.", "mobile", "cell", "fax", "call", "dial", "sms", "text", "ring.",
    "message", "whatsapp", "hotline", "voicemail", "contact", "reach", "ext.", "landline", "pager", "telef", "telf",
    "handy", "mobil", "rufnummer", "anruf", "portable", "appel", "llam", "celular", "cellulare", "chiam", "ligue",
    "bel.", "bellen", "gsm.", "телефон", "тел.", "téléphone", "tél", "teléfono", "móvil", "telefonía",
    "电话", "電話", "手机", "전화", "फ़ोन", "هاتف",
)  # fmt: skip
NOT_PHONES = re.compile(
    rb"(?:isbn|issn|doi|oclc|pmid|lccn|pmc|arxiv|asin|ean|upc|gtin|iban|bic|isrc|issue|volume|vol\.|serial|"
    rb"population|coordinates|\$|\xc2\xa3|\xe2\x82\xac|\xc2\xa5)[-\w]{0,3}[ :=#.\xc2\xa0]*\Z",
    re.I,
)
FOURS = re.compile(rb"\d{4}([ -])\d{4}\1\d{4}\1\d{4}")  # as cards and other account numbers are printed
NANP = re.compile(r"(?:\+?1[-. ])?(?:\(\d{3}\) ?|\d{3}(?P<s>[-.]))\d{3}(?(s)(?P=s)|[-. ])\d{4}")
NANP_REGIONS = frozenset({"US", "CA"})
LABEL_BEFORE = re.compile(rb"\b(?:office|home|work|desk|direct|toll[ -]free)[:. -]{1,3}\Z", re.I)
LABEL_AFTER = re.compile(rb"[ ,]?[-(]?(?:office|home|work|desk|direct)\b", re.I)
# a trunk 0, or an area code in parentheses: ITU-T E.123, section 2
NATIONAL = re.compile(r"\(?0\d|\(\d{2,4}\) ?\d")
EXTENSION = re.compile(rb"[ ,;]{0,2}(?:x|ext\.?|extension|#)[ .:]{0,2}\d{1,7}(?![\w])", re.I)
NO_PHONE = re.compile(  # dates, spans of years, dotted addresses
    r"(?:1\d|20)\d\d[-–—/](?:(?:1\d|20)\d\d|\d\d(?:[-–/.]\d\d)?)|\d\d?[-./ ]\d\d?[-./ ](?:1\d|20)\d\d"
    r"|(?:1\d|20)\d\d(?:[-–—/. ]+(?:1\d|20)\d\d)+|\d{1,3}(?:\.\d{1,3}){3}"
)
FICTION = re.compile(r"1?\d{3}55501\d\d|(?:44)?0?(?:7700900|2079460)\d{3}")  # NANPA 555 line numbers; Ofcom, drama
GROUPS = re.compile(r"\d+")
MOST, FEWEST = 15, 7  # digits of a number: ITU-T E.164; shortest national number taken
SHAPE = re.compile(
    r"\+?\(?\d{1,5}\)?[-. /]{0,2}\d{2,4}[-. ]\d{2,4}(?:[-. ]\d{2,4}){0,3}|\(\d{2,4}\) ?\d{5,8}|\d{3}-\d{4}"
)
MOST_UNKNOWN = 13  # digits of a number that has a phone's shape and a word beside it, but is not valid anywhere
SHORT = 11  # an international number of fewer digits that is not valid is not tried in pieces


class PhoneDetector:
    """Finds phone numbers in groups of digits; `regions` are those whose national numbers it knows."""

    def __init__(self, regions: tuple[str, ...], spare_reserved: bool) -> None:
        self._regions = regions
        self._spare = spare_reserved
        unknown = [region for region in regions if region not in self._library.SUPPORTED_REGIONS]
        if unknown:
            raise RecipeError(f"step 'pii': no phone region {unknown[0]!r}. Remedy: use ISO 3166 codes such as US, GB")
        self._gates = [(region, gate(self._library, region)) for region in regions]
        self._nanp = [pattern for region, pattern in self._gates if region in NANP_REGIONS]

    @cached_property
    def _library(self) -> Any:
        try:
            import phonenumbers
        except ModuleNotFoundError as error:
            raise MissingExtra("step 'pii': class phone", "phonenumbers", "pii") from error
        return phonenumbers

    def __call__(self, candidate: Candidate) -> Iterator[Match]:
        """Every number in the run of digit groups; pieces begin and end at blanks, never within a joined chain."""
        if NOT_PHONES.search(candidate.before(20)) or FOURS.fullmatch(candidate.match):
            return
        pieces = Pieces(candidate)
        named: bool | None = None
        for piece in pieces.walk(FEWEST, MOST):
            if NO_PHONE.fullmatch(piece.text):
                continue
            if named is None:
                named = (
                    candidate.near(PHONE_WORDS, after=True)
                    or LABEL_BEFORE.search(candidate.before(12)) is not None
                    or LABEL_AFTER.match(candidate.after()) is not None
                )
            fiction = self._spare and FICTION.fullmatch(piece.digits)
            found = None if fiction else self._number(piece, named)
            if found is not None:
                lead, detector, score = found
                yield Match(piece.start + lead, extended(candidate, piece.end), detector, score)
            if found is not None or fiction or (piece.text[0] == "+" and len(piece.digits) < SHORT):
                pieces.skip()  # what follows a country code is no number by itself

    def _number(self, piece: Piece, named: bool) -> tuple[int, Detector, float] | None:
        """Bytes to leave at the piece's start (a parenthesis that does not close), detector and score."""
        lead = int(piece.text[0] == "(" and ")" not in piece.text)
        text = piece.text[lead:]
        if text.count("(") != text.count(")"):
            return None
        if text.lstrip("(").startswith("+"):
            if self._number_of(text, None):
                return lead, INTERNATIONAL, 0.95
        elif self._nanp and NANP.fullmatch(text):
            if any(pattern.fullmatch(piece.digits) for pattern in self._nanp):  # ten digits: the pattern says it all
                return (lead, CONTEXT, 0.9) if named else (lead, GROUPING, 0.7)
        elif named or NATIONAL.match(text):
            numbers = [
                number
                for region, pattern in self._gates
                if pattern.fullmatch(piece.digits) and (number := self._number_of(text, region)) is not None
            ]
            if named and numbers:
                return lead, CONTEXT, 0.8
            if NATIONAL.match(text) and any(self._grouped(text, number) for number in numbers):
                return lead, GROUPING, 0.6
        return (lead, CONTEXT, 0.5) if named and SHAPE.fullmatch(text) and len(piece.digits) <= MOST_UNKNOWN else None

    def _grouped(self, text: str, number: Any) -> bool:
        """Whether the number is written as its region groups it, in three groups or more."""
        written = self._library.format_number(number, self._library.PhoneNumberFormat.NATIONAL)
        groups = GROUPS.findall(written)
        return len(groups) > 2 and groups == GROUPS.findall(text)

    def _number_of(self, text: str, region: str | None) -> Any | None:
        """The number, if it is valid in the region, or anywhere if that is None."""
        library = self._library
        try:
            number = library.parse(text, region)
        except library.NumberParseException:
            return None
        if region is None:
            return number if library.is_valid_number(number) else None
        return number if library.is_valid_number_for_region(number, region) else None


def extended(candidate: Candidate, end: int) -> int:
    """Where the number that ends at `end` ends with its extension (`x751`, `ext. 12`)."""
    if end != candidate.end:
        return end
    found = EXTENSION.match(candidate.text, end)
    return found.end() if found else end
