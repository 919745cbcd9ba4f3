"""Integer points: bounded, never 0, and nearly as good as the coefficients."""

import numpy as np
import pytest

from clausal.outcome import make_outcome
from clausal.scorecard.candidates import Candidates
from clausal.scorecard.logistic import Targets, fit_logistic, fit_slope
from clausal.scorecard.points import (
    Scorecard,
    empty_scorecard,
    integer_constants,
    integer_points,
    totals,
)
from clausal.scorecard.selection import Selection

OUTCOMES = {k: make_outcome(range(k)) for k in range(2, 6)}
TWO = make_outcome(range(2))
THREE = make_outcome(range(3))

RNG = np.random.default_rng(2)
N = 500


def selected(true, n_classes=2, ridge=0.1):
    """A selection of as many rules as there are true coefficients, all of one bank."""
    fires = (RNG.random((N, len(true))) < 0.5).astype(np.float32)
    scores = np.zeros((N, n_classes))
    scores[:, 1] = fires @ np.array(true) - np.sum(true) / 2
    y = (scores + RNG.gumbel(size=scores.shape)).argmax(axis=1)
    targets = Targets.of(y, OUTCOMES[n_classes])
    banks = np.full(len(true), 0 if n_classes == 2 else 1)
    candidates = Candidates(
        fires, np.ones(len(true), np.intp), np.ones((len(true), targets.n_banks, 2), bool)
    )
    fit = fit_logistic(fires.astype(float), banks, targets, ridge)
    return Selection(np.arange(len(true)), banks, len(true), fit), candidates, targets


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("max_points", [1, 3, 10])
def test_points_are_bounded_and_have_the_coefficients_signs(n_classes, max_points):
    selection, candidates, targets = selected([2.0, -1.0, 0.2, -3.0], n_classes)
    card = integer_points(selection, candidates, targets, max_points)
    assert card.points.dtype == np.int64
    assert np.abs(card.points).min() >= 1
    assert np.abs(card.points).max() <= max_points
    assert (np.sign(card.points) == np.sign(selection.fit.coefficients)).all()
    assert card.slope > 0
    log_odds = card.log_odds(candidates.fires)
    assert log_odds.shape == (N, targets.n_banks)
    assert card.loss == pytest.approx(targets.loss(log_odds), rel=1e-6)


def test_ten_points_lose_almost_nothing():
    selection, candidates, targets = selected([3.0, -1.0, 0.5, 2.0])
    card = integer_points(selection, candidates, targets, 10)
    assert card.loss < selection.fit.loss + 1.0
    coarse = integer_points(selection, candidates, targets, 1)
    assert card.loss < coarse.loss


def test_classes_that_points_separate_perfectly_stay_separated():
    """Points, slope and offsets are fitted alternately; a steep slope must keep its offset."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        levels = rng.integers(0, 5, (300, 5))
        score = levels @ np.array([3.0, 2.0, -2.0, -1.0, 0.5]) - 5.2
        fires = (levels[:, :, None] > np.arange(4)).reshape(300, -1).astype(np.float32)
        targets = Targets.of((score > 0).astype(int), TWO)
        banks = np.zeros(fires.shape[1], np.intp)
        candidates = Candidates(fires, np.ones(len(banks), np.intp), np.ones((len(banks), 1, 2), bool))
        fit = fit_logistic(fires.astype(float), banks, targets, 0.01)
        card = integer_points(
            Selection(np.arange(len(banks)), banks, len(banks), fit), candidates, targets, 10
        )
        right = (card.log_odds(fires)[:, 0] > 0) == (score > 0)
        assert right.mean() > 0.97
        assert card.loss < 0.1 * empty_scorecard(targets).loss


def test_the_slope_is_the_best_one():
    selection, candidates, targets = selected([2.0, -1.0], n_classes=3)
    sums = totals(candidates.fires, selection.banks, np.array([2, -1]), 3)
    slope, offsets, loss = fit_slope(sums, targets)
    for nearby in (slope * 0.98, slope * 1.02):
        assert targets.loss(nearby * sums + offsets) > loss
    for bank in range(3):
        for step in (-0.05, 0.05):
            moved = offsets.copy()
            moved[bank] += step
            assert targets.loss(slope * sums + moved) > loss


def test_constants_of_three_classes_do_not_leave_two_of_them_equal():
    """Between two cut points 'low' and 'middle' would have equal votes: the more frequent one must win."""
    value = np.linspace(-1, 1, 200)
    codes = np.digitize(value, [-0.5, 0.5])
    fires = np.column_stack([value < -0.55, value < -0.35, value > 0.5]).astype(float)
    card = Scorecard(np.arange(3), np.array([0, 0, 2]), np.array([10, 5, 10]), 1.0, np.zeros(3), 3, 0.0)
    targets = Targets.of(codes, THREE)
    constants = integer_constants(card, fires, targets, 1.0, np.array([-5.4, 0.3, -5.0]))
    assert all(isinstance(constant, int) for constant in constants)
    votes = totals(fires, card.banks, card.points, 3)
    assert (votes + np.array(constants)).argmax(axis=1)[(value > -0.5) & (value < 0.5)].tolist() == [1] * 100
    far = np.array([9.0, 0.0, -5.0])  # a step of one does not help here, so the rounded offsets are kept
    assert integer_constants(card, fires, targets, 1.0, far) == [9, 0, -5]


def test_totals_with_a_negative_slope_get_slope_0():
    selection, candidates, targets = selected([3.0])
    sums = totals(candidates.fires, selection.banks, np.array([-1]), 1)
    slope, offsets, loss = fit_slope(sums, targets)
    assert slope == 0.0
    assert loss == pytest.approx(empty_scorecard(targets).loss, rel=1e-3)
    assert offsets.shape == (1,)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_an_empty_scorecard_predicts_the_class_frequencies(n_classes):
    y = np.repeat(np.arange(n_classes), [60, 40, 20][:n_classes])
    targets = Targets.of(y, OUTCOMES[n_classes])
    card = empty_scorecard(targets)
    p = targets.probabilities(card.log_odds(np.zeros((1, 0))))
    expected = [0.4] if n_classes == 2 else [0.5, 1 / 3, 1 / 6]
    np.testing.assert_allclose(p[0], expected, atol=1e-4)
    assert card.n_literals == 0


def test_the_slope_of_several_banks_is_found_from_far_away():
    """Full Newton steps increase the loss here."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        y = rng.choice(5, 60, p=[0.9, 0.04, 0.03, 0.02, 0.01])
        sums = np.rint(10 * np.eye(5)[y] * rng.random((60, 5)) + 3 * rng.normal(size=(60, 5)))
        targets = Targets.of(y, make_outcome(range(5)))
        slope, offsets, loss = fit_slope(sums, targets)
        assert loss <= empty_scorecard(targets).loss + 0.05
        assert loss == pytest.approx(targets.loss(slope * sums + offsets))
        for factor in (0.9, 1.1):
            assert targets.loss(factor * slope * sums + offsets) >= loss - 0.05
