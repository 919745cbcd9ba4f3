"""From scores to probabilities: the loss of held-out rows, and the slope and offsets that fit them best.

All sums are sums of integers, and exp and log are our own (engine/exact_math.py), so that the results are the
same bits on every computer. One bank: the sigmoid of the log-odds is the probability of the positive class. K
banks: the softmax of the log-odds gives the K probabilities. Not here: the decision cut-off (cut_off.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from clausal.engine.exact_math import exact_exp, exact_log
from clausal.outcome import Outcome

if TYPE_CHECKING:
    from clausal.scorecard.rows import SearchRows

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Codes = NDArray[np.integer]

_BLOCK_ROWS = 2**20  # that a sum copies at a time
_MAX_LOG_ODDS = 16.0
_MAX_STEPS = 30
_SMALL_GAIN = 1e-7  # of the loss, per unit of weight
_SLOPE_RIDGE = 1e-3  # if the scores separate the classes, this keeps the slope finite
_OFFSET_RIDGE = 1e-6  # a softmax does not change when all offsets shift; this makes them unique
MAX_RATIO = 4.0  # of the spreads in folds and in the final scorecard, which may have no rules
MIN_SLOPE = 0.05  # if the validation scores carry no information


def exact_sum(values: Floats) -> Floats:
    """The sum of values [n, ...] over the rows, in an order that does not matter."""
    largest = float(max(values.max(initial=0.0), -values.min(initial=0.0)))
    bits = 62 - int(np.frexp(largest)[1]) - len(values).bit_length()
    total = np.zeros(values.shape[1:], np.int64)
    for start in range(0, len(values), _BLOCK_ROWS):
        total += np.rint(np.ldexp(values[start : start + _BLOCK_ROWS], bits)).astype(np.int64).sum(axis=0)
    return np.asarray(np.ldexp(total.astype(np.float64), -bits), np.float64)


def probabilities(log_odds: Floats) -> Floats:
    """The probability of each bank's class, [n, banks], from log-odds [n, banks]."""
    powers = exact_exp(np.clip(log_odds, -_MAX_LOG_ODDS, _MAX_LOG_ODDS))
    if powers.shape[1] == 1:
        return np.asarray(powers / (1.0 + powers))
    total = np.zeros(len(powers))
    for bank in range(powers.shape[1]):
        total = total + powers[:, bank]
    return np.asarray(powers / total[:, None])


def row_losses(log_odds: Floats, codes: Codes) -> Floats:
    """The log-loss of each row [n], from log-odds [n, banks] and class codes [n]."""
    p = probabilities(log_odds)[np.arange(len(codes)), codes if log_odds.shape[1] > 1 else 0]
    return -exact_log(p if log_odds.shape[1] > 1 else np.where(codes == 1, p, 1.0 - p))


def fit_slope(
    log_odds: Floats,
    shares: Floats,
    weights: Floats,
    fixed: float | None = None,
    start: tuple[float, Floats] | None = None,
) -> tuple[float, Floats]:
    """The slope, at least MIN_SLOPE, and the offsets [banks] with which slope * log_odds + offsets fits best.

    Parameters
    ----------
    log_odds : float64 [n, banks]
    shares : float64 [n, banks], 1 where a row is of the bank's class and 0 elsewhere
    weights : float64 [n]
    fixed : the slope, if only the offsets are fitted
    start : slope and offsets near the best ones
    """
    n_banks = log_odds.shape[1]
    slope, offsets = start or (1.0, np.zeros(n_banks))
    slope = slope if fixed is None else fixed
    first = 0 if fixed is None else 1  # of the slope and the offsets, which are fitted from here on
    ridge = np.array([_SLOPE_RIDGE, *[_OFFSET_RIDGE] * n_banks])
    loss, p = _objective(slope, offsets, log_odds, shares, weights)
    smallest = _SMALL_GAIN * float(exact_sum(weights))
    for _ in range(_MAX_STEPS):
        gradient, curvature = _derivatives(p, log_odds, shares, weights)
        gradient -= ridge * np.array([slope, *offsets])
        curvature += np.diag(ridge)
        step = [0.0] * first + solve(curvature[first:, first:].tolist(), gradient[first:].tolist())
        expected = 0.0
        for change, slope_of_loss in zip(step, gradient.tolist(), strict=True):
            expected += 0.5 * change * slope_of_loss
        if expected <= smallest:
            slope, offsets = slope + step[0], offsets + np.array(step[1:])
            break
        factor = 1.0
        while True:
            tried = slope + factor * step[0], offsets + factor * np.array(step[1:])
            tried_loss, tried_p = _objective(*tried, log_odds, shares, weights)
            if tried_loss <= loss or factor < 1e-3:
                break
            factor /= 2
        if tried_loss > loss:
            break
        (slope, offsets), loss, p = tried, tried_loss, tried_p
    if slope >= MIN_SLOPE or fixed is not None:
        return float(slope), offsets
    return MIN_SLOPE, offsets + (slope - MIN_SLOPE) * exact_sum(weights[:, None] * log_odds) / exact_sum(
        weights
    )


def spread_of(log_odds: Floats, weights: Floats) -> float:
    """The standard deviation of log-odds [n, banks], over rows and banks."""
    total = exact_sum(weights)
    centered = log_odds - exact_sum(weights[:, None] * log_odds) / total
    return float(np.sqrt(exact_sum(weights[:, None] * centered * centered).sum() / total))


