"""The decision cut-off for a metric, and the constant that follows from it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.metrics import balanced_accuracy_score

from clausal.outcome import make_outcome
from clausal.scorecard.cut_off import choose_cut_off, constant_at, expected_f1_cut_off
from clausal.scorecard.scoring import Scoring

TWO = make_outcome(range(2))

RNG = np.random.default_rng(3)


@given(st.lists(st.tuples(st.integers(1, 19), st.integers(1, 3)), min_size=1, max_size=12))
def test_the_cut_off_has_the_highest_expected_f1(rows):
    p, w = np.array([row[0] for row in rows]) / 20, np.array([float(row[1]) for row in rows])

    def expected(cut_off):
        chosen = p >= cut_off
        return 2 * (w * p)[chosen].sum() / (w[chosen].sum() + (w * p).sum())

    best = max(expected(cut_off) for cut_off in np.unique(p))
    assert expected(expected_f1_cut_off(p, w)) == pytest.approx(best)


@pytest.mark.parametrize("name", ["accuracy", "roc_auc", "neg_log_loss"])
def test_one_half_if_the_metric_needs_no_other_cut_off(name):
    assert choose_cut_off(Scoring(name, TWO), RNG.random(30), np.ones(30, int), np.ones(30)) == 0.5


def test_other_metrics_get_the_cut_off_with_the_best_score():
    p = RNG.random(400)
    codes = (RNG.random(400) < 0.3 * p).astype(int)
    chosen = choose_cut_off(Scoring("balanced_accuracy", TWO), p, codes, np.ones(400))
    score = balanced_accuracy_score(codes, p >= chosen)
    assert score > balanced_accuracy_score(codes, p >= 0.95)
    assert (
        score >= max(balanced_accuracy_score(codes, p >= t) for t in np.quantile(p, [0.25, 0.5, 0.75])) - 0.02
    )


@given(st.floats(0.01, 0.99), st.floats(0.05, 3.0), st.floats(-5.0, 5.0))
def test_the_score_is_at_least_0_where_the_probability_is_at_least_the_cut_off(cut_off, slope, offset):
    constant = constant_at(cut_off, slope, offset)
    points = np.arange(-300, 301)
    probabilities = expit(slope * points + offset)
    clear = np.abs(probabilities - cut_off) > 1e-9  # not where rounding decides
    np.testing.assert_array_equal((points + constant >= 0)[clear], (probabilities >= cut_off)[clear])
