"""Texts that break scrubbers: long ones, damaged neighbours, characters of several bytes, overlaps and their ends."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from gpucurate.core.text_buffers import pack_texts
from gpucurate.steps.pii.classes import Detector, Match, PiiClass
from gpucurate.steps.pii.findings import resolve
from gpucurate.steps.pii.scan import candidates
from tests.steps.pii.findings import column, finder, found

MEGABYTES = 10


def test_the_issue_s_own_cases() -> None:
    assert found("id 110bcd25-a55d-453a-8046-1297901ea002") == []
    assert found("call 110bcd25-a55d-453a-8046-1297901ea002 or phone 8046-1297901ea002") == []
    assert found("6011-5776-3171-1174") == [("credit_card", "6011-5776-3171-1174")]
    assert found("call 6011-5776-3171-1175") == []  # no card, and no phone number within it
    assert found("1.2.3.4") == found("version 8.8.8.8") == []
    for end in (".", "...", "!", "?", ",", ";", ":", ")", "»", "\u201d", "。", "-", "_", "\n"):
        assert found(f"Write to a.b@example.com{end}") == [("email", "a.b@example.com")], end


def test_offsets_after_emoji_combining_marks_and_at_borders() -> None:
    for before in ("", "👩‍👧", "e\u0301", "日本", "\u202e", "\x00", "\ufffd", "𝔘"):
        for after in ("", "👩‍👧", "\u0301", "日本", "\ud7ff", "\x7f", "𝔘"):
            for value in ("a@example.com", "+1 201-555-0123", "4111 1111 1111 1111", "203.0.113.9"):
                assert [text for _, text in found(f"{before} {value} {after}")] == [value]
                assert [text for _, text in found(f"{before}{value}{after}")] in ([value], []), (before, value, after)
    for letter in ("é", "ß", "ñ"):  # a piece of an address is not the address
        assert found(f"{letter}a@example.com") == [("email", f"{letter}a@example.com")]


def test_spans_that_touch_or_overlap() -> None:
    text = "a@example.com,b@example.com;203.0.113.9/203.0.113.7|+1 201-555-0123(202) 555-0123"
    assert [value for _, value in found(text)][:4] == ["a@example.com", "b@example.com", "203.0.113.9", "203.0.113.7"]
    assert found("a@example.com@example.org") == [("email", "example.com@example.org")]  # the longer
    assert found("https://me:a@example.com/203.0.113.9") == [("email", "a@example.com"), ("ip_address", "203.0.113.9")]
    key = "-----BEGIN PRIVATE KEY-----\na@example.com +1 201-555-0123\n-----END PRIVATE KEY-----"
    assert found(key) == [("private_key", key)]
    assert [kind for kind, _ in found("NHS number, call 943 476 5870")] == ["national_id"]  # also a phone number

    email, phone = (Detector(kind.value, kind) for kind in (PiiClass.EMAIL, PiiClass.PHONE))
    spans = [(0, 5, phone), (5, 9, phone), (4, 6, email), (9, 12, phone), (9, 14, phone), (20, 21, phone)]
    resolved = resolve([Match(start, end, detector, 0.5) for start, end, detector in spans])
    assert [(match.start, match.end) for match in resolved] == [(4, 6), (9, 14), (20, 21)]


def test_resolution_against_its_definition() -> None:
    """Greedy by rank over all matches at once, however they hang together."""
    kinds = [Detector(kind.value, kind) for kind in (PiiClass.EMAIL, PiiClass.IBAN, PiiClass.PHONE)]
    random = np.random.default_rng(5)
    for _ in range(200):
        starts = random.integers(0, 40, random.integers(1, 25))
        matches = [Match(int(s), int(s + random.integers(1, 9)), kinds[random.integers(3)], 0.5) for s in starts]
        expected: list[Match] = []
        for match in sorted(matches, key=lambda m: (kinds.index(m.detector), m.start - m.end, m.start)):
            if all(match.end <= other.start or other.end <= match.start for other in expected):
                expected.append(match)
        assert resolve(list(matches)) == sorted(expected, key=lambda m: m.start)


UNITS = ("a@", "1 ", "12-34.", "(1", ":a", "::", "AB12 ", "-----BEGIN PRIVATE KEY-----", "@", "0x1", "a1-", "1.1.1.1.")


@pytest.mark.parametrize("unit", [*UNITS, "é"])
def test_candidates_are_linear_in_the_text(unit: str) -> None:
    """Candidates stay short and their lengths sum to a small multiple of the text, whatever is repeated; detectors
    look at no more than that and a bounded surrounding."""
    text = unit * (1_000_000 // len(unit.encode()))
    buffers = pack_texts([text])
    _, _, starts, ends = candidates(*buffers)
    sizes = ends - starts
    assert sizes.sum() <= 16 * buffers.data.size
    assert sizes.max(initial=0) <= 400 or unit in ("0x1", "a1-")  # one token as long as the text, refused by length


def test_a_finding_behind_ten_megabytes() -> None:
    text = "Lorem ipsum 1999 dolor, 3.5 sit amet. " * (MEGABYTES * 1_000_000 // 38) + "é a@example.com"
    assert found(text) == [("email", "a@example.com")]
    digits = "7" * 1_000_000
    assert found(f"{digits} a@example.com") == [("email", "a@example.com")]


def test_any_bytes_of_valid_text() -> None:
    """Fragments of everything, glued at random: no error, and every end on a character."""
    random = np.random.default_rng(7)
    pieces = [
        "@", ".", "-", "+", "(", ")", " ", "\n", ":", "::", "/", "x", "ext", "é", "日", "👩", "=", "_", "0", "1", "9",
        "00", "12", "201", "555", "0123", "1999", "4111", "GB82", "DE", "a", "Z", "example.com", "call", "ssn", "key=",
        "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "ghp_", "eyJ", "0x", "bc1", "1A1z", "fe80", "ff",
    ]  # fmt: skip
    texts = ["".join(random.choice(pieces, random.integers(1, 60))) for _ in range(3_000)]
    rows = finder(spare_reserved=False, min_score=0.0).find(column(*texts))
    assert rows.num_rows > 100
    before = (-1, 0)
    for row, start, end in zip(*(rows[name].to_pylist() for name in ("row", "start", "end")), strict=True):
        raw = texts[row].encode()
        assert 0 <= start < end <= len(raw)
        raw[start:end].decode()
        assert (row, start) >= before
        before = (row, end)


def test_a_column_in_chunks_and_slices() -> None:
    whole = column("x", "a@example.com", "", "b@example.com")
    rows = finder(spare_reserved=False).find(pa.chunked_array([whole[1:2], whole[2:]]))
    assert rows["row"].to_pylist() == [0, 2]
    assert rows["start"].to_pylist() == [0, 0]
