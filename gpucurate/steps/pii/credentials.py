"""Keys to machines: API keys by the prefixes their issuers document, assigned secrets, and private key blocks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from math import log2

from gpucurate.steps.pii.candidate import Candidate
from gpucurate.steps.pii.classes import Detector, Match, PiiClass

PREFIXED = {  # forms as the issuers document them, or as secret scanners that work with them do
    "aws": rb"(?:AKIA|ASIA)[A-Z2-7]{16}",
    "github": rb"gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}",
    "gitlab": rb"glpat-[\w-]{20,64}",
    "slack": rb"xox[abeoprs]-[A-Za-z0-9-]{20,120}",
    "google": rb"AIza[\w-]{35}",
    "stripe": rb"[rs]k_(?:live|test)_[A-Za-z0-9]{16,120}",
    "sk": rb"sk-(?:[a-z]+\d*-)*[\w-]{20,200}",
    "hugging_face": rb"hf_[A-Za-z0-9]{34,40}",
    "sendgrid": rb"SG\.[\w-]{22}\.[\w-]{43}",
    "twilio": rb"(?:AC|SK)[0-9a-f]{32}",
    "npm": rb"npm_[A-Za-z0-9]{36}",
    "pypi": rb"pypi-AgE[\w-]{50,200}",
    "digital_ocean": rb"do[opr]_v1_[0-9a-f]{64}",
    "shopify": rb"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}",
    "jwt": rb"eyJ[\w-]{10,2000}\.eyJ[\w-]{10,4000}\.[\w-]{10,2000}",  # RFC 7519: base64url of `{"`
}
ANY = re.compile(b"|".join(b"(?P<%s>%s)(?![A-Za-z0-9_])" % (k.encode(), p) for k, p in PREFIXED.items()))
FIRST = frozenset(b"AgxrshSnpde")  # first bytes of those, a gate before the pattern
DETECTORS = {name: Detector(f"api_key.{name}", PiiClass.API_KEY) for name in PREFIXED}

ASSIGNED = Detector("api_key.assigned", PiiClass.API_KEY)
ASSIGNMENT = re.compile(
    rb"(?:api[_ -]?key|api[_ -]?token|secret(?:[_ -]?(?:access[_ -]?)?key)?|access[_ -]?(?:key|token)|auth[_ -]?token|"
    rb"client[_ -]?secret|passw(?:or)?d|private[_ -]?key|bearer)[\"']?[ \t]*(?:[:=]|=>|:=| is )?[ \t]*[\"'`]?\Z",
    re.I,
)
SECRET = re.compile(rb"[A-Za-z0-9+/_.~-]{16,200}={0,2}")
LEAST_BITS, LEAST_BITS_ASSIGNED = 3.0, 3.5  # Shannon entropy a sign; random hex of 32 signs has 3.6 in the mean, words
# joined by hyphens up to 3.9 but no digit
SPECIMEN = re.compile(rb"example|xxxx|your|1234567890|placeholder|dummy", re.I)

PRIVATE_KEY = Detector("private_key.block", PiiClass.PRIVATE_KEY)
BLOCK = re.compile(
    rb"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"  # RFC 7468; OpenSSH; RFC 9580, section 6.2
    rb"(?:(?:[^-]|-(?!----)){1,16384}-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    rb"|\s+(?:[A-Za-z0-9+/=]{16,100}\s+){1,400}[A-Za-z0-9+/=]{0,100})"  # cut off before its end
)


class ApiKeyDetector:
    """Finds keys in long tokens; `spare_reserved` leaves those that documentation shows."""

    def __init__(self, spare_reserved: bool) -> None:
        self._spare = spare_reserved

    def __call__(self, candidate: Candidate) -> Iterator[Match]:
        """A key that begins where the token begins."""
        if candidate.end - candidate.start < 16:
            return
        text, start = candidate.text, candidate.start
        found = ANY.match(text, start) if text[start] in FIRST else None
        if found is not None:
            detector, score, least = DETECTORS[str(found.lastgroup)], 0.95, LEAST_BITS
        else:
            found = SECRET.match(text, start) if ASSIGNMENT.search(candidate.before(40)) else None
            detector, score, least = ASSIGNED, 0.7, LEAST_BITS_ASSIGNED
        if found is None:
            return
        value = found.group().rstrip(b".-/")
        if bits_per_sign(value) >= least and not (self._spare and SPECIMEN.search(value)):
            yield Match(start, start + len(value), detector, score)


def private_keys(candidate: Candidate) -> Iterator[Match]:
    """The whole block from its first line to its last, or as far as it goes."""
    found = BLOCK.match(candidate.text, candidate.start)
    if found is not None:
        yield Match(found.start(), found.end(), PRIVATE_KEY, 1.0)


def bits_per_sign(value: bytes) -> float:
    """Shannon entropy of the signs of a text, in bits."""
    total = len(value)
    return -sum(n / total * log2(n / total) for n in Counter(value).values())
