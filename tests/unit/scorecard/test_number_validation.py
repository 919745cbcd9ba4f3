import numpy as np
import pytest

from clausal.scorecard.number_validation import rounded_line
from clausal.scorecard.numbers import NumberLoss, Numbers


@pytest.mark.parametrize("quantile", [0.3, 0.5, 0.9])
def test_the_constant_is_not_rounded_below_many_equal_numbers(quantile):
    """A quarter of the numbers is 0, which a prediction just below would not cover."""
    rng = np.random.default_rng(1)
    votes = rng.integers(-3, 4, 2_000).astype(float)
    values = np.maximum(1538.0 * votes + rng.normal(1234.0, 2_000.0, 2_000), 0.0)
    weights = rng.exponential(size=2_000)
    numbers = Numbers.of(values, weights, NumberLoss("quantile", quantile))
    unit, offset = rounded_line(1538.0, votes, numbers, weights)
    exact = numbers.loss.constant(values - unit * votes, weights)
    covered, expected = (
        float(weights[values <= constant + unit * votes].sum() / weights.sum())
        for constant in (offset, exact + 1e-6)
    )
    assert quantile - 0.01 <= covered <= expected + 0.01
    assert len(f"{offset:g}".strip("-0.")) <= len(f"{exact:g}")


def test_the_mean_is_rounded_by_its_loss_alone():
    votes = np.array([0.0, 1.0] * 50)
    values = 123.456 + 10.0 * votes + np.tile([-30.0, 30.0, 30.0, -30.0], 25)
    numbers = Numbers.of(values, np.ones(100), NumberLoss())
    assert rounded_line(10.0, votes, numbers, np.ones(100)) == (10.0, 123.0)
