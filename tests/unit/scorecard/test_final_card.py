"""Whole constants for three and more classes."""

import numpy as np

from clausal.outcome import make_outcome
from clausal.scorecard.final_card import integer_constants
from clausal.scorecard.rows import SearchRows


def rows_of(codes):
    """Rows with class codes, of which validation reads nothing else."""
    outcome = make_outcome(np.arange(max(codes) + 1))
    n = len(codes)
    return SearchRows(np.array(codes), np.ones(n), None, outcome, None, None)


def test_constants_are_the_offsets_if_a_point_is_worth_little():
    rng = np.random.default_rng(0)
    codes = rng.choice(3, 300, p=[0.5, 0.2, 0.3])
    votes = np.zeros((300, 3), np.int64)
    offsets = np.log(np.bincount(codes) / 300)
    factor, constants = integer_constants(votes, rows_of(codes), 0.01, offsets, 10)
    assert factor == 1
    assert np.abs(np.array(constants) - 100 * offsets).max() <= 1


def test_points_are_multiplied_if_a_point_is_worth_much():
    codes = np.array([0] * 30 + [1] * 30 + [2] * 30)
    votes = np.repeat(np.array([[1, 0, 0], [0, 1, 0], [0, 0, 0]]), 30, axis=0)
    offsets = np.array([-2.5, -2.5, 0.0])  # half a point: rounded, it would tie or lose
    factor, constants = integer_constants(votes, rows_of(codes), 5.0, offsets, 10)
    assert factor == 2
    assert (factor * votes + constants).argmax(axis=1).tolist() == codes.tolist()
    alone, _ = integer_constants(votes, rows_of(codes), 5.0, offsets, 1)
    assert alone == 1
