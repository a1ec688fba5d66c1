from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from gpucurate.core.errors import InvariantError, StorageError
from gpucurate.tokens.encode import encode_part, open_tokens, part_tokens, tokens_schema, write_tokens
from gpucurate.tokens.tokenizer import Tokenizer
from tests.tokens.small_corpus import documents

TEXTS = ["one", "", "zwei ü", "three three" * 1000]


def test_rows_keep_order_and_ids(bytewise: Tokenizer) -> None:
    table = documents(TEXTS)
    encoded = encode_part(table, bytewise)
    assert encoded.schema == tokens_schema(np.dtype(np.uint16))
    assert encoded["record_id"].to_pylist() == table["record_id"].to_pylist()
    assert encoded["tokens"].to_pylist() == [list(text.encode()) for text in TEXTS]


def test_chunks_and_slices_do_not_matter(bytewise: Tokenizer) -> None:
    table = documents(TEXTS)
    chunked = pa.concat_tables([table.slice(0, 1), table.slice(1, 2), table.slice(3)])
    assert encode_part(chunked, bytewise).equals(encode_part(table, bytewise))
    assert encode_part(table.slice(2), bytewise).to_pylist() == encode_part(table, bytewise).to_pylist()[2:]
    assert encode_part(table.slice(0, 0), bytewise).num_rows == 0


def test_a_missing_text_is_our_fault(bytewise: Tokenizer) -> None:
    table = pa.table({"record_id": pa.array([b"x" * 16], pa.binary(16)), "text": pa.array([None], pa.large_string())})
    with pytest.raises(InvariantError, match="1 documents without text"):
        encode_part(table, bytewise)


@pytest.mark.parametrize("count", [0, 4])
def test_files_are_mapped_and_the_same_each_time(count: int, bytewise: Tokenizer, tmp_path: Path) -> None:
    table = encode_part(documents(TEXTS[:count]), bytewise)
    write_tokens(table, tmp_path / "a.arrow")
    write_tokens(pa.concat_tables([table.slice(0, 1), table.slice(1)]), tmp_path / "b.arrow")
    assert (tmp_path / "a.arrow").read_bytes() == (tmp_path / "b.arrow").read_bytes()
    before = pa.total_allocated_bytes()
    ids, tokens, offsets = open_tokens(tmp_path / "a.arrow")
    assert pa.total_allocated_bytes() - before < 1000  # nothing is copied
    assert ids.to_pylist() == table["record_id"].to_pylist()
    assert tokens.tolist() == part_tokens(table).tokens.tolist()
    assert offsets.tolist() == part_tokens(table).offsets.tolist()
    assert not tokens.flags.writeable


def test_a_damaged_file_is_named(bytewise: Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "tokens.arrow"
    for content in (b"", b"no arrow file at all"):
        path.write_bytes(content)
        with pytest.raises(StorageError, match=r"tokens\.arrow"):
            open_tokens(path)
    with pytest.raises(StorageError, match=r"missing\.arrow"):
        open_tokens(tmp_path / "missing.arrow")
