"""IP addresses that reach a machine of somebody, and hardware addresses."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

from gpucurate.steps.pii.candidate import Candidate, words
from gpucurate.steps.pii.classes import Detector, Match, PiiClass

IPV4 = Detector("ip_address.v4", PiiClass.IP_ADDRESS)
IPV6 = Detector("ip_address.v6", PiiClass.IP_ADDRESS)
MAC = Detector("mac_address", PiiClass.MAC_ADDRESS)

DOCUMENTATION = {  # RFC 5737; RFC 3849 and RFC 9637
    4: [ip_network(each) for each in ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24")],
    6: [ip_network(each) for each in ("2001:db8::/32", "3fff::/20")],
}
UNICAST = IPv6Network("2000::/3")  # RFC 4291, section 2.4: what is assigned today; spares C++'s `std::` and the like
SMALL = 32  # four parts below this are a version or a chapter unless a word speaks of networks; 1 address in 4,096
NETWORK_WORDS = words(
    "ip.", "ips.", "ipv4.", "addr", "host", "server", "dns.", "ping", "subnet", "router", "gateway", "client",
    "from.", "login", "logged", "adresse", "dirección", "адрес",
)  # fmt: skip
VERSION_WORDS = re.compile(
    rb"(?:\bv|\bver\.?|version|versions|release|build|firmware|driver|kernel|update|upgrade|patch|software|"
    rb"chapter|section|clause|article|\xc2\xa7|oid)[ :=#(]*\Z",
    re.I,
)
PAIRS = re.compile(rb"[0-9A-Fa-f]{2}(?P<s>[:-])[0-9A-Fa-f]{2}(?:(?P=s)[0-9A-Fa-f]{2}){4}")
MAC_WORDS = words("mac.", "hardware addr", "physical addr", "ethernet", "bssid", "wlan", "bluetooth")
DOCUMENTATION_MAC = re.compile(rb"00-?00-?5e-?00-?53-?..", re.I)  # RFC 7042, section 2.1.2


class AddressDetector:
    """Finds public IPv4 and IPv6 addresses and MAC addresses; `spare_reserved` leaves documentation ranges."""

    def __init__(self, spare_reserved: bool, wanted: Container[PiiClass]) -> None:
        self._spare = spare_reserved
        self._addresses = PiiClass.IP_ADDRESS in wanted
        self._hardware = PiiClass.MAC_ADDRESS in wanted

    def quad(self, candidate: Candidate) -> Iterator[Match]:
        """Four dotted numbers: an address unless they read as a version, private, reserved or multicast."""
        address = _address(candidate.match)
        if not isinstance(address, IPv4Address) or not self._found(address):
            return
        named = candidate.near(NETWORK_WORDS)
        if VERSION_WORDS.search(candidate.before(16)) or (max(address.packed) < SMALL and not named):
            return
        yield Match(candidate.start, candidate.end, IPV4, 0.95 if named else 0.8)

    def colons(self, candidate: Candidate) -> Iterator[Match]:
        """Hexadecimal groups with colons: an IPv6 address in unicast space, or six pairs."""
        raw = candidate.match.rstrip(b".")
        raw = raw[:-1] if raw.endswith(b":") and not raw.endswith(b"::") else raw
        if PAIRS.fullmatch(raw):
            yield from self._mac(candidate, raw)
            return
        address = _address(raw)
        if isinstance(address, IPv6Address) and address in UNICAST and self._found(address):
            yield Match(candidate.start, candidate.start + len(raw), IPV6, 0.95)

    def token(self, candidate: Candidate) -> Iterator[Match]:
        """Six pairs joined by hyphens; digits alone could be a date or a code and need a word beside them."""
        raw = candidate.match
        if len(raw) == 17 and PAIRS.fullmatch(raw):
            yield from self._mac(candidate, raw)

    def _mac(self, candidate: Candidate, raw: bytes) -> Iterator[Match]:
        plain = raw.replace(b":", b"-").lower()
        if (
            not self._hardware
            or len(set(plain.split(b"-"))) == 1
            or (self._spare and DOCUMENTATION_MAC.fullmatch(plain))
        ):
            return  # 00:00:..., ff:ff:...: nobody's
        named = candidate.near(MAC_WORDS)
        if named or not plain.replace(b"-", b"").isdigit():
            yield Match(candidate.start, candidate.start + len(raw), MAC, 0.95 if named else 0.8)

    def _found(self, address: IPv4Address | IPv6Address) -> bool:
        if not self._addresses:
            return False
        if any(address in network for network in DOCUMENTATION[address.version]):
            return not self._spare
        return address.is_global and not address.is_multicast


def _address(raw: bytes) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(raw.decode("ascii"))
    except ValueError:
        return None
