"""What others find, for `pii_quality.py`: Presidio's pattern recognisers, and two regular expressions.

Presidio runs with those of its recognisers that are on by default and have a class here (its recognisers of national
ids are off by default), and with its context words.  Those need words and lemmas from
spaCy: a blank English pipeline splits words, and a word's lower case stands for its lemma, since no model is at hand.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

# The lesson's own two expressions are not at hand; these are the ones found most often in tutorials.
EMAIL = re.compile(r"\b[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}\b")
PHONE = re.compile(r"\+?\d[\d\s().-]{7,}\d")  # an optional plus, then at least nine digits and separators
NANP_PHONE = re.compile(r"\(?\b\d{3}\)?[-. ]?\d{3}[-. ]?\d{4}\b")  # North American numbers only
ENTITIES = {
    "EMAIL_ADDRESS": "email",
    "PHONE_NUMBER": "phone",
    "US_SSN": "us_ssn",
    "CREDIT_CARD": "credit_card",
    "IBAN_CODE": "iban",
    "IP_ADDRESS": "ip_address",
    "CRYPTO": "crypto_wallet",
    "MAC_ADDRESS": "mac_address",
}


class Hit(NamedTuple):
    """A span in bytes."""

    start: int
    end: int
    kind: str
    score: float = 1.0


Finds = Callable[[str], list[Hit]]


def regexes(phone: re.Pattern[str]) -> Finds:
    def find(text: str) -> list[Hit]:
        spans = [
            (m.start(), m.end(), kind)
            for kind, each in (("email", EMAIL), ("phone", phone))
            for m in each.finditer(text)
        ]
        return in_bytes(text, [(*span, 1.0) for span in spans])

    return find


def presidio(least: float) -> Finds:
    """Its recognisers at a least score: 0 is its default, 0.4 what it gives a phone number without context."""

    def find(text: str) -> list[Hit]:
        return [hit for hit in _presidio_hits(text) if hit.score >= least]

    return find


def in_bytes(text: str, spans: list[tuple[int, int, str, float]]) -> list[Hit]:
    """Spans of characters as spans of bytes, sorted."""
    hits, at, done = [], 0, 0
    for start, end, kind, score in sorted(spans):
        at += len(text[done:start].encode())
        done = start
        hits.append(Hit(at, at + len(text[start:end].encode()), kind, score))
    return hits


@cache
def _presidio_hits(text: str) -> list[Hit]:
    """All of them: Presidio applies a least score last."""
    results = _analyzer().analyze(text, language="en", entities=list(ENTITIES), score_threshold=0)
    return in_bytes(text, [(r.start, r.end, ENTITIES[r.entity_type], r.score) for r in results])


@cache
def _analyzer() -> Any:
    import spacy
    import tldextract
    from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
    from presidio_analyzer import predefined_recognizers as theirs
    from presidio_analyzer.nlp_engine import SpacyNlpEngine
    from spacy.language import Language

    offline = tldextract.TLDExtract(suffix_list_urls=())  # the list that comes with the package, no download
    tldextract.extract = offline

    @Language.component("lower_case_as_lemma")
    def lower(doc: Any) -> Any:
        for token in doc:
            token.lemma_ = token.lower_
        return doc

    words = spacy.blank("en")
    words.max_length = 1 << 27
    words.add_pipe("lower_case_as_lemma")
    engine = SpacyNlpEngine(models=[{"lang_code": "en", "model_name": "blank"}])
    engine.nlp = {"en": words}
    names = "Email", "Phone", "UsSsn", "CreditCard", "Iban", "Ip", "Crypto", "MacAddress"
    registry = RecognizerRegistry(
        recognizers=[getattr(theirs, f"{name}Recognizer")(supported_language="en") for name in names],
        supported_languages=["en"],
    )
    return AnalyzerEngine(registry=registry, nlp_engine=engine, supported_languages=["en"])
