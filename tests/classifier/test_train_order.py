"""Which examples when, what they weigh, how the rate goes."""

from __future__ import annotations

import numpy as np
import pytest

from gpucurate.classifier.train.loop import schedule
from gpucurate.classifier.train.order import Order, classes_of, loss_weights

SCORES = np.array([0.0] * 70 + [1.0] * 20 + [4.6] * 9 + [2.5], np.float64)


def epoch(order: Order, number: int) -> list[int]:
    updates = range(number * order.updates, (number + 1) * order.updates)
    return np.concatenate([order.examples(update) for update in updates]).tolist()


def test_an_epoch_sees_every_example_once() -> None:
    order = Order(SCORES, 32, "none", 7)
    assert order.updates == 4
    assert [len(order.examples(n)) for n in range(5)] == [32, 32, 32, 4, 32]
    first, second = epoch(order, 0), epoch(order, 1)
    assert sorted(first) == sorted(second) == list(range(100))
    assert first != second
    assert first != epoch(Order(SCORES, 32, "none", 8), 0)


def test_an_update_does_not_depend_on_those_before() -> None:
    in_turn = [Order(SCORES, 8, "classes", 1).examples(n).tolist() for n in range(40)]
    assert [Order(SCORES, 8, "classes", 1).examples(n).tolist() for n in reversed(range(40))] == in_turn[::-1]


def test_classes_come_equally_often_and_their_members_too() -> None:
    order = Order(SCORES, 32, "classes", 3)
    drawn = epoch(order, 0)
    assert np.bincount(classes_of(SCORES[drawn]), minlength=6).tolist() == [25, 25, 0, 25, 0, 25]
    times = np.bincount(drawn, minlength=100)
    assert times[:70].max() == 1
    assert set(times[70:90]) == {1, 2}
    assert set(times[90:99]) == {2, 3}
    assert times[99] == 25


def test_loss_weights_are_one_on_average_where_they_should() -> None:
    weights = np.random.default_rng(0).exponential(size=100)
    assert (loss_weights(SCORES, weights, "classes", False) == 1).all()
    whole = loss_weights(SCORES, weights, "none", True)
    assert whole.mean() == pytest.approx(1)
    assert whole[3] / whole[80] == pytest.approx(weights[3] / weights[80])
    within = loss_weights(SCORES, weights, "classes", True)
    for each in np.unique(classes_of(SCORES)):
        assert within[classes_of(SCORES) == each].mean() == pytest.approx(1)


def test_the_rate_rises_and_falls_to_nothing() -> None:
    rates = [schedule(n, 100, 0.1) for n in range(101)]
    assert rates[:10] == sorted(rates[:10])
    assert rates[0] > 0
    assert max(rates) == rates[10] == 1
    assert rates[10:] == sorted(rates[10:], reverse=True)
    assert rates[100] == 0
    assert schedule(0, 10, 0) == 1
