"""Whole points for selected rules, and whole constants for classes: a scorecard in place of coefficients.

Not here: which rules are selected (search.py), and where two classes are divided (compaction.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.scorecard.logistic import Fit, Floats, Places, Targets, fit_logistic
from clausal.scorecard.search import Candidates, Selection

Points = NDArray[np.int64]

_SLOPE_RIDGE = 1e-3
_LARGEST_POINTS = (1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 30, 50, 100)
_LEAST_GAIN = 1e-6
_MOST_PASSES = 5  # of moving points one by one


@dataclass(frozen=True, eq=False)
class Scorecard:
    """Selected rules with whole points.

    Attributes
    ----------
    rules : intp [k], places among the candidates
    banks : intp [k], whom each speaks to
    points : int64 [k], none of them 0
    slope : float, log-odds per point
    offsets : float64 [banks], log-odds of a score of 0
    n_literals : int
    loss : float, of the log-odds on the rows fitted
    """

    rules: Places
    banks: Places
    points: Points
    slope: float
    offsets: Floats
    n_literals: int
    loss: float

    def log_odds(self, fires: NDArray[Any]) -> Floats:
        """[n, banks] for candidates' outputs [n, candidates]."""
        return (
            self.slope * totals(fires[:, self.rules], self.banks, self.points, len(self.offsets))
            + self.offsets
        )


def totals(fires: NDArray[Any], banks: Places, points: Points, n_banks: int) -> Floats:
    """Points summed per bank, [n, banks], for outputs of the selected rules [n, k]."""
    spread = np.zeros((len(points), n_banks))
    spread[np.arange(len(points)), banks] = points
    result: Floats = fires @ spread
    return result


def plain_scorecard(targets: Targets) -> Scorecard:
    """A scorecard without rules: the log-odds are the classes' own."""
    none = np.array([], np.intp)
    fit = fit_logistic(np.empty((len(targets.weights), 0)), none, targets, _SLOPE_RIDGE)
    return Scorecard(none, none, np.array([], np.int64), 1.0, fit.intercepts, 0, fit.loss)


def whole_points(
    selection: Selection, candidates: Candidates, targets: Targets, max_points: int
) -> Scorecard:
    """The scorecard closest to a selection.

    Coefficients are scaled so that the largest gets 1, 2, ... points, and rounded; the scale of the lowest
    loss is kept (the smaller one among equals), then single points move by one while the loss falls, slope
    and offsets being fitted anew after each round of moves.
    """
    chosen = candidates.columns(selection.rules)
    real = selection.fit.coefficients
    size = np.abs(real).max()
    least, best, slope = np.inf, np.ones(len(real), np.int64), 1.0
    for largest in (scale for scale in _LARGEST_POINTS if scale <= max_points):
        scaled = real * (largest / size)
        points = np.where(scaled < 0, -1, 1) * np.maximum(np.abs(np.rint(scaled)), 1).astype(np.int64)
        sums = totals(chosen, selection.banks, points, targets.n_banks)
        loss = targets.loss(sums * (size / largest) + selection.fit.intercepts)
        if loss < least - _LEAST_GAIN:
            least, best, slope = loss, points, size / largest
    card = _scorecard(best, chosen, selection, targets, (slope, selection.fit.intercepts))
    for _ in range(_MOST_PASSES):
        polished = _polished(card, chosen, targets, max_points)
        if np.array_equal(polished, card.points):
            break
        card = _scorecard(polished, chosen, selection, targets, (card.slope, card.offsets))
    return card


def _scorecard(
    points: Points, chosen: Floats, selection: Selection, targets: Targets, near: tuple[float, Floats]
) -> Scorecard:
    """Points with the slope and offsets that fit them best; `near` is the slope and the offsets to start at.

    They belong together: where the classes are told apart without error, Newton's method does not come back
    from a steep slope with the offsets of another.
    """
    sums = totals(chosen, selection.banks, points, targets.n_banks)
    slope, offsets, loss = fit_slope(sums, targets, Fit(np.array([near[0]]), near[1], sums, np.nan))
    return Scorecard(selection.rules, selection.banks, points, slope, offsets, selection.n_literals, loss)


