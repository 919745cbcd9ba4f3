"""The variance of a scorecard's calibrated log-odds at each score, for intervals of its risks.

It has two sources. The calibration was fitted to a limited number of held-out rows. And the scorecard would
have been another one if it had been learned from other rows, as the scorecards of the folds show. Not here:
the intervals (risk_table.py), the calibration (calibration.py, validation.py).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from clausal.engine.card_search import SCORE_UNIT
from clausal.scorecard.calibration import Floats, exact_sum, probabilities
from clausal.scorecard.final_card import FinalCard
from clausal.scorecard.risk_table import RiskErrors, RiskTable
from clausal.scorecard.rows import SearchRows
from clausal.scorecard.search_space import SearchSpace
from clausal.scorecard.validation import Calibration, FoldPredictions, HeldOut, Key

_SMALL_CURVATURE = 1e-3  # if all held-out rows have the same score, this keeps the variances finite
_NEAR = 0.5  # log-odds within which scores share their spread


def risk_table_of(
    space: SearchSpace, folds: list[FoldPredictions], key: Key, calibration: Calibration, card: FinalCard
) -> RiskTable | None:
    """The risks of a scorecard with two classes, and their errors; None with more classes.

    If a class has no held-out row, nothing is calibrated, and the errors are not known.
    """
    rows = space.rows
    if rows.outcome.positive is None:
        return None
    votes = rows.outcome.flat(card.votes)
    table = RiskTable.of(votes, rows.codes, rows.weights, card.slope, card.offset, rows.outcome.pos_label)
    held_out = HeldOut(rows, folds)
    if not held_out.has_every_class:
        return table
    variances = _calibration_variances(rows, held_out, key, calibration)
    spread = _spread(space, folds, key, calibration, table, votes)
    return replace(table, errors=_in_points(variances, calibration, table, spread, _factors(rows)))


def _factors(rows: SearchRows) -> tuple[float, float]:
    """The class weights of the two classes."""
    against, towards = (1.0, 1.0) if rows.class_factors is None else rows.class_factors.tolist()
    return against, towards


# --- the calibration ---


def _calibration_variances(
    rows: SearchRows, held_out: HeldOut, key: Key, calibration: Calibration
) -> tuple[float, float, float]:
    """The variance of the slope, its covariance with the offset, and the variance of the offset.

    The slope and the offset maximize a weighted likelihood, so that the variance is that of the sandwich:
    the inverse curvature, the variance of the gradient, the inverse curvature. A row of weight w counts as w
    rows; a class weight multiplies the gradient of a row instead. A row that is held out several times counts
    once. No probability counts as closer to 0 or 1 than the number of rows can tell.
    """
    x, index = np.unique(held_out.log_odds(key)[:, 0], return_inverse=True)
    weights = np.bincount(index, held_out.weights, len(x)) / _n_times(rows, held_out)
    p = probabilities((calibration.slope * x + calibration.offsets[0])[:, None])[:, 0]
    least = 1.0 / (2.0 + float(exact_sum(weights)))
    p = np.clip(p, least, 1.0 - least)
    against, towards = _factors(rows)
    h = weights * p * (1.0 - p)
    a, b, c = _moments(h, x)
    u, v, w = _moments(h * (towards * (1.0 - p) + against * p), x)
    a, c = a + _SMALL_CURVATURE, c + _SMALL_CURVATURE
    determinant = (a * c - b * b) ** 2
    return (
        (c * c * u - 2.0 * b * c * v + b * b * w) / determinant,
        ((a * c + b * b) * v - b * c * u - a * b * w) / determinant,
        (b * b * u - 2.0 * a * b * v + a * a * w) / determinant,
    )


def _n_times(rows: SearchRows, held_out: HeldOut) -> float:
    """How often a held-out row is held out, on average; of a row of weight w, w copies are."""
    weights = np.bincount(held_out.rows, held_out.weights, len(rows.codes)).astype(np.float64)
    return float(exact_sum(weights) / exact_sum(np.minimum(weights, rows.weights)))


def _moments(weights: Floats, x: Floats) -> tuple[float, float, float]:
    """The sums of weights times x squared, x, and 1."""
    return float(exact_sum(weights * x * x)), float(exact_sum(weights * x)), float(exact_sum(weights))


def _in_points(
    variances: tuple[float, float, float],
    calibration: Calibration,
    table: RiskTable,
    spread: Floats,
    factors: tuple[float, float],
) -> RiskErrors:
    """The same for scores: the log-odds before calibration are first + step * score."""
    own, both, offset = variances
    below = table.slope * table.scores + table.offset < 0
    step = table.slope / calibration.slope
    first = (table.offset - float(calibration.offsets[0])) / calibration.slope
    return RiskErrors(
        step * step * own,
        step * (first * own + both),
        max(first * first * own + 2.0 * first * both + offset, 0.0),
        spread,
        float(exact_sum(table.counts[below])) / max(factors[1], 1e-9),
        float(exact_sum(table.counts[~below])) / max(factors[0], 1e-9),
    )


# --- the scorecards of the folds ---


def _spread(
    space: SearchSpace,
    folds: list[FoldPredictions],
    key: Key,
    calibration: Calibration,
    table: RiskTable,
    votes: Floats,
) -> Floats:
    """The variance of the log-odds at each score over scorecards from other rows, by the jackknife.

    For the rows with a score of the final scorecard, the mean calibrated log-odds of each fold's scorecard is
    compared with that of the final one. A fold leaves out a share d of the rows, so that the squared
    difference is (1 - d) / d times too small or too large. Scores with similar log-odds share the mean of
    their variances, because some of them have few rows.
    """
    rows, (search, size) = space.rows, key
    index = np.searchsorted(table.scores, votes)
    log_odds: Floats = table.slope * table.scores.astype(np.float64) + table.offset
    squares = np.zeros(len(log_odds))
    for fold in folds:
        card = fold.cards[search].only(size)
        scores = space.table.scores(card, np.arange(len(rows.codes)))[0, 0].astype(np.float64) / SCORE_UNIT
        own = calibration.slope * scores + calibration.offsets[0]
        mean = np.bincount(index, rows.weights * own, len(log_odds)) / table.counts
        factor = (1.0 - fold.left_out) / max(fold.left_out, 1e-9)
        squares = squares + factor * (mean - log_odds) ** 2
    return _smooth(squares / len(folds), table.counts, log_odds)


def _smooth(values: Floats, weights: Floats, log_odds: Floats) -> Floats:
    """The weighted mean of the values at similar log-odds, which ascend."""
    first = np.searchsorted(log_odds, log_odds - _NEAR, side="left")
    last = np.searchsorted(log_odds, log_odds + _NEAR, side="right")
    sums, totals = (np.append(0.0, np.cumsum(part)) for part in (weights * values, weights))
    return np.asarray((sums[last] - sums[first]) / (totals[last] - totals[first]), np.float64)
