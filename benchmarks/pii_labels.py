"""Labelled texts for `pii_quality.py`, all in one form: texts, and spans in bytes with gpucurate's names of classes.

- `nannigalaxy`: 149 sentences, written by a language model.  Labels are strings without places, and some are not in
  their text at all; those are counted and left out.  Every place where a label's string stands counts.
- `presidio-research`: 100 sentences from templates and generated values, with places.
- `templates`: the 209 templates of presidio-research that have a slot of our classes, filled with values made here by
  the issuers' own rules (`MAKE`), because the two sets above hold few of most classes.  These values are valid
  by construction, so that recall says whether valid values are found in sentences, not how people write them.
- `templates, other countries`: the same with other values and the telephone numbers of twelve other countries, of which
  gpucurate knows seven by default and Presidio none, in their national form.  It was not used to write the detectors.
- `context`: sentences of Presidio's own tests, which say of a sentence which class is in it, without a place.
"""

from __future__ import annotations

import json
import random
import re
import string
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import phonenumbers
from stdnum import iban, luhn
from stdnum.in_ import aadhaar, pan
from stdnum.us import ssn

CLASS_OF = {  # the sets' names of what gpucurate can look for; others (names, places, passwords, ...) are not asked for
    "EMAIL": "email",
    "EMAIL_ADDRESS": "email",
    "PHONE": "phone",
    "PHONE_NUMBER": "phone",
    "SSN": "us_ssn",
    "US_SSN": "us_ssn",
    "CREDIT_CARD": "credit_card",
    "IBAN": "iban",
    "IP_ADDRESS": "ip_address",
    "AADHAR": "national_id",
    "PAN": "national_id",
    "PASSWORD": "api_key",  # a password after the word is reported as a secret
}
SLOTS = {
    "email": "email",
    "phone_number": "phone",
    "ssn": "us_ssn",
    "credit_card_number": "credit_card",
    "iban": "iban",
    "ip_address": "ip_address",
}
FILLINGS = 20  # of each template
PHONE_REGIONS = ("US", "GB", "DE", "FR", "IL", "IN", "CA", "BR")  # Presidio's default regions
OTHER_REGIONS = ("AU", "ES", "IE", "IT", "MX", "NL", "NZ", "CH", "JP", "PL", "SE", "ZA")
IBANS = (("GB", "AAAA99999999999999"), ("DE", "999999999999999999"), ("FR", "99999999999A99999999999"))


@dataclass(frozen=True, slots=True)
class Label:
    """A labelled span; `valid` if checksums and rules of its class allow it."""

    start: int
    end: int
    kind: str
    valid: bool


@dataclass(slots=True)
class LabelledSet:
    """Texts with their labels; `groups` says which texts are alike, `elsewhere` how many labels are in no text."""

    name: str
    texts: list[str]
    labels: list[list[Label]]
    groups: list[int]
    elsewhere: int = 0


def labelled_sets(data: Path) -> list[LabelledSet]:
    """All sets with places."""
    return [
        nannigalaxy(data),
        presidio_research(data),
        templates(data, "templates", PHONE_REGIONS, 0),
        templates(data, "templates, other countries", OTHER_REGIONS, 1),
    ]


def nannigalaxy(data: Path) -> LabelledSet:
    rows = json.loads((data / "pii/nannigalaxy/dataset/pii_syn_nano_en.json").read_text())
    found = LabelledSet("nannigalaxy", [], [], list(range(len(rows))))
    for row in rows:
        text, labels = row["text"], []
        for entity in row["NER"]:
            kind = CLASS_OF.get(entity.get("label", ""))
            if kind is None:
                continue
            value = next(value for key, value in entity.items() if key != "label")  # one has another key than `entity`
            value = value if value in text else value.strip("*")  # marks of emphasis that the text does not have
            places = list(re.finditer(re.escape(value), text))
            found.elsewhere += not places
            labels += [label(text, place.start(), place.end(), kind) for place in places]
        found.texts.append(text)
        found.labels.append(sorted(set(labels), key=lambda each: each.start))
    return found


def presidio_research(data: Path) -> LabelledSet:
    rows = json.loads((data / "pii/presidio-research/tests/data/generated_small.json").read_text())
    labels = [
        [
            label(row["full_text"], span["start_position"], span["end_position"], CLASS_OF[span["entity_type"]])
            for span in row["spans"]
            if span["entity_type"] in CLASS_OF
        ]
        for row in rows
    ]
    return LabelledSet("presidio-research", [row["full_text"] for row in rows], labels, list(range(len(rows))))


def templates(data: Path, name: str, regions: Sequence[str], seed: int) -> LabelledSet:
    lines = (data / "pii/presidio-research/templates.txt").read_text(errors="replace").splitlines()
    lines = [line.replace("\\n", "\n").replace("\\,", ",") for line in lines]  # as its generator reads them
    wanted = [line for line in lines if any(f"{{{{{slot}}}}}" in line for slot in SLOTS)]
    rng = random.Random(seed)
    found = LabelledSet(name, [], [], [])
    for number, line in enumerate(wanted):
        for _ in range(FILLINGS):
            text, labels = fill(line, rng, regions)
            found.texts.append(text)
            found.labels.append(labels)
            found.groups.append(number)
    return found


