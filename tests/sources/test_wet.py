from __future__ import annotations

from pathlib import Path

from gpucurate.core.digests import digest16
from gpucurate.sources.wet import Wet, WetConfig
from tests.sources.archives import PACKERS, warc_record, write_unit

INFO = warc_record("warcinfo", "x", b"software: z\r\n", content_type="application/warc-fields")
TEXT = "Première ligne\n\nWARC/1.0\r\nWARC-Type: conversion\r\n\r\nstill the same text \t\n"


def wet(**settings: object) -> Wet:
    return Wet("web", WetConfig.model_validate({"path": "x", **settings}))


def conversion(uri: str, text: bytes, content_type: str = "text/plain", **more: int) -> bytes:
    return warc_record("conversion", uri, text, content_type=content_type, **more)  # type: ignore[arg-type]


def test_text_is_taken_as_it_stands(tmp_path: Path) -> None:
    data = INFO + conversion("http://a.org/", TEXT.encode()) + conversion("http://b.org/", b"\n\n two \n\n")
    for suffix, pack in PACKERS.items():
        (chunk,) = wet(license="CC0-1.0").read(write_unit(tmp_path / f"x.warc.wet{suffix}", pack(data)))
        rows = chunk.documents.to_pylist()
        assert [row["text"] for row in rows] == [TEXT, "\n\n two \n\n"]
        assert [row["uri"] for row in rows] == ["http://a.org/", "http://b.org/"]
        assert rows[0]["revision"] == "<urn:x:conversion:http://a.org/>"
        assert (rows[0]["raw_digest"], rows[0]["raw_bytes"]) == (digest16(TEXT.encode()), len(TEXT.encode()))
        assert str(rows[0]["retrieved"]) == "2024-05-18 01:58:10+00:00"
        assert (rows[0]["license"], rows[0]["license_evidence"]) == ("CC0-1.0", "recipe")
        assert {reason: tally.documents for reason, tally in chunk.dropped.items()} == {"wet.warcinfo": 1}
        assert chunk.entered.documents == 3
        assert not chunk.counts


def test_what_is_no_text(tmp_path: Path) -> None:
    data = [
        conversion("http://a.org/", b" \n"),
        conversion("http://b.org/", b"%PDF", content_type="application/pdf"),
        warc_record("metadata", "http://c.org/", b"{}"),
        conversion("http://d.org/", b"x" * 101),
        conversion("http://e.org/", b"caf\xe9"),
    ]
    (chunk,) = wet(max_bytes=100).read(write_unit(tmp_path / "x.wet", data))
    assert {reason: tally.documents for reason, tally in chunk.dropped.items()} == {"wet.empty": 1, "wet.other_type": 2}
    assert chunk.quarantine["reason"].to_pylist() == ["wet.too_large"]
    assert chunk.quarantine["uri"].to_pylist() == ["http://d.org/"]
    assert chunk.documents["text"].to_pylist() == ["caf\ufffd"]
    assert chunk.counts == {"wet.replaced": 1}


def test_damage_is_put_aside_and_counted(tmp_path: Path) -> None:
    wrong = conversion("http://a.org/", b"one", length=9999)
    data = [wrong, b"JUNK", conversion("http://b.org/", b"two"), conversion("http://c.org/", b"three")[:-8]]
    (chunk,) = wet().read(write_unit(tmp_path / "x.wet", data))
    assert chunk.documents["uri"].to_pylist() == ["http://a.org/", "http://b.org/"]
    assert chunk.documents["text"].to_pylist()[1] == "two"
    assert chunk.quarantine["reason"].to_pylist() == ["wet.damaged"]
    assert chunk.counts == {"wet.length_repaired": 1}


def test_skipped_uris_keep_their_place(tmp_path: Path) -> None:
    source = wet()
    source.skip_uri = lambda uri: "a.org" in uri
    unit = write_unit(tmp_path / "x.wet", [conversion("http://a.org/", b"one"), conversion("http://b.org/", b"two")])
    (chunk,) = source.read(unit)
    assert chunk.documents["text"].to_pylist() == ["", "two"]
    assert chunk.documents["raw_bytes"].to_pylist() == [3, 3]


def test_an_empty_file_is_counted(tmp_path: Path) -> None:
    (chunk,) = wet().read(write_unit(tmp_path / "x.wet", b""))
    assert (chunk.entered.documents, chunk.counts) == (0, {"wet.empty_files": 1})


def test_a_record_without_uri_has_its_place_for_one(tmp_path: Path) -> None:
    record = conversion("", b"one").replace(b"WARC-Target-URI: \r\n", b"")
    (chunk,) = wet().read(write_unit(tmp_path / "x.wet", [INFO, record]))
    assert chunk.documents["uri"].to_pylist() == [f"x.wet#{len(INFO)}"]
