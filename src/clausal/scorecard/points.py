"""Integer points for the selected rules, and integer constants for the classes.

Not here: which rules are selected (selection.py), the constant of a two-class scorecard (cut_off.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.scorecard.candidates import Candidates
from clausal.scorecard.logistic import Fit, Floats, Indices, Targets, fit_intercepts, fit_slope
from clausal.scorecard.selection import Selection

Points = NDArray[np.int64]

_LARGEST_POINTS = (1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 30, 50, 100)
_MIN_GAIN = 1e-6  # of the loss
_MAX_PASSES = 5  # of changing points one by one


@dataclass(frozen=True, eq=False)
class Scorecard:
    """Selected rules with integer points.

    Attributes
    ----------
    rules : intp [k], indices of candidates
    banks : intp [k], the bank that each rule adds points to
    points : int64 [k], none of them 0
    slope : float, log-odds per point
    offsets : float64 [banks], the log-odds at 0 points
    n_literals : int
    loss : float, of the log-odds on the training rows
    """

    rules: Indices
    banks: Indices
    points: Points
    slope: float
    offsets: Floats
    n_literals: int
    loss: float

    def log_odds(self, fires: NDArray[Any]) -> Floats:
        """Log-odds [n, banks] from the outputs of all candidates [n, candidates]."""
        return self.log_odds_of_rules(fires[:, self.rules])

    def log_odds_of_rules(self, fires: NDArray[Any]) -> Floats:
        """Log-odds [n, banks] from the outputs of this scorecard's rules [n, k]."""
        return self.slope * totals(fires, self.banks, self.points, len(self.offsets)) + self.offsets


def totals(fires: NDArray[Any], banks: Indices, points: Points, n_banks: int) -> Floats:
    """The sum of points per bank, [n, banks], from the outputs of the selected rules [n, k]."""
    per_bank = np.zeros((len(points), n_banks))
    per_bank[np.arange(len(points)), banks] = points
    result: Floats = fires @ per_bank
    return result


def empty_scorecard(targets: Targets) -> Scorecard:
    """A scorecard without rules: it predicts the class frequencies."""
    no_rules = np.array([], np.intp)
    fit = fit_intercepts(targets)
    return Scorecard(no_rules, no_rules, np.array([], np.int64), 1.0, fit.intercepts, 0, fit.loss)


def integer_points(
    selection: Selection, candidates: Candidates, targets: Targets, max_points: int
) -> Scorecard:
    """Round the coefficients of a selection to points, at a low loss.

    First, the coefficients are scaled so that the largest becomes 1, 2, 3, ... points, and rounded. The scale
    with the lowest loss is kept (the smaller one on a tie). Then single points change by one while this
    lowers the loss; slope and offsets are fitted again after each pass.
    """
    fires = candidates.columns(selection.rules)
    coefficients = selection.fit.coefficients
    size = np.abs(coefficients).max()
    best_loss, best, slope = np.inf, np.ones(len(coefficients), np.int64), 1.0
    for largest in (scale for scale in _LARGEST_POINTS if scale <= max_points):
        scaled = coefficients * (largest / size)
        points = np.where(scaled < 0, -1, 1) * np.maximum(np.abs(np.rint(scaled)), 1).astype(np.int64)
        sums = totals(fires, selection.banks, points, targets.n_banks)
        loss = targets.loss(sums * (size / largest) + selection.fit.intercepts)
        if loss < best_loss - _MIN_GAIN:
            best_loss, best, slope = loss, points, size / largest
    card = _fit_scorecard(best, fires, selection, targets, (slope, selection.fit.intercepts))
    for _ in range(_MAX_PASSES):
        improved = _improve_points(card, fires, targets, max_points)
        if np.array_equal(improved, card.points):
            break
        card = _fit_scorecard(improved, fires, selection, targets, (card.slope, card.offsets))
    return card


def _fit_scorecard(
    points: Points, fires: Floats, selection: Selection, targets: Targets, start: tuple[float, Floats]
) -> Scorecard:
    """Fit slope and offsets to the points, from the slope and offsets in `start`.

    The two initial values belong together. If the points separate the classes perfectly, Newton's method does
    not recover from a steep slope with the offsets of another slope.
    """
    sums = totals(fires, selection.banks, points, targets.n_banks)
    slope, offsets, loss = fit_slope(sums, targets, Fit(np.array([start[0]]), start[1], sums, np.nan))
    return Scorecard(selection.rules, selection.banks, points, slope, offsets, selection.n_literals, loss)


def _improve_points(card: Scorecard, fires: Floats, targets: Targets, max_points: int) -> Points:
    """One pass over the rules: change points by one, keeping signs, where this lowers the loss."""
    points = card.points.copy()
    scores = card.log_odds_of_rules(fires)
    loss = targets.loss(scores)
    for index, bank in enumerate(card.banks):
        for step in (1, -1):
            changed = points[index] + step
            if changed == 0 or abs(changed) > max_points:
                continue
            tried = scores.copy()
            tried[:, bank] += card.slope * step * fires[:, index]
            if targets.loss(tried) < loss - _MIN_GAIN:
                points[index], scores, loss = changed, tried, targets.loss(tried)
                break
    return points


def integer_constants(
    card: Scorecard, fires: NDArray[Any], targets: Targets, slope: float, offsets: Floats
) -> list[int]:
    """The integer constants of K > 2 banks, near offsets / slope.

    Rounding can leave two classes with equal votes on many rows, where the first class would win. A constant
    therefore changes by one if this increases the number of correct decisions and does not increase the loss.
    """
    votes = totals(fires[:, card.rules], card.banks, card.points, len(offsets))

    def evaluate(constants: Floats) -> tuple[float, float]:
        correct = (votes + constants).argmax(axis=1) == targets.share.argmax(axis=1)
        return float(targets.weights @ correct), targets.loss(slope * (votes + constants))

    constants = np.clip(np.rint(offsets / slope), -(2**31), 2**31)
    best_correct, best_loss = evaluate(constants)
    for bank, step in [(bank, step) for bank in range(len(offsets)) for step in (1.0, -1.0)]:
        tried = constants.copy()
        tried[bank] += step
        correct, loss = evaluate(tried)
        if correct > best_correct and loss <= best_loss:
            constants, best_correct, best_loss = tried, correct, loss
    return [int(constant) for constant in constants]
