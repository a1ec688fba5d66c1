"""How national ids are written, and the words that name them; who checks their digits is `python-stdnum`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gpucurate.steps.pii.candidate import words


@dataclass(frozen=True, slots=True)
class Form:
    """`alone` is the form that no other number has; `beside_a_word` counts near one of `words` only.

    `digits` are the lengths of ids of digits alone; `letters` says that there are forms with letters.
    """

    beside_a_word: re.Pattern[str]
    words: re.Pattern[bytes]
    digits: tuple[int, ...] = ()
    letters: bool = False
    alone: re.Pattern[str] | None = None


def _form(pattern: str, *names: str, digits: tuple[int, ...] = (), letters: bool = False, alone: str = "") -> Form:
    return Form(re.compile(pattern), words(*names), digits, letters, re.compile(alone) if alone else None)


FORMS = {
    "us.itin": _form(r"9\d\d[- ]?\d\d[- ]?\d{4}", "itin", "taxpayer", "tax id", digits=(9,)),
    "br.cpf": _form(r"\d{11}|\d{9}-\d\d", "cpf", digits=(11,), alone=r"\d{3}\.\d{3}\.\d{3}-\d\d"),
    "es.dni": _form(r"\d{8}-?[A-Z]", "dni.", "nif.", "documento nacional", letters=True),
    "es.nie": _form(r"[XYZ]-?\d{7}-?[A-Z]", "nie.", "nif.", "extranjero", letters=True),
    "it.codicefiscale": _form(
        r"[A-Za-z]{6}\d\d[A-Za-z]\d\d[A-Za-z]\d{3}[A-Za-z]",
        "codice fiscale",
        "c.f.",
        letters=True,
        alone=r"[A-Z]{6}\d\d[A-EHLMPRST]\d\d[A-Z]\d{3}[A-Z]",
    ),
    "fr.nir": _form(
        r"[12]\d{14}|[12]\d{12} \d\d",
        "nir.",
        "sécurité sociale",
        "securite sociale",
        "insee",
        "sécu",
        "secu",
        digits=(15,),
        alone=r"[12] \d\d (?:0[1-9]|1[0-2]|[2-9]\d) \d\d \d{3} \d{3} \d\d",
    ),
    "de.idnr": _form(r"\d\d ?\d{3} ?\d{3} ?\d{3}", "steuer", "idnr", "identifikationsnummer", "tin.", digits=(11,)),
    "nl.bsn": _form(r"\d{9}|\d{4}\.\d\d\.\d{3}", "bsn", "burgerservice", "sofi", digits=(9,)),
    "be.nn": _form(
        r"\d{11}|\d{6}[- ]\d{3}[-. ]\d\d|\d\d \d\d \d\d \d{3} \d\d",
        "rijksregister",
        "registre national",
        "niss",
        "insz",
        "national number",
        "nationaal nummer",
        digits=(11,),
        alone=r"\d\d\.\d\d\.\d\d-\d{3}\.\d\d",
    ),
    "pl.pesel": _form(r"\d{11}", "pesel", digits=(11,)),
    "se.personnummer": _form(r"(?:19|20)?\d{6}[-+]?\d{4}", "personn", "pnr", digits=(10, 12)),
    "no.fodselsnummer": _form(r"\d{6} ?\d{5}", "fødselsn", "fodselsn", "personn", digits=(11,)),
    "dk.cpr": _form(r"\d{6}[- ]?\d{4}", "cpr", "personn", digits=(10,)),
    "fi.hetu": _form(
        r"\d{6}[-+A-FU-Y]\d{3}[0-9A-Y]",
        "hetu",
        "henkilötunnus",
        letters=True,
        digits=(10,),
        alone=r"\d{6}[-+A]\d{3}[A-FHJ-NPR-Y]",
    ),
    "gb.nhs": _form(r"\d{3}[- ]?\d{3}[- ]?\d{4}", "nhs", digits=(10,)),
    "ca.sin": _form(r"\d{3}[- ]?\d{3}[- ]?\d{3}", "sin.", "social insurance", "assurance sociale", digits=(9,)),
    "au.tfn": _form(r"\d{3} ?\d{3} ?\d{3}", "tfn", "tax file", digits=(9,)),
    "cn.ric": _form(
        r"[1-9]\d{16}[\dXx]", "身份证", "id", digits=(18,), letters=True, alone=r"[1-9]\d{5}(?:19|20)\d{9}[\dXx]"
    ),
    "kr.rrn": _form(r"\d{13}", "주민", "rrn", "resident reg", digits=(13,), alone=r"\d{6}-[1-4]\d{6}"),
    "in_.aadhaar": _form(r"[2-9]\d{3}[- ]?\d{4}[- ]?\d{4}", "aadhaar", "aadhar", "uid.", "uidai", "आधार", digits=(12,)),
    "in_.pan": _form(
        r"[A-Z]{5}\d{4}[A-Z]",
        "pan.",
        "permanent account",
        "income tax",
        letters=True,
        alone=r"[A-Z]{3}P[A-Z]\d{4}[A-Z]",
    ),
    "mx.curp": _form(
        r"[A-Z]{4}\d{6}[HMX][A-Z]{5}[0-9A-Z]\d",
        "curp",
        letters=True,
        alone=r"[A-Z]{4}\d{6}[HM][A-Z]{5}[0-9A-Z]\d",
    ),
    "tr.tckimlik": _form(r"[1-9]\d{10}", "kimlik", "tckn", "t.c.", digits=(11,)),
    "za.idnr": _form(
        r"\d{6} ?\d{4} ?\d{3}", "id number", "id no", "identity n", "id:", "south african id", digits=(13,)
    ),
}