def _polished(card: Scorecard, chosen: Floats, targets: Targets, most: int) -> Points:
    """Points after one pass of single steps, keeping signs, that lower the loss at the same slope."""
    points = card.points.copy()
    scores = card.slope * totals(chosen, card.banks, points, targets.n_banks) + card.offsets
    loss = targets.loss(scores)
    for place, bank in enumerate(card.banks):
        for step in (1, -1):
            moved = points[place] + step
            if moved == 0 or abs(moved) > most:
                continue
            tried = scores.copy()
            tried[:, bank] += card.slope * step * chosen[:, place]
            if targets.loss(tried) < loss - _LEAST_GAIN:
                points[place], scores, loss = moved, tried, targets.loss(tried)
                break
    return points


def whole_constants(
    card: Scorecard, fires: NDArray[Any], targets: Targets, slope: float, offsets: Floats
) -> list[int]:
    """What each of several banks starts at, in whole points.

    Rounding alone can leave two classes level on many rows, which their order would then decide: a constant
    moves by one where more rows are decided rightly for it and the loss at this slope is no higher.
    """
    votes = totals(fires[:, card.rules], card.banks, card.points, len(offsets))

    def worth(constants: Floats) -> tuple[float, float]:
        right = (votes + constants).argmax(axis=1) == targets.share.argmax(axis=1)
        return float(targets.weights @ right), targets.loss(slope * (votes + constants))

    constants = np.clip(np.rint(offsets / slope), -(2**31), 2**31)
    most, least = worth(constants)
    for bank, step in [(bank, step) for bank in range(len(offsets)) for step in (1.0, -1.0)]:
        moved = constants.copy()
        moved[bank] += step
        right, loss = worth(moved)
        if right > most and loss <= least:
            constants, most, least = moved, right, loss
    return [int(constant) for constant in constants]


def fit_slope(sums: Floats, targets: Targets, start: Fit | None = None) -> tuple[float, Floats, float]:
    """Slope (never negative), offsets [banks] and loss of log-odds = slope * sums [n, banks] + offsets."""
    if targets.n_banks == 1:
        fit = fit_logistic(sums, np.zeros(1, np.intp), targets, _SLOPE_RIDGE, start)
        slope = float(fit.coefficients[0])
        if slope > 0:
            return slope, fit.intercepts, fit.loss
    else:
        slope, offsets, loss = _softmax_slope(sums, targets)
        if slope > 0:
            return slope, offsets, loss
    flat = fit_logistic(sums[:, :0], np.array([], np.intp), targets, _SLOPE_RIDGE)
    return 0.0, flat.intercepts, flat.loss


def _softmax_slope(sums: Floats, targets: Targets) -> tuple[float, Floats, float]:
    """The same for K banks, which share one slope: Newton's method on slope and offsets."""
    place = np.zeros(1 + targets.n_banks)

    def value(at: Floats) -> float:
        return targets.loss(at[0] * sums + at[1:]) + 0.5 * _SLOPE_RIDGE * float(at @ at)

    best = value(place)
    for _ in range(50):
        scores = place[0] * sums + place[1:]
        pull, p = targets.pull(scores), targets.probabilities(scores)
        slope = np.concatenate([[(pull * sums).sum()], pull.sum(axis=0)]) - _SLOPE_RIDGE * place
        weighted = p * targets.weights[:, None]
        centred = sums - (p * sums).sum(axis=1, keepdims=True)
        hessian = np.empty((len(place),) * 2)
        hessian[0, 0] = (weighted * sums * centred).sum()
        hessian[0, 1:] = hessian[1:, 0] = (weighted * centred).sum(axis=0)
        hessian[1:, 1:] = np.diag(weighted.sum(axis=0)) - weighted.T @ p
        step = np.linalg.solve(hessian + _SLOPE_RIDGE * np.eye(len(place)), slope)
        while (tried := value(place + step)) > best and np.abs(step).max() > 1e-9:
            step /= 2  # far from the optimum a whole step may lead away
        if best - tried < 1e-9 * max(1.0, best):
            break
        place, best = place + step, tried
    return float(place[0]), place[1:], targets.loss(place[0] * sums + place[1:])
