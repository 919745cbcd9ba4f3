"""Sums in any order, probabilities and losses, and the slope that fits held-out scores."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, softmax
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

from clausal.scorecard.calibration import MIN_SLOPE, exact_sum, fit_slope, probabilities, row_losses, solve


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=50), st.randoms(use_true_random=False))
def test_a_sum_does_not_depend_on_the_order(values, random):
    shuffled = values.copy()
    random.shuffle(shuffled)
    total = exact_sum(np.array(values))
    assert total == exact_sum(np.array(shuffled))
    assert total == pytest.approx(math.fsum(values), abs=1e-12 * sum(map(abs, values)))


@pytest.mark.parametrize("n_banks", [1, 3])
def test_probabilities_and_losses(n_banks):
    rng = np.random.default_rng(n_banks)
    log_odds, codes = rng.normal(0, 3, (50, n_banks)), rng.integers(0, max(n_banks, 2), 50)
    p = probabilities(log_odds)
    expected = expit(log_odds) if n_banks == 1 else softmax(log_odds, axis=1)
    np.testing.assert_allclose(p, expected, rtol=1e-13)
    every_class = np.hstack([1 - p, p]) if n_banks == 1 else p
    labels = np.arange(max(n_banks, 2))
    assert row_losses(log_odds, codes).mean() == pytest.approx(log_loss(codes, every_class, labels=labels))


def test_the_slope_is_that_of_a_logistic_regression():
    rng = np.random.default_rng(0)
    x, weights = rng.normal(0, 2, (300, 1)), rng.uniform(0.5, 2, 300)
    codes = (rng.random(300) < expit(0.6 * x[:, 0] - 0.3)).astype(int)
    slope, offsets = fit_slope(x, codes[:, None].astype(float), weights)
    model = LogisticRegression(C=1e3, tol=1e-8).fit(x, codes, sample_weight=weights)
    assert slope == pytest.approx(model.coef_[0, 0], rel=1e-3)
    assert offsets[0] == pytest.approx(model.intercept_[0], rel=1e-3)


def test_the_slope_of_several_classes_has_no_gradient_left():
    rng = np.random.default_rng(0)
    x = rng.normal(0, 2, (300, 3))
    codes = np.array([rng.choice(3, p=row) for row in softmax(0.5 * x + [0.5, 0, -0.5], axis=1)])
    shares = np.eye(3)[codes]
    slope, offsets = fit_slope(x, shares, np.ones(300))
    assert slope == pytest.approx(0.5, abs=0.1)
    left = shares - softmax(slope * x + offsets, axis=1)
    assert np.abs(left.sum(axis=0)).max() < 1e-3
    assert abs((left * x).sum()) < 1e-2


def test_scores_that_separate_or_mislead_give_a_finite_slope():
    x, shares = np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array([[0.0], [0.0], [1.0], [1.0]])
    slope, _ = fit_slope(x, shares, np.ones(4))
    assert 1 < slope < 100
    slope, offsets = fit_slope(-x, shares, np.ones(4))
    assert slope == MIN_SLOPE
    assert np.isfinite(offsets).all()


def test_solve():
    rng = np.random.default_rng(0)
    matrix, vector = rng.normal(size=(5, 5)), rng.normal(size=5)
    np.testing.assert_allclose(solve(matrix.tolist(), vector.tolist()), np.linalg.solve(matrix, vector))
