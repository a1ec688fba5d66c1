from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow as pa
import pytest

from gpucurate.core.digests import digest16
from gpucurate.core.documents import DOCUMENTS
from gpucurate.sources.contract import Chunk, Unit
from gpucurate.sources.warc import Warc, WarcConfig, waiting
from gpucurate.sources.warc.pages import HTML_START
from tests.sources.archives import PACKERS, http, page, warc_record, write_unit

UTF8 = "text/html; charset=utf-8"


def warc(**settings: object) -> Warc:
    return Warc("web", WarcConfig.model_validate({"path": "x", "seconds": 3.0, **settings}))


def response(host: str, block: bytes, **more: str) -> bytes:
    return warc_record("response", f"http://{host}.org/", block, **more)  # type: ignore[arg-type]


def read(source: Warc, unit: Unit) -> Chunk:
    (chunk,) = source.read(unit)
    assert chunk.documents.schema == DOCUMENTS
    dropped = sum(tally.documents for tally in chunk.dropped.values())
    assert chunk.entered.documents == chunk.documents.num_rows + chunk.quarantine.num_rows + dropped
    assert set(chunk.dropped) | set(chunk.quarantine["reason"].to_pylist()) <= {r.code for r in Warc.reasons}
    return chunk


def reasons(chunk: Chunk) -> dict[str, int]:
    return {reason: tally.documents for reason, tally in chunk.dropped.items()}


@pytest.mark.parametrize("suffix", PACKERS)
def test_a_document(suffix: str, tmp_path: Path) -> None:
    body = page("kettle")
    extra = "Content-Encoding: gzip\r\nLast-Modified: Sat, 02 Feb 2008 19:40:44 GMT\r\n"
    records = [response("a", http(gzip.compress(body), extra=extra)), response("b", http(page("lid")))]
    unit = write_unit(tmp_path / f"x.warc{suffix}", [PACKERS[suffix](record) for record in records])
    chunk = read(warc(license="CC-BY-4.0"), unit)
    first, second = chunk.documents.to_pylist()
    assert first["text"].startswith("The kettle stood in paragraph 0")
    assert (first["uri"], first["title"]) == ("http://a.org/", "On kettle")
    assert first["revision"] == "<urn:x:response:http://a.org/>"
    assert (first["raw_digest"], first["raw_bytes"]) == (digest16(body), len(body))
    assert str(first["retrieved"]) == "2024-05-18 01:58:10+00:00"
    assert str(first["modified"]) == "2008-02-02 19:40:44+00:00"
    assert (first["license"], first["license_evidence"]) == ("CC-BY-4.0", "recipe")
    assert (first["file"], first["position"]) == (unit.file.name, 0)
    assert second["position"] == len(PACKERS[suffix](records[0]))
    assert second["modified"] is None


def test_every_kind_of_record_is_accounted_for(tmp_path: Path) -> None:
    kinds = ("warcinfo", "request", "metadata", "revisit", "conversion", "continuation", "nonsense")
    records = [
        *(warc_record(kind, "http://x.org/", b"x") for kind in kinds),
        warc_record("response", "dns:x.org", b"20240518 x.org 192.0.2.1", content_type="text/dns"),
        warc_record("response", "whois://x.org/", b"x.org is", content_type="text/plain"),
        response("status", http(b"gone", status="404 Not Found")),
        response("partial", http(page("x"), status="206 Partial Content")),
        response("image", http(b"\x89PNG\r\n", content_type="image/png")),
        response("liar", http(b"%PDF-1.7 ...", content_type="text/html")),
        response("nohttp", b"\0\0\0"),
        response("hollow", http(b"")),
        response("frames", http(b"<html><frameset></frameset></html>")),
        warc_record("resource", "http://r.org/", b"plain", content_type="text/plain"),
    ]
    chunk = read(warc(), write_unit(tmp_path / "x.warc", records))
    assert chunk.documents.num_rows == 0
    assert reasons(chunk) == {
        **{f"warc.{kind}": 1 for kind in kinds[:-1]},
        "warc.other_type": 1,
        "warc.dns": 1,
        "warc.http_status": 2,
        "warc.not_html": 4,
        "html.empty": 2,
    }
    assert chunk.quarantine.select(["reason", "uri"]).to_pylist() == [
        {"reason": "warc.not_http", "uri": "http://nohttp.org/"}
    ]


