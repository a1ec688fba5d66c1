from __future__ import annotations

import bz2
import gzip
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import zstandard
from blake3 import blake3
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpucurate.core.errors import InputError, RecipeError
from gpucurate.core.reasons import Verdict, check_unique
from gpucurate.sources.contract import Chunk
from gpucurate.sources.jsonl import Jsonl, JsonlConfig
from tests.sources.loopback import Loopback

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".zst": zstandard.ZstdCompressor().compress,
}


def read(path: Path, unit_bytes: int = 1 << 20, **config: Any) -> list[Chunk]:
    source = Jsonl("pool", JsonlConfig(path=(str(path),), **config))
    source.unit_bytes = unit_bytes  # type: ignore[misc]
    chunks = [chunk for unit in source.units(source.files()) for chunk in source.read(unit)]
    for chunk in chunks:
        assert chunk.documents.num_rows + chunk.quarantine.num_rows == chunk.entered.documents
        raw = chunk.documents["raw_bytes"].to_pylist() + chunk.quarantine["raw_bytes"].to_pylist()
        assert sum(raw) == chunk.entered.bytes
    return chunks


def documents(chunks: list[Chunk]) -> list[dict[str, Any]]:
    return [row for chunk in chunks for row in chunk.documents.to_pylist()]


def aside(chunks: list[Chunk]) -> list[tuple[int, str]]:
    return [(r["position"], r["reason"]) for chunk in chunks for r in chunk.quarantine.to_pylist()]


def counts(chunks: list[Chunk]) -> dict[str, int]:
    return {key: sum(c.counts.get(key, 0) for c in chunks) for chunk in chunks for key in chunk.counts}


def test_a_record_with_everything(tmp_path: Path) -> None:
    line = json.dumps(
        {
            "id": 17,
            "url": "https://example.org/a",
            "title": "A",
            "timestamp": "2019-04-25T12:57:54+02:00",
            "license": "CC-BY-4.0",
            "text": "one\n\ntwo \u0000",
        }
    ).encode()
    (tmp_path / "a.jsonl").write_bytes(line + b"\n")
    (row,) = documents(read(tmp_path / "a.jsonl", license="MIT", retrieved="2024-01-02T00:00:00Z"))
    assert row.pop("record_id")
    assert row == {
        "source": "pool",
        "uri": "https://example.org/a",
        "revision": "17",
        "title": "A",
        "text": "one\n\ntwo \u0000",
        "text_bytes": 10,
        "raw_digest": blake3(line).digest(length=16),
        "raw_bytes": len(line),
        "modified": datetime(2019, 4, 25, 10, 57, 54, tzinfo=UTC),
        "retrieved": datetime(2024, 1, 2, tzinfo=UTC),
        "license": "CC-BY-4.0",
        "license_evidence": "record",
        **dict.fromkeys(("author", "language_hint", "canonical_uri", "listing")),
        "file": "a.jsonl",
        "position": 0,
    }


