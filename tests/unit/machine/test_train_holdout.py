"""Rows held out for early stopping: shares, classes, and copies of weighted rows."""

import numpy as np
import pytest

from clausal.machine.equal_rows import Units
from clausal.machine.train import hold_out

TARGETS = np.repeat([0, 1, 2], [50, 30, 20]).astype(np.int32)
UNITS = Units(np.arange(100), np.ones(100))


def test_every_class_keeps_its_share():
    train, test = hold_out(UNITS, TARGETS, 0.2, 0)
    assert sorted([*train.rows, *test.rows]) == list(range(100))
    assert np.bincount(TARGETS[test.rows]).tolist() == [10, 6, 4]
    assert train.weights.tolist() == [1] * 80


def test_the_seed_decides():
    first, again, other = (hold_out(UNITS, TARGETS, 0.2, seed)[1].rows.tolist() for seed in (1, 1, 2))
    assert first == again != other


def test_a_unit_stays_whole_and_units_of_one_row_are_counted():
    weights = 1.0 + np.arange(100) % 4
    train, test = hold_out(Units(UNITS.rows, weights), TARGETS, 0.2, 0)
    assert test.weights.tolist() == weights[test.rows].tolist()
    assert train.weights.tolist() == weights[train.rows].tolist()
    twice = hold_out(Units(np.repeat(UNITS.rows, 2), np.ones(200)), TARGETS, 0.25, 3)
    assert sum(np.bincount(part.rows, part.weights, minlength=100) for part in twice).tolist() == [2] * 100
    assert set(twice[0].rows) & set(twice[1].rows)
    assert twice[1].weights.sum() == 50


@pytest.mark.parametrize(
    ("targets", "fraction"), [(TARGETS, 0.01), (TARGETS, 0.99), (np.r_[3, TARGETS[1:]], 0.5)]
)
def test_a_side_without_some_class_is_refused(targets, fraction):
    with pytest.raises(ValueError, match=r"class|train"):
        hold_out(UNITS, targets.astype(np.int32), fraction, 0)
