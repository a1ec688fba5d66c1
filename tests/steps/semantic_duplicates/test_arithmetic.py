"""Fixed point, k-means and the choice against plain Python and NumPy."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from gpucurate.steps.semantic_duplicates import choice
from gpucurate.steps.semantic_duplicates.centres import cluster_count, find_centres, sample_of
from gpucurate.steps.semantic_duplicates.choice import decide
from gpucurate.steps.semantic_duplicates.fixed_point import ONE, Products, as_column, from_column, squares, to_fixed

from .oracle import by_hand

pytest.importorskip("torch")
CPU = Products("cpu")


def unit(rng: np.random.Generator, count: int, dimensions: int = 24) -> NDArray[np.float64]:
    made = rng.normal(size=(count, dimensions))
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def crowded(seed: int, count: int = 120) -> NDArray[np.int16]:
    """Vectors around a few directions, some equal to others."""
    rng = np.random.default_rng(seed)
    made = unit(rng, 6)[rng.integers(6, size=count)] + rng.normal(scale=0.07, size=(count, 24))
    made[rng.integers(count, size=10)] = made[rng.integers(count, size=10)]
    return to_fixed(made / np.linalg.norm(made, axis=1, keepdims=True))


def test_fixed_point() -> None:
    exact = unit(np.random.default_rng(0), 50, 384)
    fixed = to_fixed(exact)
    assert fixed.dtype == np.int16
    assert np.abs(fixed / ONE - exact).max() <= 0.5 / ONE
    column = as_column(fixed)
    assert column.type == pa.binary(768)
    assert (from_column(pa.chunked_array([column[:20], column[20:]])) == fixed).all()
    assert from_column(column[5:9]).tolist() == fixed[5:9].tolist()
    assert squares(fixed).tolist() == [sum(int(x) ** 2 for x in row) for row in fixed]
    np.testing.assert_allclose(CPU.cosines(fixed, fixed), exact @ exact.T, atol=6e-5)
    assert np.diag(CPU.cosines(fixed, fixed)).tolist() == [1.0] * 50
    assert CPU.cosines(np.zeros((1, 3), np.int16), np.ones((1, 3), np.int16)).tolist() == [[0.0]]


def test_products_are_exact_in_any_order_and_batch() -> None:
    rng = np.random.default_rng(1)
    vectors = rng.integers(-ONE, ONE, size=(40, 1024), dtype=np.int16, endpoint=True)
    wanted = [[sum(int(x) * int(y) for x, y in zip(a, b, strict=True)) for b in vectors[:5]] for a in vectors]
    assert CPU.dots(vectors, vectors[:5]).tolist() == wanted
    order = rng.permutation(1024)
    assert CPU.dots(vectors[:3, order], vectors[:5, order]).tolist() == wanted[:3]
    groups = rng.integers(4, size=40)
    summed = [vectors[groups == group].astype(object).sum(0).tolist() for group in range(4)]
    assert CPU.sums(vectors, groups, 4).tolist() == summed


@pytest.mark.parametrize("threshold", [0.3, 0.9, 0.97, 1.0])
def test_the_choice_by_hand(threshold: float, monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = crowded(2)
    ids = [bytes([n]) for n in range(len(vectors))]
    wanted = by_hand(vectors, [0] * len(ids), ids, [0.0] * len(ids), threshold)
    assert 5 <= len(wanted) < len(ids)
    for block, kept in ((1024, 4096), (7, 5), (1, 1)):
        monkeypatch.setattr(choice, "BLOCK", block)
        monkeypatch.setattr(choice, "KEPT_AT_ONCE", kept)
        chosen, cosine = decide(vectors, threshold, CPU)
        assert {ids[n]: ids[c] for n, c in enumerate(chosen) if c >= 0} == wanted
        assert (cosine[chosen >= 0] >= threshold).all()


def test_no_chains() -> None:
    """A like B, B like C, A unlike C: A and C stay."""
    angles = np.deg2rad([0, 15, 30])
    vectors = to_fixed(np.stack([np.cos(angles), np.sin(angles)], axis=1))
    assert decide(vectors, np.cos(np.deg2rad(20)), CPU)[0].tolist() == [-1, 0, -1]


def test_every_document_identical() -> None:
    vectors = np.repeat(crowded(3)[:1], 5000, axis=0)
    chosen, cosine = decide(vectors, 1.0, CPU)
    assert chosen.tolist() == [-1] + [0] * 4999
    assert set(cosine[1:]) == {1.0}


def floating_kmeans(sample: NDArray[np.int16], count: int, rounds: int) -> NDArray[np.float64]:
    """Spherical k-means in floats from the same beginning."""
    x = sample / np.linalg.norm(sample.astype(float), axis=1, keepdims=True)
    seen: list[list[int]] = []
    for row in sample.tolist():
        if row not in seen:
            seen.append(row)
    centres = np.array(seen[:count], float)
    for _ in range(rounds):
        centres /= np.linalg.norm(centres, axis=1, keepdims=True)
        groups = (x @ centres.T).argmax(1)
        centres = np.stack(
            [sample[groups == k].sum(0).astype(float) if (groups == k).any() else c for k, c in enumerate(centres)]
        )
    return centres / np.linalg.norm(centres, axis=1, keepdims=True)


def test_centres_as_floating_k_means() -> None:
    sample = crowded(4, 300)
    found = find_centres(sample, 8, 12, CPU).astype(float)
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    np.testing.assert_allclose(found, floating_kmeans(sample, 8, 12), atol=1e-4)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 100), st.integers(1, 40))
def test_centres_do_not_depend_on_what_follows_the_seed(seed: int, count: int) -> None:
    """Documents behind the beginning may come in any order."""
    sample = crowded(seed, 80)
    rest = 40 + np.random.default_rng(seed).permutation(40)
    again = np.concatenate([sample[:40], sample[rest]])
    found = find_centres(sample, count, 5, CPU)
    if len(np.unique(sample[:40], axis=0)) >= count:
        assert (find_centres(again, count, 5, CPU) == found).all()
    assert len(found) <= count


def test_fewer_different_vectors_than_clusters() -> None:
    same = np.repeat(crowded(5)[:2], 10, axis=0)
    assert len(find_centres(same, 7, 5, CPU)) == len(np.unique(same, axis=0))
    assert find_centres(np.zeros((0, 1), np.int16), 3, 5, CPU).shape[0] == 0
    opposite = to_fixed(np.array([[1.0, 0.0], [-1.0, 0.0]]))
    assert find_centres(opposite, 1, 5, CPU).tolist() == [[ONE, 0]]  # a sum of zero has no direction


def test_the_sample_follows_the_documents() -> None:
    rng = np.random.default_rng(6)
    ids = [rng.bytes(16) for _ in range(500)]
    vectors = crowded(6, 500)
    table = pa.table({"record_id": pa.array(ids, pa.binary(16)), "vector": as_column(vectors)})
    whole = sample_of([table], 100, 0)
    assert 60 <= len(whole) <= 140
    mixed = table.take(pa.array(rng.permutation(500)))
    assert (sample_of([mixed.slice(0, 33), mixed.slice(33)], 100, 0) == whole).all()
    assert sample_of([table], 100, 1).tolist() != whole.tolist()
    assert sorted(sample_of([table], 500, 0).tolist()) == sorted(vectors.tolist())


def test_cluster_counts() -> None:
    assert [cluster_count(n, None) for n in (0, 1, 3, 4, 10_000)] == [1, 1, 1, 2, 100]
    assert [cluster_count(n, 50) for n in (0, 10, 1000)] == [1, 10, 50]