def test_html_is_told_by_its_type_or_by_its_first_tag(tmp_path: Path) -> None:
    body = page("kettle")
    records = [
        response("xhtml", http(body, content_type="application/xhtml+xml")),
        response("none", http(body).replace(b"Content-Type: text/html\r\n\r\n", b"\r\n")),
        response("octets", http(b"\n<!-- c -->\n<!DOCTYPE html>" + body, content_type="application/octet-stream")),
        response("upper", http(body, content_type="TEXT/HTML;charset=utf-8")),
        warc_record("resource", "http://resource.org/", body, content_type="text/html; charset=utf-8"),
        response("bare", http(b"just words", content_type="")),
    ]
    chunk = read(warc(), write_unit(tmp_path / "x.warc", records))
    hosts = [uri[7:-5] for uri in chunk.documents["uri"].to_pylist()]
    assert hosts == ["xhtml", "none", "octets", "upper", "resource"]
    assert len(set(chunk.documents["text"].to_pylist())) == 1


def test_the_first_tag_is_looked_for_in_linear_time() -> None:
    for hostile in (b" " * 10**6, b"<!--" * 300_000, b"<!-- -->" * 100_000, b"<?xml " * 200_000):
        assert HTML_START.match(hostile) is None


def test_charsets(tmp_path: Path) -> None:
    body = "<html><body><p>{}</p></body></html>".format("Все люди рождаются свободными. " * 9).encode("cp1251")
    record = response("a", http(body, content_type="text/html; charset=windows-1251"))
    chunk = read(warc(), write_unit(tmp_path / "x.warc", [record]))
    assert chunk.documents["text"][0].as_py().startswith("Все люди рождаются свободными.")
    damaged = page("žemė" * 30).replace(b"stood in paragraph 1", b"stood \xff in paragraph 1")
    broken = read(warc(), write_unit(tmp_path / "y.warc", [response("a", http(damaged, content_type=UTF8))]))
    assert broken.counts == {"charset.replaced": 1}


def test_truncated_pages_are_kept_and_counted(tmp_path: Path) -> None:
    records = [
        warc_record("response", "http://a.org/", http(page("kettle")), extra="WARC-Truncated: length\r\n"),
        response("b", http(gzip.compress(page("lid", 2000))[:-40], extra="Content-Encoding: gzip\r\n")),
        warc_record("response", "http://c.org/", http(page("spout")), extra="WARC-Segment-Number: 1\r\n"),
    ]
    chunk = read(warc(), write_unit(tmp_path / "x.warc", records))
    assert chunk.documents.num_rows == 3
    assert chunk.counts == {"warc.truncated": 3}


def test_failures_are_quarantined_with_their_reason(tmp_path: Path) -> None:
    slow = b"<p>some words here</p>" * 300_000
    records = [response("a", http(page("kettle"))), response("slow", http(slow)), response("b", http(page("lid")))]
    unit = write_unit(tmp_path / "x.warc", records)
    chunk = read(warc(engine="trafilatura", seconds=0.7), unit)
    assert chunk.documents["uri"].to_pylist() == ["http://a.org/", "http://b.org/"]
    (row,) = chunk.quarantine.to_pylist()
    assert (row["reason"], row["uri"], row["position"]) == ("html.timeout", "http://slow.org/", len(records[0]))
    assert row["raw_bytes"] == len(slow)
    chunk = read(warc(max_bytes=100_000), unit)
    (row,) = chunk.quarantine.to_pylist()
    assert (row["reason"], row["uri"]) == ("html.too_large", "http://slow.org/")


def test_a_bomb_is_too_large(tmp_path: Path) -> None:
    bomb = http(gzip.compress(bytes(1 << 26)), extra="Content-Encoding: gzip\r\n")
    chunk = read(warc(max_bytes=1 << 20), write_unit(tmp_path / "x.warc", [response("a", bomb)]))
    assert chunk.quarantine["reason"].to_pylist() == ["html.too_large"]


def test_damage_is_put_aside(tmp_path: Path) -> None:
    records = [response("a", http(page("kettle"))), b"JUNK", response("b", http(page("lid")))[:-100]]
    chunk = read(warc(), write_unit(tmp_path / "x.warc", records))
    assert chunk.documents["uri"].to_pylist() == ["http://a.org/"]
    assert chunk.quarantine.select(["reason", "position", "uri"]).to_pylist() == [
        {"reason": "warc.damaged", "position": len(records[0]), "uri": None},
        {"reason": "warc.damaged", "position": len(records[0]) + 4, "uri": "http://b.org/"},
    ]


def test_skipped_uris_are_not_extracted(tmp_path: Path) -> None:
    source = warc()
    source.skip_uri = lambda uri: "a.org" in uri
    source._extractor.extract_all = lambda pages: [] if not pages else pytest.fail("asked")  # type: ignore[method-assign]
    chunk = read(source, write_unit(tmp_path / "x.warc", [response("a", http(page("kettle")))]))
    (row,) = chunk.documents.to_pylist()
    assert (row["text"], row["title"], row["raw_digest"]) == ("", None, digest16(page("kettle")))


