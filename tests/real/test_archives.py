"""Every real archive at hand: nothing raises, every record is accounted for, counts stay as they are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastwarc.warc import ArchiveIterator as FastIterator
from warcio.archiveiterator import ArchiveIterator

from gpucurate.sources.contract import Chunk
from gpucurate.sources.warc import Warc, WarcConfig
from gpucurate.sources.warc.archive import read_archive
from gpucurate.sources.warc.record import Damage, Record
from gpucurate.sources.wet import Wet, WetConfig
from tests.sources.archives import unit_of

# Records, damages, documents (resiliparse) of each file.
COUNTS = {
    "aut/arc/badexample.arc.gz": (4, 2, 0),
    "aut/arc/example.arc.gz": (300, 0, 93),
    "aut/warc/example.docs.warc.gz": (21, 0, 0),
    "aut/warc/example.txt.warc.gz": (6, 0, 0),
    "aut/warc/example.warc.gz": (822, 0, 93),
    "cc_net/tests/data/sample.warc.txt": (4, 1, 0),
    "dolma/warc/sample-0000.warc.gz": (48, 0, 22),
    "dolma/warc/sample-0001.warc.gz": (34, 0, 15),
    "ia-web-commons/format/arc/IAH-20080430204825-00000-blackbook-truncated.arc": (6, 1, 2),
    "ia-web-commons/format/gzip/IAH-urls-wget.warc.gz": (36, 0, 2),
    "ia-web-commons/format/gzip/abcd.gz": (0, 1, 0),
    "ia-web-commons/format/gzip/double-single-inflate-error.gz": (0, 2, 0),
    "ia-web-commons/format/gzip/empty.gz": (0, 0, 0),
    "ia-web-commons/format/gzip/hi-2.gz": (0, 1, 0),
    "ia-web-commons/format/gzip/hi.gz": (0, 1, 0),
    "ia-web-commons/format/warc/IAH-urls-wget.warc": (36, 0, 2),
    "ia-web-commons/format/warc/mutliple-headers.warc": (1, 0, 0),
    "ia-web-commons/resource/html/html-lang-attribute.warc": (5, 0, 0),
    "ia-web-commons/resource/html/link-extraction-test.warc": (10, 0, 8),
    "ia-web-commons/resource/html/meta-itemprop.warc": (1, 0, 1),
    "ia-web-commons/resource/html/text-extraction-test.warc": (4, 0, 1),
    "ia-web-commons/resource/html/title-extraction-embedded-SVG.warc": (1, 0, 1),
    "jwarc/test-resources/org/netpreserve/jwarc/cc.warc.gz": (1, 0, 1),
    "jwarc/test-resources/org/netpreserve/jwarc/gzip_extra_sl.warc.gz": (1, 0, 0),
    "pywb/warcs/bad.arc": (1, 2, 0),
    "pywb/warcs/dupes.warc.gz": (25, 0, 1),
    "pywb/warcs/example-bad.warc.gz.bad": (6, 0, 1),
    "pywb/warcs/example-extra.warc": (6, 0, 1),
    "pywb/warcs/example-url-agnostic-orig.warc.gz": (2, 0, 1),
    "pywb/warcs/example-url-agnostic-revisit.warc.gz": (2, 0, 0),
    "pywb/warcs/example-wget-1-14.warc.gz": (6, 0, 1),
    "pywb/warcs/example-wpull.warc.gz": (4, 0, 1),
    "pywb/warcs/example.arc": (2, 0, 1),
    "pywb/warcs/example.arc.gz": (2, 0, 1),
    "pywb/warcs/example.warc": (6, 0, 1),
    "pywb/warcs/example.warc.gz": (6, 0, 1),
    "pywb/warcs/example2.warc.gz": (3, 0, 1),
    "pywb/warcs/httpbin-resource.warc.gz": (1, 0, 0),
    "pywb/warcs/iana.warc.gz": (343, 0, 16),
    "pywb/warcs/missing-status-text.warc": (0, 1, 0),
    "pywb/warcs/post-test.warc.gz": (6, 0, 0),
    "resiliparse/block-sized-records.warc": (3, 0, 0),
    "resiliparse/block-sized-records.warc.gz": (3, 0, 0),
    "resiliparse/block-sized-records.warc.lz4": (3, 0, 0),
    "resiliparse/clipped.warc.gz": (0, 2, 0),
    "resiliparse/clueweb-quirk.warc.gz": (30, 0, 29),
    "resiliparse/warcfile.warc": (50, 0, 16),
    "resiliparse/warcfile.warc.gz": (50, 0, 16),
    "resiliparse/warcfile.warc.lz4": (50, 0, 16),
    "warcbench/after.wacz": (0, 1, 0),
    "warcbench/before.wacz": (0, 1, 0),
    "warcbench/example.com.wacz": (0, 1, 0),
    "warcbench/example.com.warc": (9, 0, 3),
    "warcbench/fb.warc.gz": (10, 0, 1),
    "warcbench/test-crawl.wacz": (0, 1, 0),
    "warcio/bad.arc": (1, 2, 0),
    "warcio/example-bad-non-chunked.warc.gz": (6, 0, 1),
    "warcio/example-bad.warc.gz.bad": (6, 0, 1),
    "warcio/example-digest.warc": (4, 0, 0),
    "warcio/example-iana.org-chunked.warc": (3, 0, 1),
    "warcio/example-resource.warc.gz": (3, 0, 1),
    "warcio/example-space-in-target-uri.warc.gz": (2, 0, 0),
    "warcio/example-space-in-url.arc": (1, 1, 0),
    "warcio/example-trunc.warc": (4, 0, 1),
    "warcio/example-wget-bad-target-uri.warc.gz": (6, 0, 1),
    "warcio/example-wrong-chunks.warc.gz": (2, 0, 1),
    "warcio/example.arc": (2, 0, 1),
    "warcio/example.arc.gz": (2, 0, 1),
    "warcio/example.warc": (6, 0, 1),
    "warcio/example.warc.gz": (6, 0, 1),
    "warcio/post-test.warc.gz": (6, 0, 0),
    "whirlwind/CC-MAIN-2024-22.warc.paths.gz": (0, 1, 0),
    "whirlwind/whirlwind.warc": (4, 0, 1),
    "whirlwind/whirlwind.warc.gz": (4, 0, 1),
    "whirlwind/whirlwind.warc.wat": (2, 0, 0),
    "whirlwind/whirlwind.warc.wat.gz": (2, 0, 0),
    "whirlwind/whirlwind.warc.wet": (2, 0, 0),
    "whirlwind/whirlwind.warc.wet.gz": (2, 0, 0),
}


REPAIRED = {"pywb/warcs/example.warc", "warcio/example-trunc.warc"}  # with a wrong Content-Length


@pytest.fixture(scope="module")
def archives(real_data: Path) -> Path:
    return real_data / "warc"


def read(path: Path, **settings: object) -> Chunk:
    source = Warc("web", WarcConfig.model_validate({"path": str(path), **settings}))
    (chunk,) = source.read(unit_of(path))
    return chunk


def files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != "LICENSE")


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text.lower()))


@pytest.mark.parametrize("name", COUNTS)
def test_counts(archives: Path, name: str) -> None:
    unit = unit_of(archives / name)
    items = list(read_archive(unit.file, 1 << 24))
    records = sum(isinstance(item, Record) for item in items)
    chunks = list(Warc("web", WarcConfig.model_validate({"path": "x"})).read(unit))
    documents = sum(chunk.documents.num_rows for chunk in chunks)
    assert (records, len(items) - records, documents) == COUNTS[name]
    for chunk in chunks:
        dropped = sum(tally.documents for tally in chunk.dropped.values())
        assert chunk.entered.documents == records + len(items) - records
        assert chunk.entered.documents == chunk.documents.num_rows + chunk.quarantine.num_rows + dropped


@pytest.mark.parametrize("name", [name for name, counts in COUNTS.items() if not counts[1] and name not in REPAIRED])
def test_sound_files_as_a_peer_reads_them(archives: Path, name: str) -> None:
    path = archives / name
    ours = [item for item in read_archive(unit_of(path).file, 1 << 24) if isinstance(item, Record)]
    with path.open("rb") as stream:
        if ".arc" in name:
            arc = ArchiveIterator(stream, no_record_parse=True)
            theirs = [(r.rec_headers.get_header("uri"), len(r.raw_stream.read())) for r in arc][1:]
            ours = ours[1:]  # warcio reads the file's own description in another way
        else:
            warc = FastIterator(stream, parse_http=False)
            theirs = [
                ((r.headers.get("WARC-Target-URI") or "").strip("<> ") or None, len(r.reader.read())) for r in warc
            ]
    assert [(record.uri, record.length) for record in ours] == theirs


def test_every_file_is_pinned(archives: Path) -> None:
    left_out = archives / "webarchive-commons"  # the same files as ia-web-commons
    named = {str(path.relative_to(archives)) for path in files(archives) if not path.is_relative_to(left_out)}
    assert named == set(COUNTS)


def test_any_file_at_all_is_read_without_an_exception(archives: Path) -> None:
    for path in files(archives.parent / "wiki"):
        if path.stat().st_size < 200_000:
            for item in read_archive(unit_of(path).file, 1 << 20):
                assert isinstance(item, (Record, Damage))


def test_the_same_crawl_as_arc_and_as_warc(archives: Path) -> None:
    arc, warc = read(archives / "aut/arc/example.arc.gz"), read(archives / "aut/warc/example.warc.gz")
    columns = ["uri", "title", "text", "raw_digest", "raw_bytes", "modified", "retrieved"]
    assert arc.documents.select(columns).equals(warc.documents.select(columns))
    responses = ("html.empty", "warc.dns", "warc.http_status", "warc.not_html")
    for chunk in (arc, warc):
        assert chunk.documents.num_rows + sum(chunk.dropped[reason].documents for reason in responses) == 299
        assert chunk.quarantine.num_rows == 0


def test_the_crawl_holds_140_html_responses(archives: Path) -> None:
    for name in ("aut/arc/example.arc.gz", "aut/warc/example.warc.gz"):
        records = read_archive(unit_of(archives / name).file, 1 << 24)
        blocks = [item.block for item in records if isinstance(item, Record) and item.type == "response"]
        html = [block for block in blocks if re.search(rb"(?im)\A[^<]*?^content-type:\s*text/html", block)]
        assert (len(blocks), len(html)) == (299, 140)


def test_one_page_as_warc_and_as_wet(archives: Path) -> None:
    (wet_chunk,) = Wet("wet", WetConfig.model_validate({"path": "x"})).read(
        unit_of(archives / "whirlwind/whirlwind.warc.wet.gz")
    )
    wet = wet_chunk.documents.to_pylist()[0]
    stored = (archives / "whirlwind/whirlwind.warc.wet").read_bytes()
    length = int(re.findall(rb"Content-Length: (\d+)", stored)[1])
    assert stored.endswith(b"\r\n\r\n" + wet["text"].encode() + b"\r\n\r\n")
    assert len(wet["text"].encode()) == wet["raw_bytes"] == length
    for engine, share in {"resiliparse": 0.4, "trafilatura": 0.4}.items():
        page: dict[str, Any] = read(archives / "whirlwind/whirlwind.warc.gz", engine=engine).documents.to_pylist()[0]
        assert page["uri"] == wet["uri"]
        assert page["title"] in wet["text"]
        ours, theirs = words(page["text"]), words(wet["text"])
        assert (ours & theirs).total() / ours.total() > 0.95  # nothing invented
        assert (ours & theirs).total() / theirs.total() > share  # and the boilerplate left out


def test_compressed_and_plain_files_give_the_same_documents(archives: Path) -> None:
    columns = ["uri", "revision", "title", "text", "raw_digest"]
    plain = read(archives / "resiliparse/warcfile.warc").documents.select(columns)
    for suffix in (".gz", ".lz4"):
        assert read(archives / f"resiliparse/warcfile.warc{suffix}").documents.select(columns).equals(plain)


def test_reextraction_of_a_real_crawl(archives: Path) -> None:
    path = archives / "dolma/warc/sample-0001.warc.gz"
    source = Warc("web", WarcConfig.model_validate({"path": str(path), "engine": "cascade"}))
    (chunk,) = source.read(unit_of(path))
    wanted = chunk.documents.slice(5, 8).drop_columns(["text"])
    text, failure = source.reextract(unit_of(path), wanted)
    careful = {row["revision"]: row["text"] for row in read(path, engine="trafilatura").documents.to_pylist()}
    assert text.to_pylist() == [careful.get(revision) for revision in wanted["revision"].to_pylist()]
    assert set(failure.to_pylist()) <= {None, "html.empty"}
    assert text.null_count < len(text)
