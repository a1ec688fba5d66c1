from __future__ import annotations

import bz2
import codecs
import gzip
import zipfile
from pathlib import Path
from typing import Any

import pytest
from blake3 import blake3
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpucurate.core.reasons import check_unique
from gpucurate.sources.contract import Chunk
from gpucurate.sources.text import TextConfig, TextFiles


def read(path: Path, **config: Any) -> list[Chunk]:
    source = TextFiles("pool", TextConfig(path=(str(path),), **config))
    chunks = [chunk for unit in source.units(source.files()) for chunk in source.read(unit)]
    for chunk in chunks:
        assert chunk.documents.num_rows + chunk.quarantine.num_rows == chunk.entered.documents
        assert set(chunk.quarantine["reason"].to_pylist()) <= set(check_unique(TextFiles.reasons))
    return chunks


def documents(chunks: list[Chunk]) -> list[dict[str, Any]]:
    return [row for chunk in chunks for row in chunk.documents.to_pylist()]


def texts(chunks: list[Chunk]) -> list[str]:
    return [row["text"] for row in documents(chunks)]


def aside(chunks: list[Chunk]) -> list[dict[str, Any]]:
    return [row for chunk in chunks for row in chunk.quarantine.to_pylist()]


def test_one_document_a_file(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "b.txt").write_bytes(b"two\r\nlines\0")
    (tmp_path / "sub" / "a.md.gz").write_bytes(gzip.compress("é".encode()))
    first, second = documents(read(tmp_path, license="CC0-1.0"))
    assert (first["uri"], first["text"], first["raw_bytes"]) == ("b.txt", "two\r\nlines\0", 11)
    assert (second["uri"], second["file"], second["text"], second["position"]) == ("sub/a.md.gz", "sub/a.md.gz", "é", 0)
    assert second["raw_digest"] == blake3("é".encode()).digest(length=16)
    assert (first["license"], first["license_evidence"]) == ("CC0-1.0", "recipe")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-be", "utf-32-be"])
def test_marked_encodings(tmp_path: Path, encoding: str) -> None:
    mark = {"utf-16-be": codecs.BOM_UTF16_BE, "utf-32-be": codecs.BOM_UTF32_BE}.get(encoding, b"")
    (tmp_path / "a.txt").write_bytes(mark + "naïve 𝔄\n".encode(encoding))
    assert texts(read(tmp_path)) == ["naïve 𝔄\n"]


@pytest.mark.parametrize("content", [b"caf\xe9", b"\xff\xfea", b"\xff\xfe\x00\xd8", b"PNG\x89\xf0", b"ok \xed\xa0\x80"])
def test_other_encodings_are_put_aside(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.txt").write_bytes(content)
    chunks = read(tmp_path)
    assert texts(chunks) == []
    assert [(r["reason"], r["raw_bytes"]) for r in aside(chunks)] == [("text.encoding", len(content))]


def test_an_empty_file_is_an_empty_document(tmp_path: Path) -> None:
    (tmp_path / "a.txt").touch()
    assert texts(read(tmp_path)) == [""]
    assert texts(read(tmp_path, split="lines")) == texts(read(tmp_path, split="paragraphs")) == []


def test_lines(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"\xef\xbb\xbfone\r\n\r\n \t\ntwo \ncaf\xe9\nthree")
    chunks = read(tmp_path, split="lines")
    assert [(d["text"], d["uri"]) for d in documents(chunks)] == [
        ("one", "a.txt#0"),
        ("two ", "a.txt#13"),
        ("three", "a.txt#23"),
    ]
    assert [(r["reason"], r["position"]) for r in aside(chunks)] == [("text.encoding", 18)]


def test_paragraphs(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"\n\none\r\ntwo\n \n\nthree\n\n")
    assert [(d["text"], d["position"]) for d in documents(read(tmp_path, split="paragraphs"))] == [
        ("one\ntwo", 2),
        ("three", 14),
    ]


def test_a_wide_encoding_cannot_be_split(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("one\ntwo".encode("utf-16"))
    (row,) = aside(read(tmp_path, split="lines"))
    assert (row["reason"], row["raw_bytes"]) == ("text.encoding", 16)
    assert "iconv -f utf-16 -t utf-8" in row["detail"]


@pytest.mark.parametrize("split", ["none", "lines", "paragraphs"])
def test_too_long(tmp_path: Path, split: str) -> None:
    (tmp_path / "a.txt").write_bytes(b"0123456789\n" * 3 + b"\nshort\n" * (split != "none"))
    chunks = read(tmp_path, split=split, max_record_bytes=9)
    assert {r["reason"] for r in aside(chunks)} == {"text.too_long"}
    assert [r["raw_bytes"] for r in aside(chunks)] == {"none": [33], "lines": [10] * 3, "paragraphs": [32]}[split]
    assert texts(chunks) == ([] if split == "none" else ["short"])


def test_a_long_paragraph_of_short_lines(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"12\n34\n56\n\n7\n")
    chunks = read(tmp_path, split="paragraphs", max_record_bytes=5)
    assert texts(chunks) == ["7"]
    assert [r["raw_bytes"] for r in aside(chunks)] == [8]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(1, 1000))
def test_what_stands_before_a_cut_is_kept(tmp_path: Path, cut: int) -> None:
    text = "äöü€𝔄" * 40_000
    packed = gzip.compress(text.encode())
    (tmp_path / "a.txt.gz").write_bytes(packed[: max(12, len(packed) * cut // 1001)])
    chunks = read(tmp_path)
    (kept,) = texts(chunks)
    assert text.startswith(kept)
    assert [r["reason"] for r in aside(chunks)] == ["text.damaged"]


def test_a_cut_at_a_member_that_gives_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.txt.bz2").write_bytes(bz2.compress(b"x" * 100)[:-4])
    assert [r["reason"] for r in aside(read(tmp_path))] == ["text.damaged"]


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=60), st.sampled_from(["none", "lines", "paragraphs"]))
def test_any_bytes_become_documents_or_rows(tmp_path: Path, content: bytes, split: str) -> None:
    (tmp_path / "a.txt").write_bytes(b"first\n\n" + content)
    chunks = read(tmp_path, split=split)
    if split == "lines":
        wanted = sum(1 for line in content.split(b"\n") if line.removeprefix(codecs.BOM_UTF8).strip()) + 1
        assert sum(c.entered.documents for c in chunks) == wanted
    else:
        assert sum(c.entered.documents for c in chunks) >= 1


@pytest.mark.parametrize(("book", "files", "not_utf8"), [("udhr2", 388, 0), ("state_union", 66, 6)])
def test_real_texts(real_data: Path, tmp_path: Path, book: str, files: int, not_utf8: int) -> None:
    with zipfile.ZipFile(real_data / "books" / f"{book}.zip") as packed:
        packed.extractall(tmp_path)
    chunks = read(tmp_path)
    assert (len(documents(chunks)), len(aside(chunks))) == (files - not_utf8, not_utf8)
    for row in documents(chunks):
        assert row["text"] == (tmp_path / row["uri"]).read_bytes().decode("utf-8-sig")
