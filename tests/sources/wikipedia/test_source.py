from __future__ import annotations

import bz2
import gzip
import random
from pathlib import Path

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpucurate.core.errors import InputError, MissingExtra
from gpucurate.sources.sandbox import Failure
from gpucurate.sources.wikipedia import Wikipedia, WikipediaConfig, engines, records
from tests.sources.wikipedia.exports import (
    HEAD,
    TAIL,
    article,
    counts,
    documents,
    dropped,
    export,
    page,
    quarantined,
    read_file,
    revision,
    unit_of,
)

RANDOM = random.Random(5)
WORDS = ["the", "river", "Ägypten", "'''bold'''", "[[link|shown]]", "{{note|x}}", "&", "<ref>no</ref>", "\n\n", "1987"]
TEXTS = [" ".join(RANDOM.choices(WORDS, k=RANDOM.randrange(5, 200))) for _ in range(40)]
EXPORT = export(
    *(article(f"Page {i}", text) for i, text in enumerate(TEXTS)),
    page("Datei:A.png", revision("a file"), ns=6),
    page("Old", revision("#REDIRECT [[New]]"), more='    <redirect title="New" />\n'),
    page("Twice", revision("new text", 5, "2020-01-01T00:00:00Z"), revision("old text", 4, "2019-01-01T00:00:00Z")),
)
MEMBERS = [EXPORT[i : i + 1500] for i in range(0, len(EXPORT), 1500)]
PACKED = {
    "a.xml": EXPORT,
    "a.xml.bz2": bz2.compress(EXPORT, 1),
    "multistream.xml.bz2": b"".join(map(bz2.compress, MEMBERS)),
    "a.xml.gz": b"".join(map(gzip.compress, MEMBERS)),
    "a.xml.zst": zstandard.compress(EXPORT),
    "named-wrongly.xml.gz": zstandard.compress(EXPORT),
    "utf16.xml": EXPORT.decode().encode("utf-16"),
    "utf16-be.xml.bz2": bz2.compress(EXPORT.decode().encode("utf-16-be")),
    "bom.xml": b"\xef\xbb\xbf" + EXPORT,
    "latin.xml": b'<?xml version="1.0" encoding="ISO-8859-1"?>\n' + EXPORT.decode().encode("latin-1"),
}


def texts_by_title(rows: list[dict[str, object]]) -> dict[object, object]:
    return {row["title"]: row["text"] for row in rows}


@pytest.mark.parametrize("name", sorted(PACKED))
def test_every_packing_and_encoding_gives_the_same_documents(tmp_path: Path, name: str) -> None:
    (tmp_path / "plain.xml").write_bytes(EXPORT)
    (tmp_path / name).write_bytes(PACKED[name])
    chunks, plain = read_file(tmp_path / name), read_file(tmp_path / "plain.xml")
    assert texts_by_title(documents(chunks)) == texts_by_title(documents(plain))
    assert len(documents(chunks)) == 41
    assert counts(chunks) == counts(plain)
    assert quarantined(chunks) == []


@pytest.mark.parametrize("name", ["a.xml", "a.xml.bz2", "multistream.xml.bz2"])
@given(data=st.data())
@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_unit_size_gives_the_same_records(tmp_path: Path, name: str, data: st.DataObject) -> None:
    path = tmp_path / name
    path.write_bytes(PACKED[name])
    size = data.draw(st.integers(100, len(PACKED[name])))
    whole, cut = read_file(path), read_file(path, size)
    assert documents(cut) == documents(whole)
    assert dropped(cut) == dropped(whole)
    assert counts(cut) == counts(whole)
    assert quarantined(cut) == []


