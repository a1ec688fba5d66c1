from __future__ import annotations

import contextlib
from datetime import UTC, date, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from blake3 import blake3
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpucurate.core.errors import InputError, RecipeError
from gpucurate.core.reasons import check_unique
from gpucurate.sources.contract import Chunk
from gpucurate.sources.parquet import ParquetConfig, ParquetFiles


def read(path: Path, unit_bytes: int = 64 << 20, **config: Any) -> list[Chunk]:
    source = ParquetFiles("pool", ParquetConfig(path=(str(path),), **config))
    source.unit_bytes = unit_bytes  # type: ignore[misc]
    chunks = [chunk for unit in source.units(source.files()) for chunk in source.read(unit)]
    for chunk in chunks:
        assert chunk.documents.num_rows + chunk.quarantine.num_rows == chunk.entered.documents
        assert sum(chunk.documents["raw_bytes"].to_pylist()) == chunk.entered.bytes
        assert set(chunk.quarantine["reason"].to_pylist()) <= set(check_unique(ParquetFiles.reasons))
        chunk.documents.validate(full=True)
    return chunks


def documents(chunks: list[Chunk]) -> list[dict[str, Any]]:
    return [row for chunk in chunks for row in chunk.documents.to_pylist()]


def texts(chunks: list[Chunk]) -> list[str]:
    return [row["text"] for row in documents(chunks)]


def aside(chunks: list[Chunk]) -> list[tuple[int, str]]:
    return [(r["position"], r["reason"]) for chunk in chunks for r in chunk.quarantine.to_pylist()]


def test_a_row_with_everything(tmp_path: Path) -> None:
    table = pa.table(
        {
            "id": ["i"],
            "url": ["https://example.org/a"],
            "title": ["A"],
            "timestamp": pa.array([datetime(2020, 1, 2, 3, 4, 5)], pa.timestamp("ns")),
            "license": pa.array(["MIT"]).dictionary_encode(),
            "text": ["naïve\0"],
        }
    )
    pq.write_table(table, tmp_path / "a.parquet")
    (row,) = documents(read(tmp_path / "a.parquet", license="CC0-1.0", retrieved="2024-01-02T00:00:00Z"))
    assert row.pop("record_id")
    assert row == {
        "source": "pool",
        "uri": "https://example.org/a",
        "revision": "i",
        "title": "A",
        "text": "naïve\0",
        "text_bytes": 7,
        "raw_digest": blake3("naïve\0".encode()).digest(length=16),
        "raw_bytes": 7,
        "modified": datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC),
        "retrieved": datetime(2024, 1, 2, tzinfo=UTC),
        "license": "MIT",
        "license_evidence": "record",
        **dict.fromkeys(("author", "language_hint", "canonical_uri", "listing")),
        "file": "a.parquet",
        "position": 0,
    }


@pytest.mark.parametrize(
    "kind",
    [
        pa.string(),
        pa.large_string(),
        pa.string_view(),
        pa.binary(),
        pa.large_binary(),
        pa.binary_view(),
        pa.binary(3),
        pa.dictionary(pa.int32(), pa.string()),
    ],
    ids=str,
)
def test_columns_that_hold_text(tmp_path: Path, kind: pa.DataType) -> None:
    values = [b"abc", b"\xc3\xa9d", b"abc", None]
    column = pa.array(values, pa.binary() if kind != pa.binary(3) else kind)
    column = column.dictionary_encode().cast(kind) if pa.types.is_dictionary(kind) else column.cast(kind)
    pq.write_table(pa.table({"text": column}), tmp_path / "a.parquet")
    chunks = read(tmp_path / "a.parquet")
    assert texts(chunks) == ["abc", "éd", "abc"]
    assert aside(chunks) == [(3, "parquet.no_text")]


