from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from gpucurate.core.documents import (
    DOCUMENTS,
    QUARANTINE,
    DocumentRow,
    QuarantineRow,
    documents_table,
    quarantine_table,
    record_id,
)


def row(**changes: object) -> DocumentRow:
    whole: dict[str, object] = {
        "uri": "https://example.org/a",
        "text": "größer",
        "raw_digest": b"\1" * 16,
        "raw_bytes": 9,
        "file": "a.jsonl",
        "position": 0,
    }
    return DocumentRow(**{**whole, **changes})  # type: ignore[arg-type]


def test_table_has_the_schema_and_counts_bytes() -> None:
    table = documents_table("web", [row(), row(text="")])
    assert table.schema == DOCUMENTS
    assert table["text_bytes"].to_pylist() == [8, 0]
    assert documents_table("web", []).schema == DOCUMENTS


def test_given_texts_replace_the_rows() -> None:
    table = documents_table("web", [row()], pa.array(["other"], pa.large_string()))
    assert table["text"].to_pylist() == ["other"]
    assert table["text_bytes"].to_pylist() == [5]


@given(st.tuples(st.text(), st.text(), st.text(), st.binary()), st.tuples(st.text(), st.text(), st.text(), st.binary()))
def test_record_ids_differ_where_anything_differs(
    a: tuple[str, str, str, bytes], b: tuple[str, str, str, bytes]
) -> None:
    assert (record_id(*a) == record_id(*b)) == (a == b)


def test_no_revision_is_the_empty_revision() -> None:
    assert record_id("s", "u", None, b"d") == record_id("s", "u", "", b"d")


def test_record_id_is_pinned() -> None:
    assert record_id("wiki", "https://example.org/A", "12", bytes(16)).hex() == "c550410b2ffbca7b13a27518cb325777"


def test_quarantine_rows_carry_their_place() -> None:
    table = quarantine_table("web", [QuarantineRow("a.warc", 7, "warc.damaged", "no end of header", 12)])
    assert table.schema == QUARANTINE
    assert table.to_pylist()[0]["position"] == 7
