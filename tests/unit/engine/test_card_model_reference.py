"""Exponentials and logarithms from additions, multiplications and divisions alone."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from clausal.engine.card_model_reference import MAX_SCORE, POWERS
from clausal.engine.exact_math import exact_exp, exact_log


def assert_close(got: float, wanted: float) -> None:
    assert abs(got - wanted) <= 1e-13 * abs(wanted)


@given(st.floats(-700, 700))
def test_exp(x: float) -> None:
    assert_close(exact_exp(np.array([x]))[0], math.exp(x))


@given(st.floats(1e-300, 1e300))
def test_log(x: float) -> None:
    assert_close(exact_log(np.array([x]))[0], math.log(x))


@given(st.floats(0.5, 2.0))
def test_log_near_one(x: float) -> None:
    assert_close(exact_log(np.array([x]))[0], math.log(x))


def test_exp_of_all_scores() -> None:
    assert len(POWERS) == 2 * MAX_SCORE + 1
    assert POWERS[MAX_SCORE] == 1.0
    np.testing.assert_allclose(POWERS, np.exp(np.arange(-MAX_SCORE, MAX_SCORE + 1) / 256), rtol=1e-13)
    assert (np.diff(POWERS) > 0).all()
