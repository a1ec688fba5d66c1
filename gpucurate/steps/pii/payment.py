"""Payment cards and bank accounts: numbers whose check digits and issuers are public knowledge."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpucurate.steps.pii.candidate import Candidate, words
from gpucurate.steps.pii.classes import Detector, Match, PiiClass

CARD = Detector("credit_card", PiiClass.CREDIT_CARD, version=2)
IBAN = Detector("iban", PiiClass.IBAN)

# Issuer ranges (first and last prefix) and lengths: ISO/IEC 7812 prefixes as the schemes publish them.
ISSUERS = (
    ("34", "34", (15,)),  # American Express
    ("37", "37", (15,)),
    ("300", "305", (14,)),  # Diners Club
    ("309", "309", (14,)),
    ("36", "36", (14,)),
    ("38", "39", (14,)),
    ("3528", "3589", (16,)),  # JCB
    ("4", "4", (13, 16, 19)),  # Visa
    ("51", "55", (16,)),  # Mastercard
    ("2221", "2720", (16,)),
    ("5018", "5018", (16, 19)),  # Maestro; its shorter numbers are too easily something else
    ("5020", "5020", (16, 19)),
    ("5038", "5038", (16, 19)),
    ("6304", "6304", (16, 19)),
    ("6759", "6759", (16, 19)),
    ("6761", "6763", (16, 19)),
    ("6011", "6011", (16, 19)),  # Discover
    ("644", "649", (16, 19)),
    ("65", "65", (16, 19)),
    ("62", "62", (16, 17, 18, 19)),  # UnionPay
)
CARD_WORDS = words(
    "card", "credit", "debit", "visa", "mastercard", "amex", "american express", "discover", "diners", "maestro",
    "jcb.", "payment", "pay", "karte", "carte", "tarjeta", "carta", "cartão", "карт", "cc.", "cvv",
)  # fmt: skip
# Another figure on the same line, before or after; what follows a comma or has other signs (a date) is none.
_BLANKS = rb"(?:[ \t]|\xc2\xa0|\xe2\x80\xaf)+"
FIGURE_BEFORE = re.compile(rb"(?:\A|[\s\xa0\xaf])\d(?:[\d.,]*\d)?" + _BLANKS + rb"\Z")
FIGURE_AFTER = re.compile(_BLANKS + rb"\d(?:[\d.,]*\d)?(?![\d/:\w-])")
# Length of an IBAN by country: IBAN Registry, SWIFT, release 99.
_COUNTRIES = {
    15: "NO",
    16: "BE",
    18: "DK FO FI GL NL SD FK",
    19: "MK SI",
    20: "AT BA EE KZ LT LU XK MN",
    21: "CH HR LI LV",
    22: "BG BH CR DE GB GE IE ME RS VA",
    23: "AE GI IL IQ OM TL SO",
    24: "AD CZ ES MD PK RO SA SE SK TN VG",
    25: "PT ST LY",
    26: "IS TR",
    27: "FR GR IT MC MR SM BI DJ",
    28: "AL AZ CY DO GT HU LB PL BY SV NI",
    29: "BR EG PS QA UA",
    30: "JO KW MU YE",
    31: "MT SC",
    32: "LC",
    33: "RU",
}
LENGTHS = {country: length for length, countries in _COUNTRIES.items() for country in countries.split()}


class CardDetector:
    """Finds card numbers; the scan has checked grouping and Luhn sum."""

    def __call__(self, candidate: Candidate) -> Iterator[Match]:
        """A number an issuer could have given; one without groups or a word beside it scores lowest, since one number
        in ten passes Luhn's test.  Between other figures, as in a table, only a word beside it makes it a card."""
        raw = candidate.match
        digits = raw.replace(b" ", b"").replace(b"-", b"").decode()
        if not issued(digits) or len(set(digits)) < 2:
            return
        named = candidate.near(CARD_WORDS, after=True)
        if not named and (FIGURE_BEFORE.search(candidate.before()) or FIGURE_AFTER.match(candidate.after())):
            return
        grouped = len(raw) > len(digits)
        yield Match(candidate.start, candidate.end, CARD, 0.99 if named else 0.9 if grouped else 0.6)


def issued(digits: str) -> bool:
    """Whether a scheme has numbers of this prefix and length."""
    return any(
        first <= digits[: len(first)] <= last and len(digits) in lengths
        for first, last, lengths in ISSUERS
    )  # fmt: skip


class IbanDetector:
    """Finds IBANs (ISO 13616): country, its length, and check digits (ISO 7064, mod 97-10)."""

    def __call__(self, candidate: Candidate) -> Iterator[Match]:
        """The account number at the candidate's start; what follows it is left."""
        raw = candidate.match.decode("ascii")
        length = LENGTHS.get(raw[:2])
        if length is None:
            return
        signs = [place for place, sign in enumerate(raw) if sign not in " -"][:length]
        plain, end = "".join(raw[place] for place in signs), signs[-1] + 1
        follows = raw[end : end + 1] or candidate.after(1).decode("ascii", "replace")
        if len(plain) == length and not (follows.isascii() and follows.isalnum()) and iban_valid(plain):
            yield Match(candidate.start, candidate.start + end, IBAN, 1.0)


def iban_valid(plain: str) -> bool:
    """Check digits of an IBAN without blanks, in capitals."""
    return int("".join(str(int(sign, 36)) for sign in plain[4:] + plain[:4])) % 97 == 1