def test_blocks_gives_what_a_page_says_of_itself_in_any_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = "<p>The lamps of the harbour were lit every evening by a man who had no other work in the town.</p>" * 6
    head = (
        '<html lang="en-GB"><head><title>Lamps {n}</title><meta name="author" content="A. Keeper">'
        '<link rel="canonical" href="http://a.org/{n}"><link rel="license" '
        'href="https://creativecommons.org/licenses/by/4.0/"></head><body><article>'
    )
    pages = [
        (head.replace("{n}", str(n)) + words + f"<p>Page {n} ends.</p></article></body>").encode() for n in range(9)
    ]
    pages[4] = b"<body><img src=x></body>"
    unit = write_unit(tmp_path / "x.warc", [response(f"h{n}", http(page)) for n, page in enumerate(pages)])
    whole = read(warc(engine="blocks"), unit)
    first = whole.documents.to_pylist()[0]
    assert (first["title"], first["author"], first["language_hint"]) == ("Lamps 0", "A. Keeper", "en")
    assert (first["canonical_uri"], first["license"], first["license_evidence"]) == (
        "http://a.org/0",
        "CC-BY-4.0",
        "page",
    )
    assert first["listing"] is False
    assert first["text"].startswith("The lamps of the harbour")
    assert whole.documents["title"].to_pylist() == [f"Lamps {n}" for n in range(9) if n != 4]
    assert whole.dropped["html.empty"].documents == 1
    monkeypatch.setattr(waiting, "BATCH_PAGES", 2)
    assert read(warc(engine="blocks"), unit).documents.equals(whole.documents)
    plain = read(warc(), unit).documents.to_pylist()[0]
    assert (plain["author"], plain["listing"]) == (None, None)


def test_an_empty_file_is_counted(tmp_path: Path) -> None:
    assert read(warc(), write_unit(tmp_path / "x.warc.gz", b"")).counts == {"warc.empty_files": 1}


def test_chunks_close_by_raw_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unit = write_unit(tmp_path / "x.warc", [response(f"h{n}", http(page(f"word{n}"))) for n in range(10)])
    (whole,) = warc().read(unit)
    monkeypatch.setattr("gpucurate.sources.chunk.ChunkBuilder.full", property(lambda self: self._entered.bytes > 1200))
    chunks = list(warc().read(unit))
    assert len(chunks) > 2
    assert pa.concat_tables([chunk.documents for chunk in chunks]).equals(whole.documents)


@pytest.mark.parametrize("pack", ["", ".gz", ".zst", "one member", "damaged"])
def test_reextract_reads_the_same_records_again(pack: str, tmp_path: Path) -> None:
    records = [response(f"h{n}", http(page(f"word{n}"))) for n in range(6)]
    records[3] = response("h3", http(b"<html><body><a href=x>menu</a><ul><li>home</ul></body></html>"))
    data = b"".join(map(PACKERS.get(pack, bytes), records))
    if pack == "one member":
        data = PACKERS[".gz"](data)
    if pack == "damaged":
        data = b"".join([*records[:2], b"JUNK", *records[2:]])
    unit = write_unit(tmp_path / f"x.warc{pack if pack.startswith('.') else ''}", data)
    source = warc(engine="cascade")
    documents = read(source, unit).documents
    keep = pa.array([n not in (0, 2) for n in range(documents.num_rows)])
    wanted = documents.filter(keep).drop_columns(["text"])
    text, failure = source.reextract(unit, wanted)
    careful = {row["uri"]: row["text"] for row in read(warc(engine="trafilatura"), unit).documents.to_pylist()}
    assert text.type == pa.large_string()
    assert text.to_pylist() == [careful.get(uri) for uri in wanted["uri"].to_pylist()]
    expected = [None if uri in careful else "html.empty" for uri in wanted["uri"].to_pylist()]
    assert failure.to_pylist() == expected


def test_reextract_tells_what_is_lost(tmp_path: Path) -> None:
    unit = write_unit(tmp_path / "x.warc", [response("a", http(page("kettle")))])
    source = warc(engine="cascade")
    documents = read(source, unit).documents.drop_columns(["text"])
    twice = pa.concat_tables([documents, documents])
    assert source.reextract(unit, twice)[1].to_pylist() == [None, None]
    other = write_unit(tmp_path / "x.warc", [response("a", http(page("teapot")))])
    text, failure = source.reextract(other, documents)
    assert (text.to_pylist(), failure.to_pylist()) == ([None], ["warc.lost"])
    text, failure = source.reextract(other, documents.slice(0, 0))
    assert (len(text), len(failure)) == (0, 0)


def test_identity_holds_settings_and_engines_but_no_paths() -> None:
    one, two = warc(path="a"), warc(path="b")
    assert one.identity() == two.identity()
    assert warc(engine="cascade").identity() != one.identity()
    assert len(warc(engine="cascade").identity()["engines"]) == 2  # type: ignore[arg-type]
