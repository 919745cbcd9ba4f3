"""The penalised logistic fit, beside scikit-learn's."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from clausal.selection.logistic import Targets, fit_logistic

RNG = np.random.default_rng(0)
COLUMNS = (RNG.random((120, 4)) < 0.5).astype(float)
ONE_BANK = np.zeros(4, np.intp)


def codes(n_classes):
    noise = RNG.gumbel(size=(120, n_classes))
    pull = np.zeros((120, n_classes))
    pull[:, 1] = 2 * COLUMNS[:, 0] - COLUMNS[:, 1]
    return (pull + noise).argmax(axis=1)


def test_two_classes_agree_with_scikit_learn():
    y = codes(2)
    ours = fit_logistic(COLUMNS, ONE_BANK, Targets.of(y, 2), ridge=2.0)
    theirs = LogisticRegression(C=0.5, tol=1e-10, max_iter=1000).fit(COLUMNS, y)
    np.testing.assert_allclose(ours.coefficients, theirs.coef_[0], atol=1e-4)
    np.testing.assert_allclose(ours.intercepts, theirs.intercept_, atol=1e-4)
    np.testing.assert_allclose(ours.scores[:, 0], theirs.decision_function(COLUMNS), atol=1e-3)


def test_three_classes_agree_with_scikit_learn():
    y = codes(3)
    columns, banks = np.hstack([COLUMNS] * 3), np.repeat(np.arange(3), 4)
    targets = Targets.of(y, 3)
    ours = fit_logistic(columns, banks, targets, ridge=1.0)
    theirs = LogisticRegression(C=1.0, tol=1e-10, max_iter=5000).fit(COLUMNS, y)
    np.testing.assert_allclose(ours.coefficients.reshape(3, 4), theirs.coef_, atol=1e-3)
    np.testing.assert_allclose(targets.probabilities(ours.scores), theirs.predict_proba(COLUMNS), atol=1e-3)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_weight_is_a_repetition(n_classes):
    y, weights = codes(n_classes), RNG.integers(1, 4, 120)
    repeated = np.repeat(np.arange(120), weights)
    weighted = fit_logistic(COLUMNS, ONE_BANK, Targets.of(y, n_classes, weights.astype(float)), 1.0)
    twice = fit_logistic(COLUMNS[repeated], ONE_BANK, Targets.of(y[repeated], n_classes), 1.0)
    np.testing.assert_allclose(weighted.coefficients, twice.coefficients, atol=1e-8)
    assert weighted.loss == pytest.approx(twice.loss)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_pull_and_curvature_are_derivatives_of_the_loss(n_classes):
    targets = Targets.of(codes(n_classes), n_classes, RNG.random(120))
    scores, step = RNG.normal(size=(120, targets.n_banks)), 1e-5
    for bank in range(targets.n_banks):
        up, down = scores.copy(), scores.copy()
        up[7, bank] += step
        down[7, bank] -= step
        slope = (targets.loss(up) - targets.loss(down)) / (2 * step)
        bend = (targets.pull(down) - targets.pull(up))[7, bank] / (2 * step)
        assert targets.pull(scores)[7, bank] == pytest.approx(-slope, abs=1e-6)
        assert targets.curvature(scores)[7, bank] == pytest.approx(bend, abs=1e-6)


def test_a_start_changes_nothing_but_the_way():
    targets = Targets.of(codes(2), 2)
    first = fit_logistic(COLUMNS[:, :2], ONE_BANK[:2], targets, 1.0)
    again = fit_logistic(COLUMNS, ONE_BANK, targets, 1.0, start=first)
    np.testing.assert_allclose(
        again.coefficients, fit_logistic(COLUMNS, ONE_BANK, targets, 1.0).coefficients, atol=1e-4
    )


def test_separable_data_stay_finite():
    fit = fit_logistic(COLUMNS[:, :1], ONE_BANK[:1], Targets.of(COLUMNS[:, 0].astype(int), 2), 1e-3)
    assert np.isfinite(fit.coefficients).all()
    assert fit.loss < 1.0
