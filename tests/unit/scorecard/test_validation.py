"""How the search and the size are chosen, and how the chosen one is calibrated."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.metrics import log_loss

from clausal.outcome import make_outcome
from clausal.scorecard.calibration import fit_slope
from clausal.scorecard.held_out import FoldPredictions
from clausal.scorecard.rows import SearchRows
from clausal.scorecard.scoring import Scoring
from clausal.scorecard.validation import (
    Validated,
    calibrate,
    choose,
    validate,
)


def made(scores, losses):
    return Validated(scores, losses.mean(), np.ones(len(losses)), 1.0, lambda: losses)


def validated_at(*scores, losses=(0.5, 0.5, 0.5, 0.5)):
    n = len(scores)
    return made(np.array(scores), np.array(losses[:n]))


def test_the_smallest_size_close_to_the_best_wins():
    validated = {
        (0, 0): validated_at(0.5, 0.6, 0.4, 0.5),
        (0, 1): validated_at(0.78, 0.80, 0.83, 0.795),  # slightly worse than the best
        (0, 2): validated_at(0.79, 0.80, 0.82, 0.80),
        (1, 2): validated_at(0.9, 0.5, 0.9, 0.5),
    }
    assert choose(validated, 0.5) == (0, 1)


def test_a_small_difference_on_every_fold_is_not_close():
    validated = {(0, 0): validated_at(0.79, 0.69, 0.89, 0.75), (0, 1): validated_at(0.80, 0.70, 0.90, 0.77)}
    assert choose(validated, 0.5) == (0, 1)


def test_a_size_that_is_worse_by_log_loss_is_not_chosen():
    small = validated_at(0.7, 0.8, 0.7, 0.8, losses=(0.6, 0.7, 0.6, 0.7))
    large = validated_at(0.7, 0.8, 0.7, 0.8, losses=(0.4, 0.5, 0.4, 0.5))
    assert choose({(0, 0): small, (0, 1): large}, 0.5) == (0, 1)
    assert choose(
        {(0, 0): validated_at(0.7, 0.8, 0.7, 0.8), (0, 1): validated_at(0.7, 0.8, 0.7, 0.8)}, 0.5
    ) == (
        0,
        0,
    )


def test_where_score_and_log_loss_disagree_log_loss_decides():
    scored = validated_at(0.9, 0.8, 0.9, 0.8, losses=(0.9, 0.8, 0.9, 0.8))
    calibrated = validated_at(0.7, 0.6, 0.7, 0.6, losses=(0.4, 0.3, 0.4, 0.3))
    assert choose({(0, 0): scored, (0, 1): calibrated}, 0.5) == (0, 1)


def test_the_search_of_the_lowest_log_loss_wins_whatever_its_size_and_score():
    small = validated_at(0.8, 0.8, 0.9, 0.9, losses=(0.41, 0.41, 0.41, 0.41))
    large = validated_at(0.8, 0.8, 0.8, 0.8, losses=(0.4, 0.4, 0.4, 0.4))
    poor = validated_at(0.5, 0.6, 0.5, 0.5, losses=(0.7, 0.7, 0.7, 0.7))
    validated = {(0, 0): small, (0, 1): poor, (1, 0): poor, (1, 1): large}
    assert choose(validated, 0.5) == (1, 1)
    assert choose({(1 - search, size): one for (search, size), one in validated.items()}, 0.5) == (0, 1)


def test_a_size_is_compared_with_the_best_of_its_own_search():
    better = validated_at(0.9, 0.9, 0.9, 0.9, losses=(0.60, 0.39, 0.50, 0.49))  # by score; close by log-loss
    large = validated_at(0.7, 0.8, 0.7, 0.8, losses=(0.49, 0.49, 0.48, 0.49))
    worse = validated_at(0.7, 0.8, 0.7, 0.8, losses=(0.50, 0.50, 0.50, 0.50))
    close = validated_at(0.7, 0.8, 0.7, 0.8, losses=(0.51, 0.46, 0.48, 0.51))
    assert choose({(0, 0): worse, (0, 1): large, (1, 1): better}, 0.5) == (0, 1)
    assert choose({(0, 0): close, (0, 1): large, (1, 1): better}, 0.5) == (0, 0)


def test_of_equal_searches_the_first_wins():
    equal = validated_at(0.7, 0.8, 0.7, 0.8)
    assert choose({(1, 0): equal, (0, 1): equal, (0, 0): equal}, 0.5) == (0, 0)


def test_a_search_that_is_about_as_good_as_the_best_is_preferred():
    best = validated_at(0.8, 0.8, 0.8, 0.8, losses=(0.40, 0.50, 0.30, 0.60))
    about_as_good = validated_at(0.8, 0.8, 0.8, 0.8, losses=(0.50, 0.45, 0.40, 0.49))
    worse = validated_at(0.8, 0.8, 0.8, 0.8, losses=(0.50, 0.60, 0.40, 0.70))
    assert choose({(0, 0): about_as_good, (1, 0): best}, 0.5) == (0, 0)
    assert choose({(0, 0): worse, (1, 0): best}, 0.5) == (1, 0)


def test_a_search_with_a_clearly_lower_score_is_not_preferred():
    best = validated_at(0.8, 0.8, 0.8, 0.8, losses=(0.40, 0.50, 0.30, 0.60))
    lower = validated_at(0.7, 0.75, 0.8, 0.7, losses=(0.50, 0.45, 0.40, 0.49))
    noisy = validated_at(0.7, 0.9, 0.7, 0.85, losses=(0.50, 0.45, 0.40, 0.49))
    assert choose({(0, 0): lower, (1, 0): best}, 0.5) == (1, 0)
    assert choose({(0, 0): noisy, (1, 0): best}, 0.5) == (0, 0)


def test_parsimony_is_the_number_of_errors_that_a_size_may_be_worse():
    small = validated_at(0.7, 0.8, 0.7, 0.8, losses=(0.42, 0.40, 0.43, 0.39))
    large = validated_at(0.7, 0.8, 0.7, 0.8, losses=(0.40, 0.40, 0.40, 0.40))
    both = {(0, 0): small, (0, 1): large}  # worse by .01, with an error of .009 and .001
    assert [choose(both, errors) for errors in (0, 0.9, 1.1, 3)] == [(0, 1), (0, 1), (0, 0), (0, 0)]


def test_more_rows_with_the_same_losses_make_a_difference_clearer():
    both = {
        (0, 0): validated_at(0.7, 0.8, 0.7, 0.8, losses=(0.42, 0.40, 0.43, 0.39)),
        (0, 1): validated_at(0.7, 0.8, 0.7, 0.8, losses=(0.40, 0.40, 0.40, 0.40)),
    }
    many = {key: made(one.scores, np.tile(one.losses, 20)) for key, one in both.items()}
    assert choose(both, 2.0) == (0, 0)
    assert choose(many, 2.0) == (0, 1)


def rows_of(codes):
    """Rows with class codes, of which validation reads nothing else."""
    outcome = make_outcome(np.arange(max(codes) + 1))
    n = len(codes)
    return SearchRows(np.array(codes), np.ones(n), None, outcome, None, None)


def held_out(codes, log_odds, n_folds=4):
    """Rows and the predictions of one search of one size for all of them, in equal folds."""
    rows = rows_of(codes)
    scores = np.rint(np.atleast_2d(log_odds) * 256).astype(np.int32)
    parts = np.array_split(np.arange(len(codes)), n_folds)
    folds = [
        FoldPredictions(part, np.ones(len(part)), scores[None, None][..., part], np.ones((1, 1), np.intp))
        for part in parts
    ]
    return rows, folds


def test_scores_and_losses_are_those_of_the_held_out_rows():
    rng = np.random.default_rng(0)
    codes, log_odds = rng.integers(0, 2, 40), rng.normal(size=40)
    rows, folds = held_out(codes, log_odds)
    one = validate(rows, folds, Scoring("accuracy", rows.outcome))[0, 0]
    x = np.rint(log_odds * 256)[:, None] / 256
    slope, offset = fit_slope(x, codes[:, None].astype(float), np.ones(40))
    p = expit(slope * x[:, 0] + offset[0])
    assert one.loss == pytest.approx(log_loss(codes, p), rel=1e-9)
    assert one.scores.tolist() == [
        np.mean((p >= 0.5)[part] == codes[part]) for part in np.split(np.arange(40), 4)
    ]


def test_calibration_gives_the_frequencies_of_the_held_out_rows():
    rng = np.random.default_rng(1)
    true = rng.normal(size=4000)
    codes = (rng.random(4000) < expit(true)).astype(int)
    rows, folds = held_out(codes, 3 * true - 1)
    found = calibrate(rows, folds, (0, 0), Scoring("accuracy", rows.outcome))
    assert found.slope == pytest.approx(1 / 3, abs=0.03)
    assert found.offsets[0] == pytest.approx(1 / 3, abs=0.1)
    assert found.cut_off == 0.5
    assert found.remarks == ()


def test_rules_that_are_not_clearly_better_than_the_class_shares_are_remarked_upon():
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 2, 60)
    rows, folds = held_out(codes, rng.normal(size=60) + 0.4 * codes)
    calibration = calibrate(rows, folds, (0, 0), Scoring("f1", rows.outcome))
    (said,) = calibration.remarks
    assert "do not predict clearly better than the shares of the classes" in said
    assert calibration.is_informative


def test_scores_that_are_lower_for_the_positive_class_carry_no_information():
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 2, 60)
    rows, folds = held_out(codes, rng.normal(size=60) - codes)
    calibration = calibrate(rows, folds, (0, 0), Scoring("f1", rows.outcome))
    (said,) = calibration.remarks
    assert "the scorecard has no rules and always predicts the largest class" in said
    assert not calibration.is_informative


@pytest.mark.parametrize("factor", [0.5, 1.0, 3.0])
def test_a_larger_spread_of_the_final_scorecard_has_a_smaller_slope(factor):
    rng = np.random.default_rng(0)
    log_odds = rng.normal(size=2_000)
    codes = (rng.random(2_000) < expit(2.0 * log_odds - 1.0)).astype(np.intp)
    rows, folds = held_out(codes, log_odds)
    calibration = calibrate(rows, folds, (0, 0), Scoring("accuracy", rows.outcome))
    slope, offsets = calibration.on(rows, factor * log_odds[:, None] + 5.0)
    assert slope == pytest.approx(calibration.slope / factor, rel=0.01)
    p = expit(slope * (factor * log_odds + 5.0) + offsets[0])
    assert p.mean() == pytest.approx(codes.mean(), abs=1e-4)  # the offset is fitted again