def test_a_record_with_nothing_but_text(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text":"x"}\n{"text":""}\n')
    first, second = documents(read(tmp_path / "a.jsonl", license="MIT"))
    assert (first["uri"], second["uri"]) == ("a.jsonl#0", "a.jsonl#13")
    assert (first["license"], first["license_evidence"]) == ("MIT", "recipe")
    assert [first[k] for k in ("revision", "title", "modified", "retrieved")] == [None] * 4
    assert second["text"] == ""


def test_record_ids_do_not_depend_on_where_the_file_lies(tmp_path: Path) -> None:
    ids = []
    for place in ("a", "b/c"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "x.jsonl").write_text('{"text":"x"}\n{"text":"x"}\n')
        ids.append([row["record_id"] for row in documents(read(tmp_path / place))])
    assert ids[0] == ids[1]
    assert len(set(ids[0])) == 2


BAD_LINES = [
    (b'{"text":"caf\xe9"}', "jsonl.encoding"),
    (b'{"text":"\xed\xa0\xb5"}', "jsonl.encoding"),
    (b'{"text":"x"', "jsonl.not_json"),
    (b"not json", "jsonl.not_json"),
    (b"\0\0\0\0", "jsonl.not_json"),
    (b'{"text":"x"} {"text":"y"}', "jsonl.not_json"),
    (b"[" * 20_000, "jsonl.not_json"),
    (b'{"a":' * 20_000, "jsonl.not_json"),
    (b'{"text":"x","n":' + b"9" * 5000 + b"}", "jsonl.not_json"),
    (b'[{"text":"x"}]', "jsonl.not_object"),
    (b'"text"', "jsonl.not_object"),
    (b"3", "jsonl.not_object"),
    (b"null", "jsonl.not_object"),
    (b"true", "jsonl.not_object"),
    (b'{"text":null}', "jsonl.no_text"),
    (b'{"text":3}', "jsonl.no_text"),
    (b'{"text":["x"]}', "jsonl.no_text"),
    (b'{"body":"x"}', "jsonl.no_text"),
    (b"{}", "jsonl.no_text"),
    (b'{"text":"' + b"x" * 300_000 + b'"}', "jsonl.too_long"),
]


@pytest.mark.parametrize("packed", PACKERS)
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_each_bad_line_is_one_quarantine_row(tmp_path: Path, packed: str, end: bytes) -> None:
    good = b'{"text":"good"}' + end
    path = tmp_path / f"a.jsonl{packed}"
    path.write_bytes(PACKERS[packed](good + b"".join(line + end + end for line, _ in BAD_LINES) + good))
    chunks = read(path, max_record_bytes=250_000)
    assert [reason for _, reason in aside(chunks)] == [reason for _, reason in BAD_LINES]
    assert [d["text"] for d in documents(chunks)] == ["good", "good"]
    assert counts(chunks)["jsonl.blank_lines"] == len(BAD_LINES)
    codes = check_unique(Jsonl.reasons)
    assert {reason for _, reason in aside(chunks)} < set(codes)
    assert all(reason.verdict is Verdict.QUARANTINE for reason in codes.values())


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (rb'{"text":"\ud835"}', "\ufffd"),
        (rb'{"text":"a\ud835\udd04b\ud835"}', "a\U0001d504b\ufffd"),
        (rb'{"text":"\udd04\ud835"}', "\ufffd\ufffd"),
        (b'{"text":"x","score":NaN,"low":-Infinity}', "x"),
        (b'{"text":"tab\there"}', "tab\there"),
        (b'{"text":"nul\0here"}', "nul\0here"),
        (rb'{"text":"x","url":"\ud835","title":"\ud835","id":"\ud835"}', "x"),
    ],
)
def test_lines_that_are_almost_json_are_documents(tmp_path: Path, line: bytes, text: str) -> None:
    (tmp_path / "a.jsonl").write_bytes(line + b"\n")
    chunks = read(tmp_path / "a.jsonl")
    (row,) = documents(chunks)
    assert row["text"] == text
    assert counts(chunks) == {"jsonl.lenient_lines": 1}
    if b"url" in line:
        assert (row["uri"], row["title"], row["revision"]) == ("\ufffd",) * 3


def test_marks_ends_and_blanks(tmp_path: Path) -> None:
    content = b'\xef\xbb\xbf{"text":"a"}\r\n\r\n  \n\xef\xbb\xbf{"text":"b"}\n{"text":"c"}'
    (tmp_path / "a.jsonl").write_bytes(content)
    chunks = read(tmp_path / "a.jsonl")
    assert [(d["text"], d["position"]) for d in documents(chunks)] == [("a", 0), ("b", 22), ("c", 38)]
    assert counts(chunks) == {"jsonl.blank_lines": 2}


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("packed", PACKERS)
def test_a_file_without_records(tmp_path: Path, content: bytes, packed: str) -> None:
    (tmp_path / f"a.jsonl{packed}").write_bytes(PACKERS[packed](content))
    assert documents(read(tmp_path)) == aside(read(tmp_path)) == []
    (tmp_path / f"b.jsonl{packed}").write_bytes(b"")
    assert documents(read(tmp_path / f"b.jsonl{packed}")) == []


def test_a_last_line_cut_short(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b'{"text":"a"}\n{"text":"b')
    chunks = read(tmp_path / "a.jsonl")
    assert aside(chunks) == [(13, "jsonl.cut")]
    assert chunks[0].entered.bytes == 12 + 10


