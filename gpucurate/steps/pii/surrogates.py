"""Made-up values that nobody owns, one and the same for equal values everywhere.

A surrogate is a function of key, class and normalised value (and keeps the value's layout), never of the document or
its neighbours.  Every range used here is set aside by its registry, and the detectors spare it: scrubbing twice
changes nothing more.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address

from gpucurate.steps.pii.classes import PiiClass
from gpucurate.steps.pii.keys import Key

CONSONANTS, VOWELS = "bdfgklmnprstvz", "aeiou"
DOMAINS = ("example.com", "example.net", "example.org")  # RFC 2606, section 3
TEST_NETS = (b"\xc0\x00\x02", b"\xc6\x33\x64", b"\xcb\x00\x71")  # 192.0.2, 198.51.100, 203.0.113: RFC 5737
DOCUMENTATION_V6 = bytes.fromhex("20010db8")  # RFC 3849
DOCUMENTATION_MAC = bytes.fromhex("00005e0053")  # RFC 7042, section 2.1.2
NO_ISSUER = "9999"  # ISO/IEC 7812-1: 9 and a country code of ISO 3166-1, where 999 stands for none
NO_COUNTRY = "XX"  # ISO 3166-1 leaves XX to users; no bank has it
NO_AREA = "000"  # the Social Security Administration never assigned area 000
SIGNS = re.compile(rb"[^0-9A-Za-z]+")


def normalised(kind: PiiClass, value: bytes) -> bytes:
    """One spelling for what is the same value: case of addresses, separators of numbers, North America's leading 1."""
    if kind is PiiClass.EMAIL:
        return value.lower()
    if kind is PiiClass.IP_ADDRESS:
        return ip_address(value.decode()).packed
    if kind is PiiClass.PHONE:
        digits = re.sub(rb"\D", b"", value)
        return digits[1:] if len(digits) == 11 and digits[:1] == b"1" else digits
    if kind in (PiiClass.CREDIT_CARD, PiiClass.IBAN, PiiClass.US_SSN, PiiClass.NATIONAL_ID, PiiClass.MAC_ADDRESS):
        return SIGNS.sub(b"", value).upper()
    return value


def surrogate(kind: PiiClass, value: bytes, key: Key) -> str:
    """A value of the same class for `value`; raises KeyError for a class without one (`config.SURROGATES`)."""
    drawn = key.digest(b"surrogate", kind.value.encode(), normalised(kind, value), size=32)
    return MAKERS[kind](value.decode(), drawn)


def _email(value: str, drawn: bytes) -> str:
    def word(part: bytes) -> str:
        return "".join(CONSONANTS[a % 14] + VOWELS[a // 14 % 5] for a in part)

    return f"{word(drawn[:3])}.{word(drawn[3:6])}@{DOMAINS[drawn[6] % 3]}"


def _phone(value: str, drawn: bytes) -> str:
    last = int.from_bytes(drawn[:4], "little")
    if value.startswith(("+44", "0")):
        number = f"7700 900{last % 1000:03}"  # Ofcom: telephone numbers for drama, mobile
        return f"+44 {number}" if value.startswith("+") else f"0{number}"
    area = f"{2 + drawn[4] % 8}{drawn[5] % 10}{drawn[6] % 10}"
    line = f"555-01{last % 100:02}"  # ATIS-0300115: 555-0100 to 555-0199 are fictitious
    if value.startswith("+"):
        return f"+1 {area}-{line}"
    return f"({area}) {line}" if value.startswith("(") else f"{area}-{line}"


def _ip_address(value: str, drawn: bytes) -> str:
    if ":" in value:
        return str(IPv6Address(DOCUMENTATION_V6 + drawn[:12]))
    return str(ip_address(TEST_NETS[drawn[0] % 3] + bytes([1 + drawn[1] % 254])))


def _credit_card(value: str, drawn: bytes) -> str:
    digits = NO_ISSUER + _digits(drawn, sum(map(str.isdigit, value)) - 5)
    return _laid_out(value, digits + _luhn_digit(digits))


def _iban(value: str, drawn: bytes) -> str:
    account = SIGNS.sub(b"", value.encode()).decode()[4:]
    fresh = "".join(
        chr(65 + drawn[i % 32] % 26) if sign.isalpha() else str((drawn[i % 32] + i) % 10)
        for i, sign in enumerate(account)
    )
    rest = int("".join(str(int(sign, 36)) for sign in f"{fresh}{NO_COUNTRY}00")) % 97
    return _laid_out(value, f"{NO_COUNTRY}{98 - rest:02}{fresh}")


def _us_ssn(value: str, drawn: bytes) -> str:
    return _laid_out(value, NO_AREA + _digits(drawn, 6))


def _mac_address(value: str, drawn: bytes) -> str:
    digits = (DOCUMENTATION_MAC + drawn[:1]).hex()
    return _laid_out(value, digits if value == value.lower() else digits.upper())


def _digits(drawn: bytes, count: int) -> str:
    return f"{int.from_bytes(drawn, 'little'):078}"[-count:]


def _luhn_digit(digits: str) -> str:
    doubled = [int(d) * 2 if i % 2 == 0 else int(d) for i, d in enumerate(reversed(digits))]
    return str(-sum(d - 9 if d > 9 else d for d in doubled) % 10)


def _laid_out(value: str, fresh: str) -> str:
    """The fresh signs where the value had letters and digits, its separators in between."""
    signs = iter(fresh)
    return "".join(next(signs) if sign.isalnum() else sign for sign in value)


MAKERS: dict[PiiClass, Callable[[str, bytes], str]] = {
    PiiClass.EMAIL: _email,
    PiiClass.PHONE: _phone,
    PiiClass.IP_ADDRESS: _ip_address,
    PiiClass.CREDIT_CARD: _credit_card,
    PiiClass.IBAN: _iban,
    PiiClass.US_SSN: _us_ssn,
    PiiClass.MAC_ADDRESS: _mac_address,
}
