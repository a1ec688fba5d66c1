from __future__ import annotations

import errno
import random
from itertools import chain
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from gpucurate.core.digests import digest_file
from gpucurate.core.errors import InvariantError, StorageError, UserError
from gpucurate.tokens.description import read_description
from gpucurate.tokens.encode import encode_part, write_tokens
from gpucurate.tokens.packing import REMAINDER
from gpucurate.tokens.shards import begin_shards, finish_shards, shard_name, write_shard
from gpucurate.tokens.tokenizer import Tokenizer
from tests.tokens.small_corpus import Corpus, corpus, documents

PARTS = [["alpha", "", "beta beta", "γ"], ["delta" * 7, "ε"], [], ["zeta zeta zeta", "<end>"]]


@pytest.fixture
def small(bytewise: Tokenizer, tmp_path: Path) -> Corpus:
    return corpus(bytewise, PARTS, tmp_path / "tokens")


def contents(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(directory.iterdir())}


@pytest.mark.parametrize("layout", [{"format": "rows"}, {"format": "stream"}, {"remainder": "pad"}])
def test_arrays_hold_documents_and_separators(layout: dict[str, str], small: Corpus, tmp_path: Path) -> None:
    content = small.make(tmp_path / "shards", length=6, size=20, **layout)
    arrays = [np.load(tmp_path / "shards" / shard.file, allow_pickle=False) for shard in content.shards]
    assert all(array.dtype == np.uint16 for array in arrays)
    assert all(array.ndim == (1 if content.format == "stream" else 2) for array in arrays)
    assert all(array.shape[1:] == (7,) for array in arrays if array.ndim == 2)
    plan = small.plan(length=6, size=20, **layout)
    tokens = small.tokens()
    whole = list(chain.from_iterable([*tokens[i], 256] for i in plan.record_ids.to_pylist()))
    whole += [256] * content.account["padding"]
    assert list(chain.from_iterable(array.reshape(-1).tolist() for array in arrays)) == whole[: content.tokens]


def test_the_same_bytes_in_any_order_of_writing_and_of_parts(small: Corpus, tmp_path: Path) -> None:
    small.make(tmp_path / "a", length=6, size=20, remainder="carry")
    mixed = Corpus(small.tokenizer, small.parts, small.token_files, small.index.take([5, 0, 7, 2, 1, 6, 3, 4]))
    plan = mixed.plan(length=6, size=20, remainder="carry")
    numbers = list(range(plan.shard_count))
    random.Random(1).shuffle(numbers)
    (tmp_path / "b").mkdir()
    entries = [write_shard(plan.task(n), small.token_files, tmp_path / "b") for n in [*numbers, numbers[0]]]
    finish_shards(plan, entries[:-1], small.token_files, tmp_path / "b")
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_another_seed_gives_another_order(small: Corpus, tmp_path: Path) -> None:
    orders = {tuple(small.plan(seed=seed).record_ids.to_pylist()) for seed in range(5)}
    assert len(orders) > 1


def test_the_index_finds_every_token_of_every_document(small: Corpus, tmp_path: Path) -> None:
    content = small.make(tmp_path, length=6, size=20)
    tokens = small.tokens()
    found: dict[bytes, list[int]] = {record_id: [] for record_id, ids in tokens.items() if ids}
    flat = {n: np.load(tmp_path / s.file).reshape(-1) for n, s in enumerate(content.shards)}
    lost = 0
    for row in pq.read_table(tmp_path / content.index.file).to_pylist():
        assert row["offset"] == len(found[row["record_id"]])
        if row["shard"] == REMAINDER:
            lost += row["length"]
            found[row["record_id"]] += tokens[row["record_id"]][row["offset"] : row["offset"] + row["length"]]
        else:
            found[row["record_id"]] += flat[row["shard"]][row["start"] : row["start"] + row["length"]].tolist()
    assert found == {record_id: ids for record_id, ids in tokens.items() if ids}
    assert lost <= content.account["dropped"] < lost + 7


def test_the_description_is_complete(small: Corpus, tmp_path: Path) -> None:
    content = small.make(tmp_path, length=6, size=20, seed=9)
    assert read_description(tmp_path) == content
    assert (content.seed, content.shuffle, content.separator, content.dtype) == (9, True, 256, "<u2")
    assert content.tokenizer == small.tokenizer.identity()
    assert content.rows == sum(shard.rows for shard in content.shards) == content.tokens // 7
    assert all(digest_file(tmp_path / shard.file) == shard.digest for shard in content.shards)
    assert digest_file(tmp_path / content.index.file) == content.index.digest
    assert content.remainder is None


def test_shards_of_an_earlier_plan_go(small: Corpus, tmp_path: Path) -> None:
    first = small.make(tmp_path / "shards", length=6, size=7, remainder="carry")
    (tmp_path / "shards" / "notes.npy").write_bytes(b"mine")
    second = small.make(tmp_path / "shards", length=6, size=1000)
    assert len(second.shards) == 1 < len(first.shards)
    assert sorted(contents(tmp_path / "shards")) == ["index.parquet", "notes.npy", "shard-00000.npy", "shards.json"]


def test_shards_json_goes_first_and_comes_last(small: Corpus, tmp_path: Path) -> None:
    small.make(tmp_path, length=6, size=20)
    plan = small.plan(length=6, size=20, seed=1)
    begin_shards(plan, tmp_path)
    assert not (tmp_path / "shards.json").exists()
    entries = [write_shard(plan.task(n), small.token_files, tmp_path) for n in range(plan.shard_count)]
    with pytest.raises(InvariantError, match="were written"):
        finish_shards(plan, entries[1:], small.token_files, tmp_path)
    assert not (tmp_path / "shards.json").exists()


def test_no_documents(bytewise: Tokenizer, tmp_path: Path) -> None:
    content = corpus(bytewise, [["", ""], []], tmp_path / "tokens").make(tmp_path / "shards")
    assert (content.rows, content.tokens, content.shards, content.index.rows) == (0, 0, (), 0)
    assert content.account["empty_documents"] == 2


def test_token_files_of_another_plan_are_noticed(small: Corpus, tmp_path: Path) -> None:
    plan = small.plan(length=6, size=1000)
    short = documents(["alpha", "", "bet", "γ"])
    write_tokens(encode_part(short, small.tokenizer), small.token_files[0])
    with pytest.raises(InvariantError, match=r"tokens-0\.arrow does not hold the tokens that shard 0"):
        write_shard(plan.task(0), small.token_files, tmp_path)
    assert list(tmp_path.glob("*.npy")) == []


def test_a_full_disk(small: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: object, **more: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    plan = small.plan(length=6, size=20)
    monkeypatch.setattr(np.lib.format, "write_array_header_1_0", full)
    with pytest.raises(StorageError, match="free some space"):
        write_shard(plan.task(0), small.token_files, tmp_path / "shards")
    assert list((tmp_path / "shards").iterdir()) == []


def test_names_of_shards_sort() -> None:
    assert shard_name(7) == "shard-00007.npy"
    assert shard_name(123_456) == "shard-123456.npy"


def test_a_remainder_in_its_own_way_is_refused(small: Corpus, tmp_path: Path) -> None:
    small.make(tmp_path / "shards", length=6, size=20, remainder="carry")
    plan = small.plan(length=6, size=20, begin_with=str(tmp_path / "shards" / "remainder.arrow"))
    with pytest.raises(UserError, match="choose another --out"):
        begin_shards(plan, tmp_path / "shards")
    assert (tmp_path / "shards" / "shards.json").exists()
