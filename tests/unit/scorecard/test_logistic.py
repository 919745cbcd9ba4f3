"""The penalised logistic fit, beside scikit-learn's."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from clausal.outcome import make_outcome
from clausal.scorecard.logistic import Targets, fit_logistic, left_out_scores

OUTCOMES = {k: make_outcome(range(k)) for k in range(2, 6)}
TWO = make_outcome(range(2))
THREE = make_outcome(range(3))

RNG = np.random.default_rng(0)
COLUMNS = (RNG.random((120, 4)) < 0.5).astype(float)
ONE_BANK = np.zeros(4, np.intp)


def codes(n_classes):
    noise = RNG.gumbel(size=(120, n_classes))
    scores = np.zeros((120, n_classes))
    scores[:, 1] = 2 * COLUMNS[:, 0] - COLUMNS[:, 1]
    return (scores + noise).argmax(axis=1)


def test_two_classes_agree_with_scikit_learn():
    y = codes(2)
    ours = fit_logistic(COLUMNS, ONE_BANK, Targets.of(y, TWO), ridge=2.0)
    theirs = LogisticRegression(C=0.5, tol=1e-10, max_iter=1000).fit(COLUMNS, y)
    np.testing.assert_allclose(ours.coefficients, theirs.coef_[0], atol=1e-4)
    np.testing.assert_allclose(ours.intercepts, theirs.intercept_, atol=1e-4)
    np.testing.assert_allclose(ours.scores[:, 0], theirs.decision_function(COLUMNS), atol=1e-3)


def test_three_classes_agree_with_scikit_learn():
    y = codes(3)
    columns, banks = np.hstack([COLUMNS] * 3), np.repeat(np.arange(3), 4)
    targets = Targets.of(y, THREE)
    ours = fit_logistic(columns, banks, targets, ridge=1.0)
    theirs = LogisticRegression(C=1.0, tol=1e-10, max_iter=5000).fit(COLUMNS, y)
    np.testing.assert_allclose(ours.coefficients.reshape(3, 4), theirs.coef_, atol=1e-3)
    np.testing.assert_allclose(targets.probabilities(ours.scores), theirs.predict_proba(COLUMNS), atol=1e-3)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_weight_is_a_repetition(n_classes):
    y, weights = codes(n_classes), RNG.integers(1, 4, 120)
    repeated = np.repeat(np.arange(120), weights)
    weighted = fit_logistic(COLUMNS, ONE_BANK, Targets.of(y, OUTCOMES[n_classes], weights.astype(float)), 1.0)
    twice = fit_logistic(COLUMNS[repeated], ONE_BANK, Targets.of(y[repeated], OUTCOMES[n_classes]), 1.0)
    np.testing.assert_allclose(weighted.coefficients, twice.coefficients, atol=1e-8)
    assert weighted.loss == pytest.approx(twice.loss)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_pull_and_curvature_are_derivatives_of_the_loss(n_classes):
    targets = Targets.of(codes(n_classes), OUTCOMES[n_classes], RNG.random(120))
    scores, step = RNG.normal(size=(120, targets.n_banks)), 1e-5
    for bank in range(targets.n_banks):
        up, down = scores.copy(), scores.copy()
        up[7, bank] += step
        down[7, bank] -= step
        slope = (targets.loss(up) - targets.loss(down)) / (2 * step)
        bend = (targets.negative_gradient(down) - targets.negative_gradient(up))[7, bank] / (2 * step)
        assert targets.negative_gradient(scores)[7, bank] == pytest.approx(-slope, abs=1e-6)
        assert targets.curvature(scores)[7, bank] == pytest.approx(bend, abs=1e-6)


def test_a_start_changes_nothing_but_the_way():
    targets = Targets.of(codes(2), TWO)
    first = fit_logistic(COLUMNS[:, :2], ONE_BANK[:2], targets, 1.0)
    again = fit_logistic(COLUMNS, ONE_BANK, targets, 1.0, start=first)
    np.testing.assert_allclose(
        again.coefficients, fit_logistic(COLUMNS, ONE_BANK, targets, 1.0).coefficients, atol=1e-4
    )


def test_separable_data_stay_finite():
    fit = fit_logistic(COLUMNS[:, :1], ONE_BANK[:1], Targets.of(COLUMNS[:, 0].astype(int), TWO), 1e-3)
    assert np.isfinite(fit.coefficients).all()
    assert fit.loss < 1.0


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_share_is_a_row_of_each_class_by_that_part(n_classes):
    """A soft target is the same as a row of every class, weighing what its class has of it."""
    share = RNG.dirichlet(np.ones(n_classes), 120)
    soft = Targets(share[:, 1:] if n_classes == 2 else share, np.full(120, 2.0))
    rows, classes = np.repeat(np.arange(120), n_classes), np.tile(np.arange(n_classes), 120)
    hard = Targets.of(classes, OUTCOMES[n_classes], 2.0 * share.ravel())
    ours = fit_logistic(COLUMNS, ONE_BANK, soft, 1.0)
    theirs = fit_logistic(COLUMNS[rows], ONE_BANK, hard, 1.0)
    np.testing.assert_allclose(ours.coefficients, theirs.coefficients, atol=1e-6)
    np.testing.assert_allclose(ours.intercepts, theirs.intercepts, atol=1e-6)
    assert ours.loss == pytest.approx(theirs.loss)


def test_scores_of_rows_left_out_are_near_those_of_a_fit_without_them():
    targets, ridge = Targets.of(codes(2), TWO), 3.0
    fit = fit_logistic(COLUMNS, ONE_BANK, targets, ridge)
    left = left_out_scores(COLUMNS, targets, fit, ridge)
    for row in range(0, 120, 10):
        kept = np.delete(np.arange(120), row)
        without = fit_logistic(COLUMNS[kept], ONE_BANK, targets.take(kept), ridge)
        score = without.intercepts[0] + COLUMNS[row] @ without.coefficients
        assert abs(left[row, 0] - score) < 0.1 * abs(fit.scores[row, 0] - score)


def test_of_a_row_of_weight_three_one_third_is_left_out():
    y, weights = codes(2), RNG.integers(1, 4, 120)
    repeated = np.repeat(np.arange(120), weights)
    weighted, twice = (
        Targets.of(y, TWO, weights.astype(float)),
        Targets.of(y[repeated], TWO),
    )
    left = left_out_scores(COLUMNS, weighted, fit_logistic(COLUMNS, ONE_BANK, weighted, 1.0), 1.0)
    each = left_out_scores(
        COLUMNS[repeated], twice, fit_logistic(COLUMNS[repeated], ONE_BANK, twice, 1.0), 1.0
    )
    np.testing.assert_allclose(left[repeated], each, atol=1e-6)
