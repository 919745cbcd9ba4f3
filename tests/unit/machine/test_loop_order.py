"""The visits of an epoch: which rows, how often, and what they do not depend on."""

import numpy as np
import pytest

from clausal.engine import native, random_stream
from clausal.engine.reference import pack
from clausal.machine.loop import EpochOrder, rows_by_content, visits_in_order
from tests.support.toy_machines import keyed_bits, keyed_targets

N = 40
LITERALS = pack(keyed_bits(3, N, 5))  # 32 different rows at most: some are equal
TARGETS = keyed_targets(3, N, 2)
CONTENT = np.c_[LITERALS, TARGETS]


def visits_of(order, epoch):
    """The visits of one epoch."""
    (visits,) = order.visits(range(epoch, epoch + 1))
    return visits


def visited(weights, epoch=0, seed=0, rows=slice(None)):
    """What the visits of an epoch hold, in order."""
    weights = None if weights is None else np.asarray(weights, float)[rows]
    visits = visits_of(EpochOrder(LITERALS[rows], TARGETS[rows], weights, seed), epoch)
    return CONTENT[rows][visits].tolist()


def test_without_weights_every_row_is_visited_once():
    visits = visits_of(EpochOrder(LITERALS, TARGETS, None, 0), 0)
    assert visits.dtype == np.int64
    assert sorted(visits.tolist()) == list(range(N))
    assert visits.tolist() != sorted(visits.tolist())


def test_epochs_and_seeds_differ_and_repeat_themselves():
    orders = [visited(None, epoch, seed) for epoch in (0, 1, 2**40) for seed in (0, 1)]
    assert all(a != b for i, a in enumerate(orders) for b in orders[:i])
    assert visited(None, 1, 1) == visited(None, 1, 1)


SOME_WEIGHTS = pytest.mark.parametrize(
    "weights", [None, np.arange(N) % 3.0, (np.arange(N) % 7) / 4], ids=["none", "whole", "fractional"]
)


@SOME_WEIGHTS
@pytest.mark.parametrize("shuffled", [native.shuffled, random_stream.shuffled])
def test_several_epochs_at_once_are_those_one_by_one(weights, shuffled):
    order = EpochOrder(LITERALS, TARGETS, weights, 5, shuffled)
    together = order.visits(range(3, 10))
    assert [visits.tolist() for visits in together] == [visits_of(order, e).tolist() for e in range(3, 10)]
    assert order.visits(range(0)) == []
    assert np.mean([len(visits) for visits in order.visits(range(500))]) == pytest.approx(
        order.n_visits, 0.01
    )


@SOME_WEIGHTS
def test_the_order_given_does_not_matter(weights):
    for seed in range(5):
        rows = np.random.RandomState(seed).permutation(N)
        assert visited(weights, rows=rows) == visited(weights)


def test_whole_weights_are_counts():
    weights = np.arange(N) % 4
    visits = visits_of(EpochOrder(LITERALS, TARGETS, weights.astype(float), 0), 5)
    assert np.bincount(visits, minlength=N).tolist() == weights.tolist()


@pytest.mark.parametrize("others", [1.0, 0.3, 2.75])
def test_a_whole_weight_is_repetition_and_zero_is_absence(others):
    weights = np.where(np.arange(N) % 2, np.arange(N) % 3, others)
    copies = np.where(np.arange(N) % 2, np.arange(N) % 3, 1)
    rows = np.repeat(np.arange(N), copies)
    repeated = np.where(rows % 2, 1.0, others)
    for epoch in range(10):
        order = EpochOrder(LITERALS[rows], TARGETS[rows], repeated, 0)
        assert visited(weights, epoch) == CONTENT[rows][visits_of(order, epoch)].tolist()


def test_a_fraction_is_a_chance():
    weights = np.where(np.arange(N) % 2, 1.25, 0.5)
    counts = [
        np.bincount(visits, minlength=N)
        for visits in EpochOrder(LITERALS, TARGETS, weights, 0).visits(range(2000))
    ]
    for value, possible in ((0.5, {0, 1}), (1.25, {1, 2})):
        of_value = np.array(counts)[:, weights == value]
        assert set(np.unique(of_value)) == possible
        deviation = np.sqrt((value % 1) * (1 - value % 1) / of_value.size)
        assert abs(of_value.mean() - value) < 5 * deviation
        assert np.abs(of_value.mean(axis=0) - value).max() < 5 * deviation * np.sqrt(of_value.shape[1])


def test_rows_by_content_leave_out_weight_zero():
    weights = np.ones(N)
    weights[[2, 5]] = 0
    assert sorted(rows_by_content(LITERALS, TARGETS, weights).tolist()) == sorted(set(range(N)) - {2, 5})


def test_rows_by_content_keep_equal_rows_together():
    rows = rows_by_content(LITERALS, TARGETS, None)
    runs = 1 + (np.diff(CONTENT[rows].astype(np.int64), axis=0) != 0).any(axis=1).sum()
    assert runs == len(np.unique(CONTENT, axis=0)) < N


# --- partial_fit ---


def test_partial_fit_visits_rows_as_they_come():
    assert visits_in_order(None, 4, 0, 100).tolist() == [0, 1, 2, 3]
    assert visits_in_order(np.array([0.0, 2.0, 1.0]), 3, 0, 0).tolist() == [1, 1, 2]


@pytest.mark.parametrize("chunk", [1, 7, 30])
def test_partial_fit_does_not_depend_on_chunks(chunk):
    weights = (np.arange(100) % 5) / 3
    whole = visits_in_order(weights, 100, 9, 50)
    parts = [
        first
        + visits_in_order(weights[first : first + chunk], len(weights[first : first + chunk]), 9, 50 + first)
        for first in range(0, 100, chunk)
    ]
    assert np.concatenate(parts).tolist() == whole.tolist()
    assert visits_in_order(weights, 100, 10, 50).tolist() != whole.tolist()


def test_partial_fit_repeats_by_chance():
    n_visits = len(visits_in_order(np.full(100_000, 1.3), 100_000, 1, 0))
    assert abs(n_visits - 130_000) < 5 * np.sqrt(100_000 * 0.3 * 0.7)