def _objective(
    slope: float, offsets: Floats, log_odds: Floats, shares: Floats, weights: Floats
) -> tuple[float, Floats]:
    """The loss with the ridge penalty, and the probabilities [n, banks]."""
    p = probabilities(slope * log_odds + offsets)
    if shares.shape[1] == 1:
        logs = exact_log(np.maximum(np.concatenate([p, 1.0 - p], axis=1), 1e-300))
        losses = -(shares * logs[:, :1]) - (1.0 - shares) * logs[:, 1:]
    else:
        losses = -(shares * exact_log(np.maximum(p, 1e-300)))
    penalty = _SLOPE_RIDGE * slope * slope
    for offset in offsets.tolist():
        penalty += _OFFSET_RIDGE * offset * offset
    return float(exact_sum(weights[:, None] * losses).sum()) + 0.5 * penalty, p


def _derivatives(p: Floats, x: Floats, shares: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Minus the gradient [1 + banks] and the curvature of the loss, for the slope and the offsets."""
    w = weights[:, None]
    n_banks = x.shape[1]
    residual = w * (shares - p)
    if n_banks == 1:
        h = w * p * (1.0 - p)
        sums = exact_sum(np.concatenate([residual * x, residual, h * x * x, h * x, h], axis=1))
        return sums[:2], sums[[2, 3, 3, 4]].reshape(2, 2)
    gradient = np.array([exact_sum(residual * x).sum(), *exact_sum(residual)])
    curvature = np.empty((n_banks + 1, n_banks + 1))
    mean = np.zeros(len(x))
    for bank in range(n_banks):
        mean = mean + p[:, bank] * x[:, bank]
    curvature[0, 0] = exact_sum(w * p * x * (x - mean[:, None])).sum()
    curvature[0, 1:] = curvature[1:, 0] = exact_sum(w * p * (x - mean[:, None]))
    for bank in range(n_banks):
        own = w * p * (np.eye(n_banks)[bank] - p[:, [bank]])
        curvature[1 + bank, 1:] = exact_sum(own)
    return gradient, curvature


def solve(matrix: list[list[float]], vector: list[float]) -> list[float]:
    """Solve a small linear system by Gaussian elimination, with the same operations everywhere."""
    n = len(vector)
    rows: list[list[Any]] = [[*row, value] for row, value in zip(matrix, vector, strict=True)]
    for k in range(n):
        pivot = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for i in range(k + 1, n):
            factor = rows[i][k] / rows[k][k]
            rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k], strict=True)]
    result = [0.0] * n
    for k in range(n - 1, -1, -1):
        left = rows[k][n]
        for j in range(k + 1, n):
            left -= rows[k][j] * result[j]
        result[k] = left / rows[k][k]
    return result


def fit_row_slope(
    outcome: Outcome,
    codes: Codes,
    weights: Floats,
    log_odds: Floats,
    fixed: float | None = None,
    start: tuple[float, Floats] | None = None,
) -> tuple[float, Floats]:
    """`fit_slope` for rows with class codes [n]; those with equal log-odds count as one."""
    if outcome.positive is None:
        return fit_slope(log_odds, outcome.shares(codes), weights, fixed, start)
    scores, index = np.unique(log_odds[:, 0], return_inverse=True)  # a few hundred
    return fit_shared_slope(scores[:, None], index, codes, weights, fixed, start)


def fit_shared_slope(
    log_odds: Floats,
    index: NDArray[np.integer],
    codes: Codes,
    weights: Floats,
    fixed: float | None = None,
    start: tuple[float, Floats] | None = None,
) -> tuple[float, Floats]:
    """`fit_slope` for rows of two classes, whose log-odds are those at their `index` [n]."""
    totals = np.bincount(index, weights, len(log_odds))
    positives = np.bincount(index, weights * codes, len(log_odds))
    shares = (positives / totals)[:, None]
    return fit_slope(log_odds, shares, totals.astype(np.float64), fixed, start)


@dataclass(frozen=True, eq=False)
class Calibration:
    """How the scores of the chosen search and size become probabilities and decisions.

    Attributes
    ----------
    slope, offsets : the calibrated log-odds are slope * log-odds + offsets
    cut_off : the probability from which on the positive class is predicted; nan for more than two classes
    remarks : what the user should know
    spread : the standard deviation of the log-odds; 0 if they could not be calibrated
    """

    slope: float
    offsets: Floats
    cut_off: float
    remarks: tuple[str, ...]
    spread: float = 0.0

    @property
    def is_informative(self) -> bool:
        """Whether higher scores went with higher shares of a class in the validation rows."""
        return self.spread == 0.0 or self.slope > MIN_SLOPE

    def on(self, rows: SearchRows, log_odds: Floats) -> tuple[float, Floats]:
        """The slope and the offsets for log-odds [n, banks] of the scorecard on all rows.

        A penalty shrinks a scorecard of fewer rows more, and its slope makes up for that: the slope is scaled
        to the spread of these log-odds, and the offsets are fitted to all rows.
        """
        if self.spread == 0.0:
            return self.slope, self.offsets
        spread = max(spread_of(log_odds, rows.weights), self.spread / MAX_RATIO)
        slope = self.slope * self.spread / spread
        mean = exact_sum(rows.weights[:, None] * log_odds) / exact_sum(rows.weights)
        offsets = fit_row_slope(rows.outcome, rows.codes, rows.weights, log_odds - mean, slope)[1]
        return slope, offsets - slope * mean
