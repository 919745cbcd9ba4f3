"""Rows held out for early stopping: shares, classes, and copies of weighted rows."""

import numpy as np
import pytest

from clausal.machine.train import hold_out

TARGETS = np.repeat([0, 1, 2], [50, 30, 20]).astype(np.int32)
ROWS = np.arange(100)


def test_every_class_keeps_its_share():
    train, test = hold_out(ROWS, TARGETS, None, 0.2, 0)
    assert sorted([*train.rows, *test.rows]) == ROWS.tolist()
    assert np.bincount(TARGETS[test.rows]).tolist() == [10, 6, 4]
    assert train.weights is None
    assert test.weights is None


def test_the_seed_decides():
    first, again, other = (hold_out(ROWS, TARGETS, None, 0.2, seed)[1].rows.tolist() for seed in (1, 1, 2))
    assert first == again != other


def test_whole_weights_are_copies_on_either_side():
    weights = (ROWS % 4).astype(float)
    rows = ROWS[weights > 0]
    train, test = hold_out(rows, TARGETS, weights, 0.25, 3)
    counted = np.zeros(100)
    for part in (train, test):
        assert len(np.unique(part.rows)) == len(part.rows)
        counted[part.rows] += part.weights
    np.testing.assert_array_equal(counted, weights)
    assert test.weights.sum() == np.ceil(0.25 * weights.sum())
    assert set(train.rows) & set(test.rows)  # some rows have copies on both sides
    copies = np.repeat(rows, weights[rows].astype(int))
    again = hold_out(np.arange(len(copies)), TARGETS[copies], None, 0.25, 3)[1]
    assert sorted(copies[again.rows]) == sorted(np.repeat(test.rows, test.weights.astype(int)))


def test_fractional_weights_stay_with_their_rows():
    weights = ROWS / 10 + 0.05
    train, test = hold_out(ROWS, TARGETS, weights, 0.2, 0)
    assert sorted([*train.rows, *test.rows]) == ROWS.tolist()
    np.testing.assert_array_equal(test.weights, weights[test.rows])
    np.testing.assert_array_equal(train.weights, weights[train.rows])


@pytest.mark.parametrize(
    ("targets", "fraction"), [(TARGETS, 0.01), (TARGETS, 0.99), (np.r_[3, TARGETS[1:]], 0.5)]
)
def test_a_side_without_some_class_is_refused(targets, fraction):
    with pytest.raises(ValueError, match=r"class|train"):
        hold_out(ROWS, targets.astype(np.int32), None, fraction, 0)
