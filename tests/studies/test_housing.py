"""The generated housing table has the traits that it is for."""

import numpy as np
from scipy.stats import skew
from sklearn.linear_model import LinearRegression

from studies.housing import HIGHEST, NAMES, cells, housing, learners
from studies.regression import Run


def test_the_table_is_that_of_its_seed():
    X, y = housing(500, seed=3)
    again, other = housing(500, seed=3), housing(500, seed=4)
    assert X.shape == (500, len(NAMES))
    assert np.array_equal(X, again[0])
    assert np.array_equal(y, again[1])
    assert not np.array_equal(y, other[1])


def test_incomes_are_skewed_prices_clipped_and_places_matter():
    X, y = housing()
    income, latitude, longitude = X[:, 0], X[:, 6], X[:, 7]
    assert len(X) == 20_640
    assert np.isfinite(X).all()
    assert skew(income) > 1
    assert y.max() == HIGHEST
    assert 0.01 < np.mean(y == HIGHEST) < 0.02
    residuals = y - LinearRegression().fit(X, y).predict(X)
    bay = np.hypot(latitude - 37.75, longitude + 122.4) < 0.3
    assert bay.sum() > 100
    assert residuals[bay].mean() > 0.3, "a line does not know of centers"


def test_one_split_has_no_interval_and_several_have():
    runs = [Run(1.0, 0.5, 0.0, 7.0, 2.0), Run(2.0, 0.5, 0.0, 9.0, 4.0)]
    assert cells(runs) == ["1.5 ± 0.5", "0.5 ± 0", "8 ± 1", "3 ± 1", "1", "2"]
    assert cells(runs[:1]) == ["", "", "", "", "1", "2"]
    assert {"ridge", "TsetlinRegressor()", "tree, 11 leaves"} <= set(learners())
