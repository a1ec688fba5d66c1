"""Scan and checksums against other implementations, published vectors and regular expressions."""

from __future__ import annotations

import re
from ipaddress import ip_address

import numpy as np
import pyarrow.compute as pc
import stdnum.iban
import stdnum.luhn
from hypothesis import given, settings
from hypothesis import strategies as st

from gpucurate.core.text_buffers import pack_texts
from gpucurate.steps.pii.config import NATIONAL_IDS
from gpucurate.steps.pii.keccak import keccak256
from gpucurate.steps.pii.national_forms import FORMS
from gpucurate.steps.pii.payment import LENGTHS, iban_valid, issued
from gpucurate.steps.pii.scan import CARD, EMAIL, QUAD, candidates
from gpucurate.steps.pii.surrogates import _luhn_digit
from gpucurate.steps.pii.wallets import VALUE32, address, base58check, bech32, eip55
from tests.steps.pii.findings import column, finder, found

# BIP 173 and BIP 350, test vectors of addresses for main net
SEGWIT = [
    "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4",
    "bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y",
    "BC1SW50QGDZ25J",
    "bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs",
    "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0",
]
# EIP-55, test cases
ETHEREUM = [
    "52908400098527886E0F7030069857D2E4169EE7",
    "de709f2102306220921060314715629080e2fb77",
    "5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    "fB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
    "dbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
    "D1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
]


def test_keccak_and_addresses_against_published_vectors() -> None:
    assert keccak256(b"").hex() == "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"
    assert keccak256(b"abc").hex() == "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45"
    for digits in ETHEREUM:
        assert eip55(digits.encode())
    for token in SEGWIT:
        prefix, data = token.lower().encode().split(b"1", 1)
        assert bech32(prefix, data)
        assert address(token.encode()) is not None
        for place in range(len(data)):  # the checksum detects any one wrong sign
            wrong = next(sign for sign in VALUE32 if sign != data[place])
            assert not bech32(prefix, data[:place] + bytes([wrong]) + data[place + 1 :])
    assert address(b"bc1Qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4") is None  # mixed case
    genesis = b"1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"
    assert base58check(genesis) == bytes.fromhex("0062e907b15cbf27d5425399ebf6f0fb50ebb88f18")
    assert base58check(genesis[:-1] + b"b") is None


@settings(max_examples=300, deadline=None)
@given(st.text("0123456789", min_size=13, max_size=19))
def test_cards_are_those_that_stdnum_s_luhn_accepts(digits: str) -> None:
    whole = digits[:-1] + _luhn_digit(digits[:-1])
    assert stdnum.luhn.is_valid(whole)
    for number in (digits, whole):
        kinds, _, starts, ends = candidates(*pack_texts([f"n {number}."]))
        cards = [(int(s), int(e)) for k, s, e in zip(kinds, starts, ends, strict=True) if k == CARD]
        assert cards == ([(2, 2 + len(number))] if stdnum.luhn.is_valid(number) else [])


def test_issuers() -> None:
    for digits, expected in [
        ("4" + "0" * 15, True), ("4" + "0" * 14, False), ("37" + "0" * 13, True), ("2720" + "0" * 12, True),
        ("2721" + "0" * 12, False), ("9999" + "0" * 12, False), ("36" + "0" * 12, True), ("50" + "0" * 14, False),
    ]:  # fmt: skip
        assert issued(digits) is expected, digits


def test_ibans_against_stdnum() -> None:
    random = np.random.default_rng(11)
    agreed = 0
    for country, length in LENGTHS.items():
        assert 15 <= length <= 34
        for _ in range(2):
            account = "".join(random.choice(list("0123456789"), length - 4))
            checks = 98 - int("".join(str(int(sign, 36)) for sign in f"{account}{country}00")) % 97
            for plain in (f"{country}{checks:02}{account}", f"{country}{(checks + 1) % 100:02}{account}"):
                ours = iban_valid(plain)
                assert ours is (stdnum.iban.calc_check_digits(plain) == plain[2:4])
                agreed += ours
                grouped = " ".join(plain[i : i + 4] for i in range(0, length, 4))
                for written in (plain, grouped):
                    said = [value for kind, value in found(f"IBAN: {written}, x") if kind == "iban"]
                    assert said == ([written] if ours else []), written
    assert agreed == 2 * len(LENGTHS)


