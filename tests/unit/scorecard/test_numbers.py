"""The losses of numbers beside scikit-learn's, and what fits them best beside a search."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from sklearn.metrics import (
    d2_pinball_score,
    mean_absolute_error,
    mean_pinball_loss,
    mean_squared_error,
    r2_score,
)

from clausal.scorecard.numbers import LOSSES, NumberLoss, Numbers, classes_of, weighted_quantile

RNG = np.random.default_rng(0)
Y, P = RNG.normal(size=50), RNG.normal(size=50)
W = RNG.integers(1, 4, 50).astype(float)


def test_losses_are_those_of_scikit_learn():
    given = {"sample_weight": W}
    assert NumberLoss("squared_error").mean(Y, P, W) == pytest.approx(mean_squared_error(Y, P, **given))
    assert NumberLoss("absolute_error").mean(Y, P, W) == pytest.approx(mean_absolute_error(Y, P, **given))
    pinball = NumberLoss("quantile", 0.3)
    assert pinball.mean(Y, P, W) == pytest.approx(mean_pinball_loss(Y, P, alpha=0.3, **given))
    assert NumberLoss().share_explained(Y, P, W) == pytest.approx(r2_score(Y, P, **given))
    share = pinball.share_explained(Y, P, np.ones(50))
    assert share == pytest.approx(
        d2_pinball_score(Y, P, alpha=0.3), abs=0.02
    )  # whose quantile is interpolated
    assert NumberLoss().share_explained(np.ones(3), P[:3], np.ones(3)) is None


@pytest.mark.parametrize("name", LOSSES)
@given(st.integers(0, 10**6), st.sampled_from([0.1, 0.5, 0.9]))
def test_no_other_constant_or_line_is_better(name, seed, quantile):
    rng = np.random.default_rng(seed)
    values, weights = rng.normal(size=20), rng.exponential(size=20)
    numbers = values * rng.uniform(0.3, 2.0) + rng.normal(size=20)
    loss = NumberLoss(name, quantile)
    best = loss.constant(numbers, weights)
    assert numbers.min() <= best <= numbers.max()

    def of_constant(constant):
        return loss.mean(numbers, np.full(20, constant), weights)

    assert all(of_constant(best) <= of_constant(best + step) + 1e-12 for step in (-0.1, -1e-3, 1e-3, 0.1))
    slope, offset = loss.fit_line(values, numbers, weights)

    def of_slope(slope):
        rest = numbers - slope * values
        return loss.mean(rest, np.full(20, loss.constant(rest, weights)), weights)

    found = loss.mean(numbers, slope * values + offset, weights)
    lowest = minimize_scalar(of_slope, bounds=(0.05, 5.0), method="bounded").fun
    close = 1e-6 if name == "squared_error" else 0.05  # the last step of other slopes is 1/40
    assert found <= lowest * (1 + close) + 1e-12


def test_weighted_quantiles():
    numbers = np.array([3.0, 1.0, 2.0])
    assert weighted_quantile(numbers, np.ones(3), 0.5) == 2.0
    assert weighted_quantile(numbers, np.array([5.0, 1.0, 1.0]), 0.5) == 3.0
    assert weighted_quantile(numbers, np.ones(3), 1 / 3) == 1.0
    assert weighted_quantile(numbers, np.array([1.0, 0.0, 1.0]), 0.01) == 2.0


def test_targets_are_numbers_around_the_center():
    numbers = Numbers.of(np.array([0.0, 10.0, 20.0]), np.array([1.0, 2.0, 1.0]), NumberLoss())
    assert (numbers.center, numbers.scale) == (10.0, pytest.approx(np.sqrt(50)))
    np.testing.assert_allclose(numbers.targets, np.array([[-1.0, 0.0, 1.0]]) * np.sqrt(2))
    extreme = Numbers.of(np.array([0.0, 1e100]), np.array([1e12, 1.0]), NumberLoss("absolute_error"))
    assert np.isfinite(extreme.targets).all()


@pytest.mark.parametrize(
    ("numbers", "classes", "codes"),
    [
        ([1, 2, 3, 4, 5, 6], 3, [0, 0, 1, 1, 2, 2]),
        ([0, 1, 1, 1], 2, [0, 1, 1, 1]),
        ([0, 0, 0, 1], 2, [0, 0, 0, 1]),
        ([0, 0, 0, 1, 2, 3], 3, [0, 0, 0, 1, 2, 2]),
        ([1, 1, 1, 5, 5, 5], 2, [0, 0, 0, 1, 1, 1]),
    ],
)
def test_machines_learn_thirds_or_halves(numbers, classes, codes):
    found, names = classes_of(np.array(numbers, float), np.ones(len(numbers)))
    assert len(names) == classes == len(np.unique(found))
    assert found.tolist() == codes