@pytest.mark.parametrize("name", ["a.xml", "a.xml.bz2", "multistream.xml.bz2", "a.xml.gz", "a.xml.zst"])
@given(data=st.data())
@settings(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_cut_file_keeps_the_pages_before_the_cut_and_says_so(tmp_path: Path, name: str, data: st.DataObject) -> None:
    path = tmp_path / name
    path.write_bytes(PACKED[name])
    whole = documents(read_file(path))
    keep = data.draw(st.integers(1 if name == "a.xml" else 4, len(PACKED[name]) - 14))
    path.write_bytes(PACKED[name][:keep])
    chunks = read_file(path, data.draw(st.integers(100, 60_000)))
    rows = documents(chunks)
    assert rows == whole[: len(rows)]
    assert {row["reason"] for row in quarantined(chunks)} & {"wikipedia.damaged", "wikipedia.no_export"}
    if name == "a.xml":
        assert len(rows) == PACKED[name][:keep].count(b"</page>") - sum(dropped(chunks).values())


@pytest.mark.parametrize("name", ["hex", "undefined", "UTF-16", "no-such-encoding", "us-ascii"])
def test_a_declaration_that_cannot_be_true_is_ignored(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes(f'<?xml version="1.0" encoding="{name}"?>\n'.encode() + EXPORT)
    assert len(documents(read_file(path))) == 41


def test_a_gzip_without_its_last_bytes_keeps_every_page(tmp_path: Path) -> None:
    path = tmp_path / "a.xml.gz"
    path.write_bytes(gzip.compress(EXPORT)[:-4])
    chunks = read_file(path)
    assert len(documents(chunks)) == 41
    assert [row["reason"] for row in quarantined(chunks)] == ["wikipedia.damaged"]
    assert counts(chunks)["gaps"] == 1


def test_a_damaged_block_costs_the_pages_it_touches(tmp_path: Path) -> None:
    path = tmp_path / "a.xml.bz2"
    streams = [bz2.compress(member) for member in MEMBERS]
    streams[3] = streams[3][:60] + bytes([streams[3][60] ^ 4]) + streams[3][61:]
    path.write_bytes(b"".join(streams))
    lost = EXPORT[: 3 * 1500].count(b"<page>"), EXPORT[: 4 * 1500].count(b"<page>")
    for size in (None, 700, 5000):
        chunks = read_file(path, size)
        titles = [row["title"] for row in documents(chunks)]
        assert titles == [f"Page {i}" for i in range(40) if not lost[0] - 1 <= i < lost[1]] + ["Twice"]
        assert [row["reason"] for row in quarantined(chunks)] == ["wikipedia.malformed", "wikipedia.damaged"]


def test_each_page_is_counted_once_under_its_reason(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    gone = "<revision><id>3</id><text deleted='deleted' /></revision>"
    path.write_bytes(
        export(
            article("A", "some text"),
            page("R1", revision("#WEITERLEITUNG [[A]]")),
            page("R2", revision("x"), more="<redirect title='A'/>", ns=1),
            page("Kategorie:K", revision("x"), ns=14),
            page("M", revision("{}", model="json")),
            page("D", gone),
            page("E1", "<revision><text/></revision>"),
            page("E2", revision(" \n")),
            page("N", revision("{{only a template}}")),
            page("", revision("no title")),
            "<page><title>open</title>",
            article("B", "more text"),
        )
    )
    chunks = read_file(path)
    assert [row["title"] for row in documents(chunks)] == ["A", "B"]
    assert dropped(chunks) == {
        "wikipedia.redirect": 2,
        "wikipedia.namespace": 1,
        "wikipedia.model": 1,
        "wikipedia.deleted": 1,
        "wikipedia.empty": 2,
        "wikipedia.no_text": 1,
    }
    count = counts(chunks)
    assert count["pages"] == 12
    assert count["articles"] == 3
    assert count["in_namespaces"] == 8
    others = ("redirects", "other_namespaces", "other_models", "deleted", "empty", "malformed", "articles")
    assert sum(count[name] for name in others) == count["pages"]
    assert {row["reason"] for row in quarantined(chunks)} == {"wikipedia.malformed"}


def test_a_document_carries_its_provenance(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes(export(article("Öl", "'''Öl''' &c")))
    (row,) = documents(read_file(path))
    assert (row["uri"], row["revision"]) == ("https://de.wikipedia.org/wiki/%C3%96l", "1")
    assert (row["title"], row["text"]) == ("Öl", "Öl &c")
    assert row["raw_bytes"] == len("'''Öl''' &c".encode())
    assert (row["file"], row["position"]) == ("a.xml", len(HEAD.encode()) + 2)
    assert str(row["modified"]) == "2024-05-06 07:08:09+00:00"
    assert row["license"] == "CC-BY-SA-4.0"
    assert "de.wikipedia.org" in str(row["license_evidence"])
    (named,) = documents(read_file(path, license="CC0-1.0", retrieved="2024-07-01T00:00:00Z"))
    assert (named["license"], named["license_evidence"]) == ("CC0-1.0", "recipe")
    assert str(named["retrieved"]) == "2024-07-01 00:00:00+00:00"
    path.write_bytes(article("Öl", "x").encode())
    assert documents(read_file(path))[0]["uri"] == "a.xml#Öl"


def test_namespaces_may_be_chosen(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes(EXPORT)
    assert [row["title"] for row in documents(read_file(path, namespaces=[6]))] == ["Datei:A.png"]


def test_local_names_of_namespaces_reach_the_engine(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes(export(article("A", "vor [[Datei:B.png|mini|Unterschrift]] nach")))
    for engine in ("scanner", "mwparserfromhell"):
        (row,) = documents(read_file(path, engine=engine))
        assert "Unterschrift" not in str(row["text"])


def test_blocked_addresses_are_not_extracted(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes(export(article("A", "text a"), article("B", "text b")))
    source = Wikipedia("wiki", WikipediaConfig(path=str(path)))
    source.skip_uri = lambda uri: uri.endswith("/A")
    (chunk,) = source.read(unit_of(path))
    assert texts_by_title(chunk.documents.to_pylist()) == {"A": "", "B": "text b"}


def test_a_page_that_the_reference_engine_cannot_finish_is_put_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes(export(article("A", "text"), article("B", "{{a" * 20_000), article("C", "text [[c]]")))

    def failing(config: WikipediaConfig, namespaces: object) -> engines.Engine:
        real = engines.make_engine(config, {})
        return lambda pages: engines.Extracted(real(pages).texts, {1: Failure("timeout", "ended after 1 s")})

    monkeypatch.setattr("gpucurate.sources.wikipedia.source.make_engine", failing)
    chunks = read_file(path)
    assert [row["title"] for row in documents(chunks)] == ["A", "C"]
    (row,) = quarantined(chunks)
    assert (row["reason"], row["uri"]) == ("wikipedia.timeout", "https://de.wikipedia.org/wiki/B")


def test_the_reference_engine_has_its_time_limit(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    nested = "".join(f"{{{{a{i}|[[b|" for i in range(3000)) * 20
    path.write_bytes(export(article("A", "text [[a|b]]"), article("B", nested), article("C", "c")))
    chunks = read_file(path, engine="mwparserfromhell", page_seconds=0.2)
    assert [row["title"] for row in documents(chunks)] == ["A", "C"]
    assert [row["reason"] for row in quarantined(chunks)] == ["wikipedia.timeout"]


def test_a_missing_reference_engine_names_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes(EXPORT)
    monkeypatch.setattr(engines, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="wikitext-reference"):
        read_file(path, engine="mwparserfromhell")


@pytest.mark.parametrize(
    ("content", "detail"),
    [(b"", "file is empty"), (b"7z\xbc\xaf\x27\x1c" + bytes(50), "unpack .7z first"), (b"<html/>", "not begin as")],
)
def test_what_is_no_export_is_one_quarantine_row(tmp_path: Path, content: bytes, detail: str) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes(content)
    for size in (None, 3):
        chunks = read_file(path, size)
        (row,) = quarantined(chunks)
        assert row["reason"] == "wikipedia.no_export"
        assert detail in str(row["detail"])


def test_an_export_without_pages_is_fine(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes((HEAD + TAIL).encode())
    assert read_file(path) == []


def test_a_directory_means_the_exports_in_it(tmp_path: Path) -> None:
    for name, content in PACKED.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "index.txt.bz2").write_bytes(b"x")
    source = Wikipedia("wiki", WikipediaConfig(path=str(tmp_path)))
    assert [file.name for file in source.files()] == sorted(PACKED)
    with pytest.raises(InputError):
        Wikipedia("wiki", WikipediaConfig(path=str(tmp_path / "none.xml"))).files()


def test_random_bytes_never_raise(tmp_path: Path) -> None:
    path = tmp_path / "a.xml.bz2"
    rng = random.Random(3)
    for head in (b"", b"BZh9", b"\x1f\x8b", b"<mediawiki>", b"<page>", HEAD.encode() + b"<page>", PACKED["a.xml.bz2"]):
        path.write_bytes(head + rng.randbytes(4000))
        assert quarantined(read_file(path, 1000))


def test_chunks_close_by_raw_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes(EXPORT)
    whole = documents(read_file(path))
    builder = records.ChunkBuilder
    monkeypatch.setattr(records, "ChunkBuilder", lambda source: builder(source, 5000))
    chunks = read_file(path)
    assert len(chunks) > 3
    assert documents(chunks) == whole
    assert max(chunk.entered.bytes for chunk in chunks) < 12_000


def test_a_page_of_a_hundred_megabytes(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    line = "A line of prose with &lt;nowiki /&gt; and [[a link|its text]].\n"
    with path.open("w") as out:
        out.write(HEAD + "<page><title>Long</title><revision><id>1</id><text>")
        for _ in range(100):
            out.write(line * (1_000_000 // len(line)))
        out.write("</text></revision></page>" + article("Next", "short") + TAIL)
    chunks = read_file(path)
    assert [row["title"] for row in documents(chunks)] == ["Long", "Next"]
    assert documents(chunks)[0]["text_bytes"] > 40_000_000  # type: ignore[operator]


def test_identity_names_what_shapes_the_text() -> None:
    plain = Wikipedia("w", WikipediaConfig(path="a")).identity()
    other = Wikipedia("w", WikipediaConfig(path="b")).identity()
    careful = Wikipedia("w", WikipediaConfig(path="a", engine="mwparserfromhell")).identity()
    assert plain == other
    assert careful["mwparserfromhell"]
    assert "path" not in plain