ALPHABET = st.sampled_from([*"ab1.@- 9,/_", "25", "example.com", "\n", "é", "12.34.56.7"])
EMAILS = re.compile(rb"(?:[A-Za-z0-9._%+-]|[\xc3-\xc9][\x80-\xbf])+@(?=[A-Za-z0-9-]*\.)[A-Za-z0-9.-]+")
QUADS = re.compile(rb"(?<![A-Za-z0-9_.])(?<![A-Za-z0-9][,'-])\d{1,3}(?:\.\d{1,3}){3}(?![A-Za-z0-9]|[-._][A-Za-z0-9])")


@settings(max_examples=400, deadline=None)
@given(st.lists(ALPHABET, max_size=40).map("".join))
def test_gates_against_regular_expressions(text: str) -> None:
    kinds, _, starts, ends = candidates(*pack_texts(["x", text, "y"]))
    places = [(int(k), int(s) - 1, int(e) - 1) for k, s, e in zip(kinds, starts, ends, strict=True)]
    raw = text.encode()
    ats = {end for kind, _, end in places if kind == EMAIL}
    assert {match.end() for match in EMAILS.finditer(raw)} <= ats
    assert len(ats) <= raw.count(b"@")
    assert [p[1:] for p in places if p[0] == QUAD] == [match.span() for match in QUADS.finditer(raw)]


def test_public_addresses_are_those_of_ipaddress() -> None:
    random = np.random.default_rng(3)
    rows = random.integers(0, 256, (2_000, 4))
    texts = [".".join(map(str, octets)) for octets in rows]
    hits = set(finder(spare_reserved=False).find(column(*texts))["row"].to_pylist())
    for row, (text, octets) in enumerate(zip(texts, rows, strict=True)):
        one = ip_address(text)
        expected = one.is_global and not one.is_multicast and octets.max() >= 32
        documentation = tuple(octets[:3]) in {(192, 0, 2), (198, 51, 100), (203, 0, 113)}
        assert (row in hits) is bool(expected or documentation), text


def test_ids_of_any_digits_raise_nothing() -> None:
    """Random members of every form, valid and not, beside the words that name them."""
    shapes = {
        "us.itin": "999-99-9999", "br.cpf": "999.999.999-99", "es.dni": "99999999A", "es.nie": "X9999999A",
        "it.codicefiscale": "AAAAAA99A99A999A", "fr.nir": "1 99 99 99 999 999 99", "de.idnr": "99 999 999 999",
        "nl.bsn": "999999999", "be.nn": "99.99.99-999.99", "pl.pesel": "99999999999", "se.personnummer": "999999-9999",
        "no.fodselsnummer": "999999 99999", "dk.cpr": "999999-9999", "fi.hetu": "999999-999A", "gb.nhs": "999 999 9999",
        "ca.sin": "999-999-999", "au.tfn": "999 999 999", "cn.ric": "999999199999999999", "kr.rrn": "999999-1999999",
        "in_.aadhaar": "9999 9999 9999", "in_.pan": "AAAPA9999A", "mx.curp": "AAAA999999HAAAAA99",
        "tr.tckimlik": "99999999999", "za.idnr": "9999999999999",
    }  # fmt: skip
    assert set(shapes) == set(NATIONAL_IDS) == set(FORMS)
    named = " itin cpf dni nie codice fiscale nir steuer bsn niss pesel personn hetu nhs sin tfn id aadhaar pan "
    named += "curp kimlik cpr fødselsn rrn "
    random = np.random.default_rng(19)
    texts = [
        f"{named[-48:] if n % 2 else name} "
        + "".join(
            str(random.integers(10)) if sign == "9" else chr(65 + random.integers(26)) if sign == "A" else sign
            for sign in shape
        )
        for name, shape in shapes.items()
        for n in range(150)
    ]
    rows = finder(spare_reserved=False, national_ids=tuple(FORMS)).find(column(*texts))
    assert rows.num_rows < len(texts)
    rows = rows.filter(pc.equal(rows["class"], "national_id"))
    assert len(set(rows["detector"].to_pylist())) > 6
