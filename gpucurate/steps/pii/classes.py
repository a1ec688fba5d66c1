"""What kinds of personal data there are, which detectors find them, and who wins where two findings overlap.

A class is a word of the recipe; a detector is one way to find members of a class and has a version of its own, which
rises when the same text gives other findings.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class PiiClass(StrEnum):
    """Kinds of personal data and secrets, strongest evidence first: where findings overlap, the earlier class wins."""

    PRIVATE_KEY = "private_key"
    API_KEY = "api_key"
    EMAIL = "email"
    CRYPTO_WALLET = "crypto_wallet"
    IBAN = "iban"
    CREDIT_CARD = "credit_card"
    MAC_ADDRESS = "mac_address"
    IP_ADDRESS = "ip_address"
    US_SSN = "us_ssn"
    NATIONAL_ID = "national_id"
    PHONE = "phone"
    PERSON = "person"
    STREET_ADDRESS = "street_address"


RANK = {kind: rank for rank, kind in enumerate(PiiClass)}
NAMED = (PiiClass.PERSON, PiiClass.STREET_ADDRESS)  # found by a model alone
PATTERNS = tuple(kind for kind in PiiClass if kind not in NAMED)


@dataclass(frozen=True, slots=True)
class Detector:
    """One way to find members of a class; `name` goes into tables and never changes its meaning."""

    name: str
    kind: PiiClass
    version: int = 1


@dataclass(frozen=True, slots=True)
class Match:
    """What a detector found: byte offsets into the document, and how sure it is (0 to 1)."""

    start: int
    end: int
    detector: Detector
    score: float