@pytest.mark.parametrize("kind", [pa.string(), pa.binary()], ids=str)
def test_rows_that_are_not_utf8(tmp_path: Path, kind: pa.DataType) -> None:
    raw = pa.array([b"ok", b"caf\xe9", None, b"\xed\xa0\xb5", b"end"], pa.binary())
    column = pa.Array.from_buffers(kind, 5, raw.buffers())
    pq.write_table(pa.table({"text": column, "title": column}), tmp_path / "a.parquet")
    chunks = read(tmp_path / "a.parquet")
    assert texts(chunks) == ["ok", "end"]
    assert [row["position"] for row in documents(chunks)] == [0, 4]
    assert aside(chunks) == [(1, "parquet.encoding"), (2, "parquet.no_text"), (3, "parquet.encoding")]


def test_a_dotted_path(tmp_path: Path) -> None:
    table = pa.table({"meta": [{"body": "inner", "n": 1}, None, {"body": None, "n": 2}], "x": ["1", "2", "3"]})
    pq.write_table(table, tmp_path / "a.parquet")
    chunks = read(tmp_path / "a.parquet", text_field="meta.body", id_field="meta.n")
    assert [(row["text"], row["revision"]) for row in documents(chunks)] == [("inner", "1")]
    assert aside(chunks) == [(1, "parquet.no_text"), (2, "parquet.no_text")]
    pq.write_table(table.append_column("meta.body", pa.array(["a", "b", "c"])), tmp_path / "a.parquet")
    assert texts(read(tmp_path / "a.parquet", text_field="meta.body")) == ["a", "b", "c"]


def test_mistakes_about_the_text_column(tmp_path: Path) -> None:
    table = pa.table({"content": ["x"], "n": [1], "meta": [{"body": "y", "n": 2}], "nothing": pa.nulls(1)})
    pq.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(RecipeError, match=r"a\.parquet has no field 'contents'; did you mean 'content'\?"):
        read(tmp_path / "a.parquet", text_field="contents")
    with pytest.raises(RecipeError, match=r"no field 'text'.*one of content, meta\.body"):
        read(tmp_path / "a.parquet")
    with pytest.raises(RecipeError, match=r"column 'n' of a\.parquet is int64, not text"):
        read(tmp_path / "a.parquet", text_field="n")
    with pytest.raises(RecipeError, match=r"no field 'n\.body'"):
        read(tmp_path / "a.parquet", text_field="n.body")
    assert aside(read(tmp_path / "a.parquet", text_field="nothing")) == [(0, "parquet.no_text")]


def test_odd_columns_cost_their_value_only(tmp_path: Path) -> None:
    table = pa.table(
        {
            "text": ["x"],
            "id": [[1, 2]],
            "url": pa.nulls(1),
            "title": [2.5],
            "timestamp": pa.array([date(2020, 1, 2)]),
            "license": [True],
        }
    )
    pq.write_table(table, tmp_path / "a.parquet")
    (row,) = documents(read(tmp_path / "a.parquet"))
    assert (row["uri"], row["revision"], row["title"], row["license"]) == ("a.parquet#0", None, None, None)
    assert row["modified"] == datetime(2020, 1, 2, tzinfo=UTC)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.one_of(st.none(), st.text(max_size=30)), max_size=40), st.integers(1, 12), st.integers(1, 3000))
def test_the_size_of_units_changes_nothing(
    tmp_path: Path, rows: list[str | None], group_rows: int, unit_bytes: int
) -> None:
    table = pa.table({"text": pa.array(rows, pa.string())})
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=group_rows)
    source = ParquetFiles("pool", ParquetConfig(path=(str(tmp_path / "a.parquet"),)))
    source.unit_bytes = unit_bytes  # type: ignore[misc]
    units = source.units(source.files())
    assert units[0].start == 0
    assert units[-1].stop == units[0].file.size
    assert all(a.stop == b.start for a, b in pairwise(units))
    chunks = read(tmp_path / "a.parquet", unit_bytes)
    assert texts(chunks) == [row for row in rows if row is not None]
    assert documents(chunks) == documents(read(tmp_path / "a.parquet"))
    assert aside(chunks) == [(i, "parquet.no_text") for i, row in enumerate(rows) if row is None]


