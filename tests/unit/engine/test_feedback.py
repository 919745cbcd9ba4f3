"""The law of feedback, case by case."""

from itertools import product

import numpy as np
import pytest

from clausal.engine.feedback import FeedbackTypes, NumericLoss, feedback_types, moves


def test_every_case_of_a_clause_gets_its_type():
    cases = list(product([False, True], repeat=4))
    types = feedback_types(*np.array(cases).T)
    for (selected, favours, fired, fits), type_1a, type_1b, type_2 in zip(cases, *types, strict=True):
        if not selected:
            expected = (False, False, False)
        elif favours:
            expected = (True, False, False) if fired and fits else (False, True, False)
        else:
            expected = (False, False, fired)
        assert (type_1a, type_1b, type_2) == expected


X = np.array([True, True, False, False])
DRAWN = np.array([True, False, True, False])


@pytest.mark.parametrize(
    ("kind", "boost", "up", "down"),
    [
        ("type_1a", False, [0, 1, 0, 0], [0, 0, 1, 0]),
        ("type_1a", True, [1, 1, 0, 0], [0, 0, 1, 0]),
        ("type_1b", False, [0, 0, 0, 0], [1, 0, 1, 0]),
        ("type_1b", True, [0, 0, 0, 0], [1, 0, 1, 0]),
        ("type_2", False, [0, 0, 1, 1], [0, 0, 0, 0]),
        ("none", True, [0, 0, 0, 0], [0, 0, 0, 0]),
    ],
)
def test_every_type_moves_its_automata(kind, boost, up, down):
    types = FeedbackTypes(*(np.array([kind == name]) for name in FeedbackTypes._fields))
    moved = moves(types, X, DRAWN[None, :], boost_true_positive=boost)
    assert moved.up.astype(int).tolist() == [up]
    assert moved.down.astype(int).tolist() == [down]


def test_the_chance_of_feedback_is_the_slope_of_the_loss():
    squared = NumericLoss(2**32, 2**31, proportional=True)
    errors = (-8, -4, 0, 4, 8)
    assert [squared.chance(error, 8) for error in errors] == [2**32, 2**31, 0, 2**30, 2**31]
    assert squared.chance(-1, 3) == 2**32 // 3
    quantile = NumericLoss(3 << 28, 1 << 28, proportional=False)
    assert [quantile.chance(error, 8) for error in errors] == [3 << 28, 3 << 28, 0, 1 << 28, 1 << 28]