@pytest.mark.parametrize("packed", [".gz", ".bz2", ".zst"])
def test_a_compressed_file_cut_short_keeps_what_stands_before(tmp_path: Path, packed: str) -> None:
    lines = [json.dumps({"text": blake3(b"%d" % i).hexdigest() * 3}).encode() for i in range(20_000)]
    whole = PACKERS[packed](b"\n".join(lines) + b"\n")
    for keep in (len(whole) // 2, len(whole) - 4):
        (tmp_path / f"a.jsonl{packed}").write_bytes(whole[:keep])
        chunks = read(tmp_path / f"a.jsonl{packed}")
        texts = [d["text"] for d in documents(chunks)]
        assert texts == [json.loads(line)["text"] for line in lines[: len(texts)]]
        reasons = [reason for _, reason in aside(chunks)]
        assert reasons[-1] == "jsonl.damaged"
        assert set(reasons[:-1]) <= {"jsonl.cut"}
        assert len(texts) > 3_000


def test_a_compressed_file_under_a_plain_name_and_the_other_way_round(tmp_path: Path) -> None:
    content = b'{"text":"a"}\n' * 100
    (tmp_path / "packed.jsonl").write_bytes(gzip.compress(content))
    (tmp_path / "plain.jsonl.gz").write_bytes(content)
    assert len(documents(read(tmp_path, unit_bytes=64))) == 200


def test_the_suffixes_of_a_directory(tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.json.gz", "c.ndjson.zst", "d.txt", "e.jsonl.part", "f.jsonl.bz2"):
        (tmp_path / name).touch()
    assert [f.name for f in Jsonl("pool", JsonlConfig(path=(str(tmp_path),))).files()] == [
        "a.jsonl",
        "b.json.gz",
        "c.ndjson.zst",
        "f.jsonl.bz2",
    ]


# fields


@pytest.mark.parametrize(
    ("record", "text"),
    [
        ({"meta": {"body": "inner"}}, "inner"),
        ({"meta.body": "flat", "meta": {"body": "inner"}}, "flat"),
    ],
)
def test_a_dotted_path(tmp_path: Path, record: dict[str, Any], text: str) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps(record))
    assert documents(read(tmp_path / "a.jsonl", text_field="meta.body"))[0]["text"] == text


def test_a_dotted_path_into_something_else(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"meta":{"body":"x"}}\n{"meta":"body"}\n{"meta":{}}\n')
    assert [reason for _, reason in aside(read(tmp_path / "a.jsonl", text_field="meta.body"))] == ["jsonl.no_text"] * 2


@pytest.mark.parametrize(
    ("value", "moment"),
    [
        ("2020-02-30", None),
        ("yesterday", None),
        ("", None),
        ("2020-02-28", datetime(2020, 2, 28, tzinfo=UTC)),
        (0, datetime(1970, 1, 1, tzinfo=UTC)),
        (1_582_848_000, datetime(2020, 2, 28, tzinfo=UTC)),
        (1_582_848_000_000, datetime(2020, 2, 28, tzinfo=UTC)),
        (1e300, None),
        (-1e300, None),
        (True, None),
        (["2020"], None),
    ],
)
def test_times(tmp_path: Path, value: object, moment: datetime | None) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps({"text": "x", "timestamp": value}))
    assert documents(read(tmp_path / "a.jsonl"))[0]["modified"] == moment


def test_fields_of_odd_kinds_cost_their_value_only(tmp_path: Path) -> None:
    odd = {"text": "x", "id": [1], "url": {"a": 1}, "title": 2.5, "license": None, "timestamp": {}}
    (tmp_path / "a.jsonl").write_text(json.dumps(odd))
    (row,) = documents(read(tmp_path / "a.jsonl"))
    assert (row["uri"], row["revision"], row["title"], row["license"]) == ("a.jsonl#0", None, None, None)


def test_fields_can_be_renamed_and_switched_off(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"body":"x","url":"u","id":"i","warc":{"uri":"v"}}')
    config = {"text_field": "body", "url_field": "warc.uri", "id_field": None}
    (row,) = documents(read(tmp_path / "a.jsonl", **config))
    assert (row["text"], row["uri"], row["revision"]) == ("x", "v", None)


def test_a_text_field_that_no_record_has(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"texte":"x","id":1}\n' * 3)
    with pytest.raises(RecipeError, match=r"a\.jsonl has no field 'text'; did you mean 'texte'\?.*one of id, texte"):
        read(tmp_path / "a.jsonl")
    (tmp_path / "a.jsonl").write_text('{"texte":"x"}\n' * 30 + '{"text":"x"}\n')
    assert len(documents(read(tmp_path / "a.jsonl"))) == 1


