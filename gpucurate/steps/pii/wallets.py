"""Addresses and keys of crypto currencies, by the checksums they carry: Base58Check, Bech32, EIP-55."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from hashlib import sha256

from gpucurate.steps.pii.candidate import Candidate
from gpucurate.steps.pii.classes import Detector, Match, PiiClass
from gpucurate.steps.pii.keccak import keccak256

BASE58 = Detector("crypto_wallet.base58check", PiiClass.CRYPTO_WALLET)
BECH32 = Detector("crypto_wallet.bech32", PiiClass.CRYPTO_WALLET)
ETHEREUM = Detector("crypto_wallet.ethereum", PiiClass.CRYPTO_WALLET)
WIF = Detector("private_key.wif", PiiClass.PRIVATE_KEY)

ALPHABET58 = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
VALUE58 = {sign: value for value, sign in enumerate(ALPHABET58)}
FORM58 = re.compile(rb"[1-9A-HJ-NP-Za-km-z]{26,52}")
VERSIONS = frozenset({0x00, 0x05, 0x1E, 0x16, 0x30, 0x32, 0x41, 0x4C, 0x10})
# Bitcoin, Dogecoin, Litecoin, Tron and Dash: the version bytes of their chain parameters
WIF_VERSION = 0x80  # Bitcoin's wallet import format: 32 bytes of key, or 33 with the mark of a compressed point
FORM32 = re.compile(rb"(?P<prefix>bc|ltc|addr)1(?P<data>[02-9ac-hj-np-z]{11,110})", re.I)  # BIP 173; CIP 19
VALUE32 = {sign: value for value, sign in enumerate(b"qpzry9x8gf2tvdw0s3jn54khce6mua7l")}
GENERATOR = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)  # BIP 173
SUMS = frozenset({1, 0x2BC830A3})  # Bech32: BIP 173; Bech32m: BIP 350
FORM16 = re.compile(rb"0x[0-9a-fA-F]{40}")
BURNT = re.compile(rb"0x0{24}")  # burn addresses and precompiled contracts are nobody's


class WalletDetector:
    """Finds addresses in long tokens, and private keys in wallet import format."""

    def __init__(self, wanted: Container[PiiClass]) -> None:
        self._wanted = wanted

    def __call__(self, candidate: Candidate) -> Iterator[Match]:
        """The token as a whole has to be an address."""
        size = candidate.end - candidate.start
        if not 14 <= size <= 115:
            return
        found = address(candidate.match)
        if found is not None and found[0].kind in self._wanted:
            yield Match(candidate.start, candidate.end, *found)


def address(token: bytes) -> tuple[Detector, float] | None:
    """What the token is, and how sure that is; None if its checksum does not hold."""
    if FORM16.fullmatch(token):
        if BURNT.match(token):
            return None
        cased = token[2:] not in (token[2:].lower(), token[2:].upper())
        if cased and not eip55(token[2:]):
            return None
        return ETHEREUM, 1.0 if cased else 0.7  # without mixed case there is no checksum
    found = FORM32.fullmatch(token)
    if found is not None and token in (token.lower(), token.upper()):
        return (BECH32, 1.0) if bech32(found["prefix"].lower(), found["data"].lower()) else None
    if FORM58.fullmatch(token):
        payload = base58check(token)
        if payload is not None and len(payload) == 21 and payload[0] in VERSIONS:
            return BASE58, 1.0
        if payload is not None and len(payload) in (33, 34) and payload[0] == WIF_VERSION:
            return WIF, 1.0
    return None


def base58check(token: bytes) -> bytes | None:
    """The payload of a Base58Check string, None if the four bytes of its checksum differ."""
    number = 0
    for sign in token:
        number = number * 58 + VALUE58[sign]
    leading = len(token) - len(token.lstrip(b"1"))
    raw = bytes(leading) + number.to_bytes((number.bit_length() + 7) // 8, "big")
    payload, checksum = raw[:-4], raw[-4:]
    return payload if sha256(sha256(payload).digest()).digest()[:4] == checksum else None


def bech32(prefix: bytes, data: bytes) -> bool:
    """Whether the checksum of a Bech32 or Bech32m string holds; both parts in lower case."""
    values = [sign >> 5 for sign in prefix] + [0] + [sign & 31 for sign in prefix] + [VALUE32[sign] for sign in data]
    check = 1
    for value in values:
        top = check >> 25
        check = (check & 0x1FFFFFF) << 5 ^ value
        for i, term in enumerate(GENERATOR):
            check ^= term if top >> i & 1 else 0
    return check in SUMS


def eip55(digits: bytes) -> bool:
    """Whether the case of 40 hexadecimal digits is the checksum that EIP-55 defines."""
    drawn = keccak256(digits.lower()).hex()
    signs = zip(digits.decode(), drawn[:40], strict=True)
    return all(sign.isdigit() or sign.isupper() == (int(bit, 16) >= 8) for sign, bit in signs)
