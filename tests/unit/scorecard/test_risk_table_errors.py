"""The errors of risks: those of the calibration, and those of the scorecard."""

import numpy as np
import pytest
from scipy.special import expit

from clausal import RuleClassifier
from clausal.outcome import make_outcome
from clausal.scorecard import risk_table
from clausal.scorecard.calibration import Calibration, fit_slope
from clausal.scorecard.held_out import FoldPredictions, HeldOut
from clausal.scorecard.rows import SearchRows
from tests.support.scorecards import scorecard


def variances(log_odds, codes, weights=None, class_factors=None, times=1):
    """Of slope and offset, for rows that are held out `times` times in two folds each."""
    n = len(codes)
    weights = np.ones(n) if weights is None else weights
    outcome = make_outcome([0, 1])
    rows = SearchRows(codes, weights, None, outcome, None, None, class_factors)
    scores = np.rint(log_odds * 256).astype(np.int32)
    parts = np.array_split(np.arange(n), 2)
    folds = [
        FoldPredictions(part, weights[part], scores[None, None, None][..., part], np.ones((1, 1), np.intp))
        for part in parts * times
    ]
    x = np.rint(log_odds * 256)[:, None] / 256
    slope, offsets = fit_slope(x, codes[:, None].astype(float), weights)
    calibration = Calibration(slope, offsets, 0.5, ())
    found = risk_table._calibration_variances(rows, HeldOut(rows, folds), (0, 0), calibration)
    return np.array([[found[0], found[1]], [found[1], found[2]]])


def held_out(n, seed=0):
    rng = np.random.default_rng(seed)
    log_odds = rng.normal(0.3, 1.2, n)
    return log_odds, (rng.random(n) < expit(0.8 * log_odds - 0.4)).astype(np.intp)


def test_the_calibration_has_the_variance_of_a_logistic_regression():
    log_odds, codes = held_out(400)
    x = np.rint(log_odds * 256) / 256
    slope, (offset,) = fit_slope(x[:, None], codes[:, None].astype(float), np.ones(400))
    p = expit(slope * x + offset)
    design = np.column_stack([x, np.ones(400)])
    expected = np.linalg.inv(design.T @ (design * (p * (1 - p))[:, None]))
    np.testing.assert_allclose(variances(log_odds, codes), expected, rtol=1e-3)


def test_a_weight_counts_rows():
    log_odds, codes = held_out(200)
    twice = np.tile(log_odds, 2), np.tile(codes, 2)
    np.testing.assert_allclose(
        variances(log_odds, codes, np.full(200, 2.0)), variances(*twice), rtol=1e-9, atol=1e-12
    )


def test_rows_that_are_held_out_twice_count_once():
    log_odds, codes = held_out(200)
    once, twice = (variances(log_odds, codes, times=times) for times in (1, 2))
    np.testing.assert_allclose(once, twice, rtol=1e-9)


def test_class_weights_do_not_make_rows():
    """Against the spread of the slope and the offset over many samples."""
    factors = np.array([0.5, 4.0])
    fitted, found = [], []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        log_odds = rng.normal(size=400)
        codes = (rng.random(400) < expit(log_odds - 2.0)).astype(np.intp)
        x = np.rint(log_odds * 256)[:, None] / 256
        slope, (offset,) = fit_slope(x, codes[:, None].astype(float), factors[codes])
        fitted.append((slope, offset))
        found.append(np.diag(variances(log_odds, codes, factors[codes], factors)))
    np.testing.assert_allclose(np.mean(found, axis=0), np.var(fitted, axis=0), rtol=0.35)


def test_scores_with_similar_log_odds_share_their_spread():
    smoothed = risk_table._smooth(
        np.array([1.0, 3.0, 8.0]), np.array([1.0, 1.0, 2.0]), np.array([0.0, 0.4, 5.0])
    )
    assert smoothed.tolist() == [2.0, 2.0, 8.0]


def table_of(n, seed=0, noise=0.2):
    rng = np.random.default_rng(seed)
    X = rng.random((n, 4)).round(2)
    return X, ((X[:, 0] > 0.5) ^ (rng.random(n) < noise)).astype(int)


def test_more_rows_give_shorter_intervals():
    widths = []
    for n in (100, 2000):
        X, y = table_of(n)
        low, high = RuleClassifier(max_literals=3, cv=5, random_state=0).fit(X, y).predict_risk_interval(X).T
        widths.append((high - low).mean())
    assert widths[1] < 0.5 * widths[0]


def test_the_risk_is_within_its_interval_and_more_confidence_is_wider():
    X, y = table_of(150)
    clf = scorecard().fit(X, y)
    risk = clf.predict_proba(X)[:, 1]
    narrow, wide = (clf.predict_risk_interval(X, confidence) for confidence in (0.5, 0.99))
    assert ((wide[:, 0] < narrow[:, 0]) & (narrow[:, 0] <= risk)).all()
    assert ((risk <= narrow[:, 1]) & (narrow[:, 1] < wide[:, 1])).all()


def test_classes_that_are_separated_do_not_make_a_risk_certain():
    X = np.array([[0], [1]] * 50)
    clf = RuleClassifier(booleanizer=None, random_state=0).fit(X, X[:, 0])
    (_, low_side), (high_side, _) = clf.predict_risk_interval([[0], [1]])
    assert 0.04 < low_side < 0.2  # no event in 50 rows: the rule of three says 0.06
    assert 0.8 < high_side < 0.96


def test_the_same_rows_in_another_order_give_the_same_intervals():
    X, y = table_of(120)
    order = np.random.default_rng(3).permutation(len(y))
    one, two = (scorecard().fit(X[rows], y[rows]).risk_table_ for rows in (slice(None), order))
    np.testing.assert_array_equal(one.interval(one.scores), two.interval(two.scores))


def test_without_held_out_rows_of_a_class_there_is_no_interval():
    X, y = table_of(40)
    y[:] = 0
    y[3] = 1
    with pytest.warns(UserWarning, match="No row of class 1 is ever held out"):
        clf = scorecard().fit(X, y)
    assert clf.risk_table_.errors is None
    with pytest.raises(ValueError, match="must have errors to give intervals. Got none"):
        clf.predict_risk_interval(X)
