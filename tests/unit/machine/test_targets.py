"""Numbers as shares of their range, the loss as chances of feedback, and the score."""

import numpy as np
import pytest

from clausal import TsetlinRegressor
from clausal.machine.targets import explained, make_loss, read_targets, shares
from clausal.outcome import NumericOutcome


def read(y, weights=None, **params):
    reg = TsetlinRegressor(10, threshold=8, **params)
    return read_targets(reg, None, len(y), y, weights, None, None)


def test_the_range_is_that_of_rows_with_weight():
    targets = read([1.0, 3.0, 9.0, 2.0], [1, 1, 0, 1])
    assert targets.outcome == NumericOutcome(0.25, 1.0, 1.0, 3.0)
    assert targets.codes.tolist() == [0, 2**30, 2**30, 2**29]
    assert targets.numbers.tolist() == [1, 3, 9, 2]
    assert targets.said == ()


def test_a_given_range_holds_and_what_is_beyond_it_is_said():
    targets = read([1.0, 3.0, 9.0], target_range=(1, 5))
    assert targets.outcome == NumericOutcome(0.5, 1.0, 1.0, 5.0)
    assert targets.codes.tolist() == [0, 2**29, 2**30]
    assert "1 of 3 numbers in y, such as 9, are not in the range" in targets.said[0]


def test_shares_are_rounded_once():
    outcome = NumericOutcome(1.0, -1.0, -1.0, 2.0)
    assert shares(np.array([-5.0, -1.0, 0.0, 2.0, 7.0]), outcome).tolist() == [
        0,
        0,
        round(2**30 / 3),
        2**30,
        2**30,
    ]


@pytest.mark.parametrize(
    ("params", "rise", "fall", "proportional"),
    [
        ({}, 1.0, 1.0, True),
        ({"loss": "absolute_error"}, 0.125, 0.125, False),
        ({"loss": "quantile", "quantile": 0.75}, 0.1875, 0.0625, False),
    ],
)
def test_losses_as_chances(params, rise, fall, proportional):
    loss = make_loss(TsetlinRegressor(**params))
    assert (loss.rise / 2**32, loss.fall / 2**32, loss.proportional) == (rise, fall, proportional)


def test_the_score_is_the_share_of_the_loss_that_is_saved():
    y, found = np.array([0.0, 0.0, 3.0, 9.0]), np.array([0.0, 0.0, 3.0, 5.0])
    assert explained(TsetlinRegressor(), y, found, None) == pytest.approx(1 - 16 / 54)
    assert explained(TsetlinRegressor(loss="absolute_error"), y, found, None) == pytest.approx(1 - 4 / 12)
    weights = np.array([1.0, 1.0, 1.0, 0.0])
    assert explained(TsetlinRegressor(), y, found, weights) == 1