@pytest.mark.parametrize("content", ['[{"text":"x"},{"text":"y"}]', '[\n  {\n    "text": "x"\n  }\n]\n'])
def test_a_file_that_is_one_array(tmp_path: Path, content: str) -> None:
    (tmp_path / "a.json").write_text(content)
    with pytest.raises(InputError, match=r"a\.json is one JSON array, not JSON lines\. Remedy: jq -c '\.\[\]'"):
        read(tmp_path / "a.json")
    (tmp_path / "a.json").write_text('[1]\n{"text":"x"}\n')
    assert len(documents(read(tmp_path / "a.json"))) == 1


def test_a_later_unit_without_the_text_field_is_put_aside(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text":"x"}\n' + '{"texte":"x"}\n' * 30)
    chunks = read(tmp_path / "a.jsonl", unit_bytes=100)
    assert len(documents(chunks)) == 1
    assert aside(chunks) == [(13 + 14 * i, "jsonl.no_text") for i in range(30)]


# cutting


JSON_LINES = st.lists(
    st.one_of(
        st.text(max_size=12).map(lambda text: json.dumps({"text": text}, ensure_ascii=False)),
        st.sampled_from(["", "[]", "{", '{"text":null}', "\r", '{"text":"\\ud835"}']),
    ),
    max_size=12,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(JSON_LINES, st.integers(1, 60), st.booleans())
def test_the_size_of_units_changes_nothing(tmp_path: Path, lines: list[str], unit_bytes: int, ended: bool) -> None:
    (tmp_path / "a.jsonl").write_text("\n".join(['{"text":""}', *lines]) + "\n" * ended, encoding="utf-8", newline="")
    whole, cut = read(tmp_path / "a.jsonl"), read(tmp_path / "a.jsonl", unit_bytes)
    assert documents(cut) == documents(whole)
    assert aside(cut) == aside(whole)
    assert counts(cut) == counts(whole)


def test_chunks_close_at_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpucurate.sources.chunk.ChunkBuilder.__init__.__defaults__", (100,))
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(b'{"text":"0123456789"}\n' * 10))
    assert [chunk.documents.num_rows for chunk in read(tmp_path / "a.jsonl.gz")] == [5, 5]


def test_a_document_of_100_megabytes(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b'{"text":"a"}\n{"text":"' + b"long " * 20_000_000 + b'"}\n{"text":"b"}\n')
    chunks = read(tmp_path / "a.jsonl", unit_bytes=32 << 20)
    assert [chunk.documents["text_bytes"].to_pylist() for chunk in chunks] == [[1, 100_000_000], [1]]


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200))
def test_any_bytes_are_accounted_for(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.jsonl").write_bytes(b'{"text":"first"}\n' + content)
    chunks = read(tmp_path / "a.jsonl", unit_bytes=50)
    lines = len([line for line in content.split(b"\n") if line.removeprefix(b"\xef\xbb\xbf").strip()])
    assert sum(chunk.entered.documents for chunk in chunks) == lines + 1


# elsewhere


def test_ranges_of_a_file_on_the_web(web: Loopback, tmp_path: Path) -> None:
    lines = b"".join(b'{"text":"%d"}\n' % n for n in range(3_000))
    (tmp_path / "a.jsonl").write_bytes(lines)
    url = web.put("/a.jsonl", lines)
    source = Jsonl("pool", JsonlConfig(path=(url,)))
    source.unit_bytes = 10_000  # type: ignore[misc]
    units = source.units(source.files())
    assert len(units) == 5
    chunks = [chunk for unit in units for chunk in source.read(unit)]
    assert documents(chunks) == documents(read(tmp_path / "a.jsonl"))


def test_real_files(real_data: Path) -> None:
    questions = read(real_data / "benchmarks" / "gsm8k" / "test.jsonl", text_field="question", unit_bytes=100_000)
    assert (len(documents(questions)), aside(questions)) == (1319, [])
    problems = read(
        real_data / "benchmarks" / "humaneval" / "HumanEval.jsonl.gz", text_field="prompt", id_field="task_id"
    )
    assert [row["revision"] for row in documents(problems)] == [f"HumanEval/{n}" for n in range(164)]
    with pytest.raises(InputError, match="is one JSON array"):
        read(real_data / "quality" / "danish-edu" / "danish_filtered_labelled_data.json")