def context_sentences(data: Path) -> list[tuple[str, str]]:
    """Class and sentence."""
    path = data / "pii/presidio/presidio-analyzer/tests/data/context_sentences_tests.txt"
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
    pairs = zip(lines[::2], lines[1::2], strict=True)
    return [(CLASS_OF[kind], text) for kind, text in pairs if kind in CLASS_OF]


def label(text: str, start: int, end: int, kind: str) -> Label:
    first = len(text[:start].encode())
    return Label(first, first + len(text[start:end].encode()), kind, VALID[kind](text[start:end]))


def fill(template: str, rng: random.Random, regions: Sequence[str]) -> tuple[str, list[Label]]:
    """A template with every slot filled; slots of other classes get a word."""
    text, labels = "", []
    for literal, slot in pieces(template):
        text += literal
        if slot is None:
            continue
        kind = SLOTS.get(slot)
        value = (_phone(rng, regions) if kind == "phone" else MAKE[kind](rng)) if kind else slot.replace("_", " ")
        if kind:
            labels.append(label(text + value, len(text), len(text) + len(value), kind))
        text += value
    return text, labels


def pieces(template: str) -> Iterator[tuple[str, str | None]]:
    parts = re.split(r"\{\{(\w+)\}\}", template)
    for number in range(0, len(parts), 2):
        yield parts[number], parts[number + 1] if number + 1 < len(parts) else None


def _email(rng: random.Random) -> str:
    name = "".join(rng.choices(string.ascii_lowercase, k=6))
    host = rng.choice(["mail.com", "post-office.org", "a.b.co.uk", "mail.de"])
    return f"{name}{rng.choice(['', '.m', '_7', '+news'])}@{host}"


def _phone(rng: random.Random, regions: Sequence[str]) -> str:
    region = rng.choice(regions)
    kinds = (phonenumbers.PhoneNumberType.FIXED_LINE, phonenumbers.PhoneNumberType.MOBILE)
    number = phonenumbers.example_number_for_type(region, rng.choice(kinds))
    for _ in range(100):  # the last four digits drawn anew; some examples have no valid neighbours
        drawn = number.national_number // 10_000 * 10_000 + rng.randrange(10_000)
        other = phonenumbers.PhoneNumber(number.country_code, drawn, italian_leading_zero=number.italian_leading_zero)
        if phonenumbers.is_valid_number(other):
            number = other
            break
    forms = phonenumbers.PhoneNumberFormat
    return str(phonenumbers.format_number(number, rng.choice([forms.NATIONAL, forms.INTERNATIONAL, forms.E164])))


def _ssn(rng: random.Random) -> str:
    while True:
        value = f"{rng.randrange(1, 900):03d}-{rng.randrange(1, 100):02d}-{rng.randrange(1, 10_000):04d}"
        if ssn.is_valid(value):
            return value


def _card(rng: random.Random) -> str:
    prefix, length = rng.choice([("4", 16), ("51", 16), ("37", 15), ("6011", 16)])
    digits = prefix + "".join(rng.choices(string.digits, k=length - len(prefix) - 1))
    digits += luhn.calc_check_digit(digits)
    if length == 15:
        return rng.choice([digits, f"{digits[:4]} {digits[4:10]} {digits[10:]}"])
    separator = rng.choice(["", " ", "-"])
    return separator.join(digits[n : n + 4] for n in range(0, 16, 4))


def _iban(rng: random.Random) -> str:
    country, shape = rng.choice(IBANS)
    body = "".join(rng.choice(string.digits if c == "9" else string.ascii_uppercase) for c in shape)
    value = country + iban.calc_check_digits(f"{country}00{body}") + body
    if not iban.is_valid(value):  # some countries check the account itself too
        return _iban(rng)
    return rng.choice([value, " ".join(value[n : n + 4] for n in range(0, len(value), 4))])


def _ip(rng: random.Random) -> str:
    if rng.random() < 0.25:
        return "2a00:" + ":".join(f"{rng.randrange(1, 1 << 16):x}" for _ in range(7))
    first = rng.choice([8, 23, 52, 81, 94, 151, 185, 217])  # none of them private or reserved
    return f"{first}.{rng.randrange(256)}.{rng.randrange(256)}.{rng.randrange(1, 255)}"


MAKE: dict[str, Callable[[random.Random], str]] = {
    "email": _email,
    "us_ssn": _ssn,
    "credit_card": _card,
    "iban": _iban,
    "ip_address": _ip,
}


def _is_phone(value: str) -> bool:
    for region in (*PHONE_REGIONS, *OTHER_REGIONS):
        try:
            if phonenumbers.is_valid_number(phonenumbers.parse(value, region)):
                return True
        except phonenumbers.NumberParseException:
            continue
    return False


VALID: dict[str, Callable[[str], bool]] = {
    "email": lambda value: re.fullmatch(r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}", value) is not None,
    "phone": _is_phone,
    "us_ssn": ssn.is_valid,
    "credit_card": lambda value: (
        re.fullmatch(r"[\d -]{13,23}", value) is not None and luhn.is_valid(re.sub(r"[ -]", "", value))
    ),
    "iban": iban.is_valid,
    "ip_address": lambda value: True,
    "api_key": lambda value: False,  # nothing says whether a password is one
    "national_id": lambda value: aadhaar.is_valid(value) or pan.is_valid(value),
}
