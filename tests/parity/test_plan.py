"""What goes to the device at once: nothing twice, nothing missing, never more than the bound."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gpucurate.device.cuda.engine import Limits
from gpucurate.device.cuda.minhash import MOST_PER_LANE, shape
from gpucurate.device.cuda.plan import FIXED, Batch, batches, text_batches
from gpucurate.device.cuda.tasks import cut

COSTS = st.lists(st.integers(0, 50), max_size=60)


@given(COSTS, st.integers(0, 80), st.integers(0, 1000))
def test_batches(costs: list[int], most: int, start: int) -> None:
    made = list(batches(np.cumsum([start, *costs]), most))
    assert [i for batch in made for i in range(batch.first, batch.last)] == list(range(len(costs)))
    for batch in made:
        cost = sum(costs[batch.first : batch.last])
        assert batch.fits == (cost <= most)
        assert batch.fits or batch.last - batch.first == 1
        whole = batch.last == len(costs) or cost + costs[batch.last] > most
        assert whole, "a batch ends where the next item would be too much"


@given(COSTS, st.integers(1, 20), st.integers(0, 20), st.integers(0, 900), st.integers(0, 80))
def test_text_batches(lengths: list[int], per_byte: int, per_document: int, memory: int, text: int) -> None:
    made = list(text_batches(np.cumsum([9, *lengths]), per_byte, per_document, Limits(memory + FIXED, text)))
    assert [i for batch in made for i in range(batch.first, batch.last)] == list(range(len(lengths)))
    for batch in made:
        size = sum(lengths[batch.first : batch.last])
        count = batch.last - batch.first
        assert batch.fits == (size <= text and size * per_byte + count * per_document <= memory)
        assert batch.fits or count == 1


def test_a_document_beyond_the_bound_stands_alone() -> None:
    made = list(batches(np.array([0, 10, 20, 500, 510]), 100))
    assert made == [Batch(0, 2, True), Batch(2, 3, False), Batch(3, 4, True)]


def test_no_documents() -> None:
    assert list(text_batches(np.array([7]), 16, 500, Limits(FIXED, 10))) == []


@given(st.lists(st.integers(0, 30), min_size=1), st.integers(1, 9))
def test_tasks(lengths: list[int], most: int) -> None:
    made = cut(np, np.array(lengths), most)
    tasks = list(zip(made.owners.tolist(), made.starts.tolist(), strict=True))
    assert tasks == [(i, s) for i, length in enumerate(lengths) for s in range(0, length, most)]
    assert made.total == len(tasks)


@given(st.integers(1, 3000))
def test_shape(hashes: int) -> None:
    spread = shape(hashes)
    room = spread.lanes * spread.per_lane * spread.groups
    assert spread.per_lane <= MOST_PER_LANE
    assert hashes <= room
    assert room - spread.lanes * spread.per_lane < hashes, "no group is for nothing"
    assert room <= hashes + 31 * spread.groups


def test_common_shapes() -> None:
    assert shape(112) == (16, 7, 1)  # FineWeb: no thread idle
    assert shape(117) == (16, 8, 1)
    assert shape(260) == (16, 17, 1)
