from __future__ import annotations

from dataclasses import replace
from itertools import chain

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpucurate.core.errors import InvariantError
from gpucurate.tokens.config import ShardsConfig
from gpucurate.tokens.packing import INDEX_OF_DOCUMENTS, REMAINDER, PackingAccount, ShardPlan, plan_shards
from gpucurate.tokens.tokenizer import Tokenizer
from tests.tokens.small_corpus import ByteEngine, record_id

ENGINE = ByteEngine()
BYTEWISE = Tokenizer("bytes", "0" * 64, 257, 256, "<end>", ENGINE, ENGINE)
CONFIGS = st.builds(
    dict,
    length=st.integers(1, 9),
    size=st.integers(10, 40),
    remainder=st.sampled_from(["drop", "pad", "carry"]),
    shuffle=st.booleans(),
    seed=st.integers(0, 5),
)


def plan(counts: list[int], **config: object) -> ShardPlan:
    index = pa.table(
        [
            pa.array([record_id(str(i)) for i in range(len(counts))], pa.binary(16)),
            pa.array(np.arange(len(counts)) % 3, pa.int32()),
            pa.array(np.arange(len(counts)) // 3, pa.int32()),
            pa.array(counts, pa.int64()),
        ],
        schema=INDEX_OF_DOCUMENTS,
    )
    return plan_shards(index, ShardsConfig.model_validate(config), BYTEWISE)


def owners(planned: ShardPlan, number: int) -> list[tuple[bytes, int] | None]:
    """Document and token at every place of a shard, None where a separator stands."""
    size = planned.shard_tokens(number) if number != REMAINDER else planned.stream_tokens - planned.account.in_shards
    flat: list[tuple[bytes, int] | None] = [None] * max(size, 0)
    for document, offset, start, length in zip(*planned.pieces(number), strict=True):
        for i in range(length):
            assert flat[start + i] is None
            flat[start + i] = (planned.record_ids[document].as_py(), offset + i)
    return flat


def stream(planned: ShardPlan, counts: list[int]) -> list[tuple[bytes, int] | None]:
    """Brute force: documents in the plan's order, each token, then a separator."""
    by_id = {record_id(str(i)): count for i, count in enumerate(counts)}
    ids = planned.record_ids.to_pylist()
    assert set(ids) == {i for i, count in by_id.items() if count}
    return list(chain.from_iterable([*((i, t) for t in range(by_id[i])), None] for i in ids))


@given(st.lists(st.integers(0, 25), max_size=25), CONFIGS)
@settings(deadline=None)
def test_rows_against_brute_force(counts: list[int], config: dict[str, object]) -> None:
    planned = plan(counts, **config)
    whole = stream(planned, counts)
    row = int(str(config["length"])) + 1
    left = len(whole) % row
    padding = [None] * (row - left if left and config["remainder"] == "pad" else 0)
    expected = whole + padding if padding else whole[: len(whole) - left]
    shards = [owners(planned, number) for number in range(planned.shard_count)]
    assert list(chain.from_iterable(shards)) == expected
    assert all(len(shard) == planned.capacity <= int(str(config["size"])) for shard in shards[:-1])
    assert all(len(shard) % row == 0 and shard for shard in shards)
    assert owners(planned, REMAINDER) == whole[len(expected) :]
    account = planned.account
    assert account.padding == len(padding)
    assert account.dropped == (left if config["remainder"] == "drop" else 0)
    assert account.carried_out == (left if config["remainder"] == "carry" else 0)
    assert account.empty_documents == counts.count(0)


@given(st.lists(st.integers(0, 25), max_size=25), st.integers(1, 40))
@settings(deadline=None)
def test_streams_against_brute_force(counts: list[int], size: int) -> None:
    planned = plan(counts, format="stream", size=size, length=4)
    shards = [owners(planned, number) for number in range(planned.shard_count)]
    assert list(chain.from_iterable(shards)) == stream(planned, counts)
    assert all(len(shard) == size for shard in shards[:-1])
    assert owners(planned, REMAINDER) == []


def test_no_documents_make_no_shards() -> None:
    planned = plan([0, 0])
    assert (planned.shard_count, planned.stream_tokens, planned.account.empty_documents) == (0, 0, 2)
    assert plan([]).shard_count == 0


def test_without_shuffle_documents_keep_the_corpus_order() -> None:
    planned = plan([1] * 7, shuffle=False, length=1, size=2)
    assert list(zip(planned.part.tolist(), planned.row.tolist(), strict=True)) == [
        (0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (2, 0), (2, 1),
    ]  # fmt: skip


def test_a_task_is_small() -> None:
    """It carries its own documents only."""
    planned = plan([10] * 1000, length=10, size=110)
    assert len(planned.task(3).part) <= 12


def test_an_account_that_does_not_reconcile_is_an_error() -> None:
    account = PackingAccount(2, 0, 10, 2, 0, 0, 12, 0, 0)
    account.check()
    for wrong in (replace(account, in_shards=11), replace(account, separators=3), replace(account, dropped=1)):
        with pytest.raises(InvariantError, match="does not reconcile"):
            wrong.check()
