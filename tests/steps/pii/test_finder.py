"""What is found, class by class, and what must survive."""

from __future__ import annotations

import pyarrow as pa
import pytest

from gpucurate.core.errors import RecipeError
from gpucurate.steps.pii.config import PiiConfig
from gpucurate.steps.pii.finder import FINDINGS, Finder
from tests.steps.pii.findings import column, finder, found

KEY = "Zx9Qw3Er7Ty1Ui5Op2As8Df4Gh6Jk0LzXcVb"

FINDS = [
    ("email", "a.b+c@example.co.uk", "Write to {}."),
    ("email", "müller@example.de", "Mail: {}!"),
    ("email", "x_1@sub.example.org", "<{}>"),
    ("email", "a@example.com", "联系{}谢谢"),
    ("email", "first.last@example.travel", "mailto:{}?subject=x"),
    ("phone", "+44 121 234 5678", "From abroad {}, please"),
    ("phone", "+1 201-555-0123", "{}"),
    ("phone", "+49 30 123456", "Berlin: {}."),
    ("phone", "(201) 555-0123", "{}"),
    ("phone", "201.555.0123", "at {}, daily"),
    ("phone", "2015550123", "Call me at {}"),
    ("phone", "0121 234 5678", "phone {}"),
    ("phone", "01 23 45 67 89", "À Paris {} ou"),
    ("phone", "201-555-0123 ext. 45", "Office: {};"),
    ("phone", "201-555-0123x751", "Desk: {}\nFax"),
    ("phone", "201-555-0123", "tel:{}-Office"),
    ("phone", "+44\u00a0121\u00a0234\u00a05678", "{} (mobile)"),
    ("phone", "+1 201‑555‑0123", "{}"),
    ("ip_address", "8.8.8.8", "the DNS server {} answered"),
    ("ip_address", "198.51.100.77", "{}"),
    ("ip_address", "203.0.113.9", "http://{}/index"),
    ("ip_address", "2001:db8::1", "from {}."),
    ("ip_address", "2001:db8:85a3:8d3:1319:8a2e:370:7348", "[{}]:443"),
    ("mac_address", "00:00:5E:00:53:AF", "eth0 {}"),
    ("mac_address", "00-00-5e-00-53-af", "{}"),
    ("credit_card", "6011-5776-3171-1174", "{}"),
    ("credit_card", "4111 1111 1111 1111", "card {}."),
    ("credit_card", "4111111111111111", "paid with {}"),
    ("credit_card", "3782 822463 10005", "Amex {}"),
    ("credit_card", "5555555555554444", "{}"),
    ("iban", "GB82 WEST 1234 5698 7654 32", "IBAN {} in London"),
    ("iban", "DE89370400440532013000", "{}."),
    ("us_ssn", "512-34-5678", "{}"),
    ("us_ssn", "512 34 5678", "Her social security number is {}"),
    ("us_ssn", "078-05-1120", "{}"),
    ("national_id", "390.533.447-05", "{}"),
    ("national_id", "39053344705", "CPF {}"),
    ("national_id", "RCCMNL83S18D969H", "{}"),
    ("national_id", "2 95 10 99 126 111 93", "{}"),
    ("national_id", "131052-308T", "{}"),
    ("national_id", "85.07.30-033.28", "{}"),
    ("national_id", "44051401359", "PESEL: {}"),
    ("national_id", "2341 2341 2346", "Aadhaar {}"),
    ("national_id", "360426199101010071", "{}"),
    ("national_id", "54362315K", "DNI {}"),
    ("national_id", "943-476-5870", "NHS number {}"),
    ("crypto_wallet", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "bitcoin:{}"),
    ("crypto_wallet", "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy", "{}"),
    ("crypto_wallet", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "{}."),
    ("crypto_wallet", "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0", "{}"),
    ("crypto_wallet", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "{}"),
    ("crypto_wallet", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed", "{}"),
    ("private_key", "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ", "{}"),
    ("private_key", "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEE\n-----END EC PRIVATE KEY-----", "a\n{}\nb"),
    ("api_key", f"ghp_{KEY}", "token {} here"),
    ("api_key", "AKIA2E7GHIJ5KLMN3OPQ", "{}"),
    ("api_key", f"sk-proj-{KEY}", "export K={}"),
    ("api_key", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI5ODc2In0.dBjftJeZ4CVPmB92K27uhbUJU1p1rwW1gFWFOEj", "{}"),
    ("api_key", KEY, 'api_key = "{}"'),
]


def test_every_class_is_found_to_its_ends() -> None:
    for kind, value, around in FINDS:
        assert found(around.format(value)) == [(kind, value)], around.format(value)
    assert {kind for kind, _, _ in FINDS} == {kind.value for kind in PiiConfig().policies}


SURVIVORS = [
    "The population was 1,234,567 in 2001 and 1 234 567 in 2011, or 12345678 in all.",
    "ISBN 978-0-306-40615-7, ISBN 0-306-40615-2, ISBN 0306406152, ISSN 2049-3630.",
    "doi:10.1000/182, https://doi.org/10.1038/s41586-020-2649-2, arXiv:2101.00027, PMID: 12345678",
    "From 1939-1945, 1914–1918, 2001-02-03, 03.02.2001, 11/12/2013, 2001-09-11T08:46:40",
    "110bcd25-a55d-453a-8046-1297901ea002 and {12345678-1234-1234-1234-123456789012}",
    "Sets 6-4 3-6 7-6 6-3, final 102-98, series 4-1; odds 2.5 1.75 3.25; 10-12-14-8",
    "Version 1.2.3.4, Chrome/91.0.4472.124, section 2.1.3.4, v10.15.7.1, release 8.8.8.8",
    "10.0.0.1, 192.168.1.1, 127.0.0.1, 224.0.0.1, 255.255.255.0, 0.0.0.0, 999.1.1.1",
    "std::vector<int> a::b ::1 fe80::1 12:34:56 at 10:20:30.40, dead::beef",
    "@app.route, icon@2x.png, git@example.org:me/it, user@localhost, a @ b.com, @handle, x@y",
    "4111 1111 1111 1112 is no card, nor is 1234567812345670; 0000 0000 0000 0000",
    "GB82 WEST 1234 5698 7654 33, AB12 3456 7890 1234, FW190 1941 2000",
    "000-12-3456, 666-12-3456, 912-34-5678, 123-00-4567, 123-45-0000, 512-34-56789",
    "Coordinates 48.8566 2.3522, 40°26′46″N 79°58′56″W, 51.5074,-0.1278; 3.14159265358979",
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD 0x0000000000000000000000000000000000000000",
    "sk-learn-contrib-something-or-other, commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "-----BEGIN PUBLIC KEY-----\nMFwwDQYJ\n-----END PUBLIC KEY-----, -----BEGIN PRIVATE KEY----- is a line",
    "00:00:00:00:00:00 ff:ff:ff:ff:ff:ff 12-34-56-78-90-12",
    "$2015550123, part no. 2015550123, OCLC 2015550123, 2015550123",
    "1992 1993 1994 1995 1996 1997 1998 1999 2000 2001, 100 200 300 400 500 600",
    "NGC 1234 5678, HIP 98765432, IC-1234567, Boeing 737-800/900, US 7,654,321 B2, EP 1234567",
    "",
]


def test_numbers_of_other_kinds_survive() -> None:
    for text in SURVIVORS:
        assert found(text) == [], text


def test_cards_in_rows_of_figures_survive() -> None:
    card = "4539 5787 6362 1486"  # a Luhn sum and Visa's prefix, as one row of figures in some hundred has
    for row in (
        f"7098 9786 9488 {card} 6813 1941",
        f"{card} 6813 1941",
        f"1997 {card}",
        f"1997\t{card}\u00a012.5",
        f"total  1,997   {card}   2,004.",
        "1001 4539578763621486 1002",
    ):
        assert found(row) == [], row
        assert found(f"Visa, {row}")[0][0] == "credit_card", row
    for text in (
        f"{card} 12/27",
        f"2026-05-03 {card}",
        f"{card}\n{card}",
        f"in 2012, {card}",
        f"({card}) 7",
        f"A1 {card} B2",
    ):
        assert set(found(text)) == {("credit_card", card)}, text


def test_context_raises_scores_and_least_scores_cut() -> None:
    for bare, named in [
        ("201-555-0123", "call 201-555-0123"),
        ("512-34-5678", "SSN 512-34-5678"),
        ("4111111111111111", "Visa 4111111111111111"),
        ("203.0.113.9", "from host 203.0.113.9"),
    ]:
        low, high = (finder(spare_reserved=False).find(column(text))["score"][0].as_py() for text in (bare, named))
        assert low < high
        middle = (low + high) / 2
        assert found(bare, min_score=middle) == []
        assert len(found(named, min_score=middle)) == 1
    assert found("1.2.3.4") == []
    assert found("server address 1.2.3.4") == [("ip_address", "1.2.3.4")]


def test_what_nobody_can_own_is_spared() -> None:
    for text in (
        "a@example.com b@mail.example.org c@x.test d@y.invalid",
        "192.0.2.1 198.51.100.1 203.0.113.1 2001:db8::1 3fff::1 address",
        "call (212) 555-0123 or +1 212 555 0100 or 020 7946 0018 or 07700 900123 or +44 7700 900123",
        "SSN 078-05-1120, MAC 00-00-5E-00-53-01, AKIAIOSFODNN7EXAMPLE",
    ):
        assert found(text, spare_reserved=True) == [], text
        assert found(text), text


def test_only_classes_regions_and_ids_asked_for() -> None:
    text = "a@example.com, call 0121 234 5678, 203.0.113.9 and 00:00:5e:00:53:af; " + "so " * 20 + "CPF 390.533.447-05"
    assert [kind for kind, _ in found(text)] == ["email", "phone", "ip_address", "mac_address", "national_id"]
    for kind in ("email", "phone", "ip_address", "mac_address", "national_id"):
        only = Finder(PiiConfig(policies={kind: "keep"}, spare_reserved=False)).find(column(text))
        assert only["class"].to_pylist() == [kind]
    assert found("01 23 45 67 89", regions=("US",)) == []
    assert found("01 23 45 67 89", regions=("fr",)) == [("phone", "01 23 45 67 89")]
    assert "national_id" not in [kind for kind, _ in found(text, national_ids=("pl.pesel",))]
    for settings in ({"regions": ["US", "XX"]}, {"national_ids": ["xx.id"]}):
        with pytest.raises(RecipeError, match="Remedy"):
            Finder(PiiConfig.model_validate(settings))


def test_the_table_is_sorted_and_depends_on_no_neighbour() -> None:
    texts = [around.format(value) for _, value, around in FINDS] + SURVIVORS
    together = finder(spare_reserved=False).find(column(*texts))
    assert together.schema == FINDINGS
    places = list(zip(together["row"].to_pylist(), together["start"].to_pylist(), strict=True))
    assert places == sorted(places)
    for part in (slice(0, 7), slice(7, 20), slice(20, len(texts))):
        sliced = pa.chunked_array([column(*texts)])[part.start : part.stop]
        alone = finder(spare_reserved=False).find(sliced).to_pylist()
        assert alone == [
            row | {"row": row["row"] - part.start}
            for row in together.to_pylist()
            if part.start <= row["row"] < part.stop
        ]
    assert finder().find(column()).num_rows == 0