def test_chunks_close_at_the_limit_within_a_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpucurate.sources.chunk.ChunkBuilder.__init__.__defaults__", (25,))
    rows = [str(i) * 10 if i % 4 else None for i in range(10)]
    pq.write_table(pa.table({"text": rows}), tmp_path / "a.parquet")
    chunks = read(tmp_path / "a.parquet")
    assert texts(chunks) == [row for row in rows if row is not None]
    assert [chunk.documents.num_rows for chunk in chunks] == [3, 3, 1]


def test_no_rows(tmp_path: Path) -> None:
    pq.write_table(pa.table({"text": pa.array([], pa.string())}), tmp_path / "a.parquet")
    assert read(tmp_path / "a.parquet") == []


def test_row_groups_on_s3(s3: Any, tmp_path: Path) -> None:
    pq.write_table(pa.table({"text": [f"t{n}" for n in range(100)]}), tmp_path / "a.parquet", row_group_size=10)
    s3.upload_file(str(tmp_path / "a.parquet"), "crawl", "pool/a.parquet")
    source = ParquetFiles("pool", ParquetConfig(path=("s3://crawl/pool",)))
    source.unit_bytes = 1_000  # type: ignore[misc]
    units = source.units(source.files())
    assert len(units) > 1
    chunks = [chunk for unit in units for chunk in source.read(unit)]
    assert documents(chunks) == documents(read(tmp_path / "a.parquet"))


@pytest.mark.parametrize("content", [b"", b"PAR1", b"not parquet at all", b"PAR1" + b"\xff" * 100 + b"PAR1"])
def test_a_damaged_footer(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.parquet").write_bytes(content)
    with pytest.raises(InputError, match=r"a\.parquet cannot be read as Parquet"):
        read(tmp_path / "a.parquet")
    if content:
        with pytest.raises(InputError, match=r"a\.parquet cannot be read as Parquet"):
            read(tmp_path / "a.parquet", unit_bytes=1)


def test_a_damaged_row_group_costs_its_rows_only(tmp_path: Path) -> None:
    rows = [f"row {i} " * 20 for i in range(300)]
    pq.write_table(pa.table({"text": rows}), tmp_path / "a.parquet", row_group_size=100, compression="gzip")
    content = bytearray((tmp_path / "a.parquet").read_bytes())
    metadata = pq.ParquetFile(tmp_path / "a.parquet").metadata.row_group(1).column(0)
    start = metadata.dictionary_page_offset + 40
    content[start : start + 200] = b"\xff" * 200
    (tmp_path / "a.parquet").write_bytes(content)
    chunks = read(tmp_path / "a.parquet")
    assert texts(chunks) == rows[:100] + rows[200:]
    assert aside(chunks) == [(100, "parquet.damaged")]
    assert "100 rows of row group 1" in chunks[0].quarantine["detail"][0].as_py()


def test_a_large_row(tmp_path: Path) -> None:
    pq.write_table(pa.table({"text": ["a", "long " * 20_000_000, "b"]}), tmp_path / "a.parquet")
    assert [c.documents["text_bytes"].to_pylist() for c in read(tmp_path / "a.parquet")] == [[1, 100_000_000], [1]]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 2000), st.integers(0, 255))
def test_one_wrong_byte_never_escapes_as_a_traceback(tmp_path: Path, place: int, value: int) -> None:
    pq.write_table(pa.table({"text": ["one", "two", None] * 20}), tmp_path / "a.parquet", row_group_size=10)
    content = bytearray((tmp_path / "a.parquet").read_bytes())
    content[place % len(content)] = value
    (tmp_path / "b.parquet").write_bytes(content)
    with contextlib.suppress(InputError, RecipeError):
        assert sum(chunk.entered.documents for chunk in read(tmp_path / "b.parquet")) > 0
