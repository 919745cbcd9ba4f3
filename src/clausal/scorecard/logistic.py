"""Logistic regression with a ridge penalty on a few 0/1 columns, by Newton's method.

One bank: the sigmoid of the score is the probability of the positive class. K banks: the softmax of the
scores gives the K probabilities. Each column adds its coefficient to the score of one bank. `fit_slope`
calibrates sums of points. Not here: which columns are tried (selection.py).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_softmax, softmax

from clausal.outcome import Outcome

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

_MAX_STEPS = 25
# Converged: the objective changes by less than _SMALL_GAIN and no coefficient by _SMALL_STEP.
_SMALL_GAIN = 1e-6
_SMALL_STEP = 0.05
_INTERCEPT_RIDGE = 1e-6  # a softmax does not change when all intercepts shift; this makes them unique
_SLOPE_RIDGE = 1e-3


@dataclass(frozen=True, eq=False)
class Targets:
    """What the scores should predict.

    Attributes
    ----------
    share : float64 [n, banks], 1 where a row is of the bank's class (the positive class, with one bank) and 0
        elsewhere, or a probability of that class (search.py)
    weights : float64 [n], sample weights
    """

    share: Floats
    weights: Floats

    @classmethod
    def of(cls, codes: NDArray[np.integer], outcome: Outcome, weights: Floats | None = None) -> Targets:
        """Targets of class indices [n]; all weights are 1 if None are given."""
        return cls(outcome.shares(codes), np.ones(len(codes)) if weights is None else weights)

    @property
    def n_banks(self) -> int:
        """1 for two classes, K for K > 2 classes."""
        return int(self.share.shape[1])

    def take(self, rows: Indices) -> Targets:
        """The targets of some rows."""
        return Targets(self.share[rows], self.weights[rows])

    def probabilities(self, scores: Floats) -> Floats:
        """The probability of each bank's class, [n, banks]."""
        result: Floats = expit(scores) if self.n_banks == 1 else softmax(scores, axis=1)
        return result

    def loss(self, scores: Floats) -> float:
        """The weighted negative log-likelihood of the scores [n, banks]."""
        if self.n_banks == 1:
            per_row = np.logaddexp(0.0, scores[:, 0]) - self.share[:, 0] * scores[:, 0]
        else:
            per_row = -(self.share * log_softmax(scores, axis=1)).sum(axis=1)
        return float(self.weights @ per_row)

    def negative_gradient(self, scores: Floats) -> Floats:
        """Minus the derivative of the loss with respect to each score, [n, banks]."""
        result: Floats = (self.share - self.probabilities(scores)) * self.weights[:, None]
        return result

    def curvature(self, scores: Floats) -> Floats:
        """The second derivative of the loss with respect to each score, [n, banks]."""
        p = self.probabilities(scores)
        curvature: Floats = p * (1.0 - p) * self.weights[:, None]
        return curvature


@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted logistic regression.

    Attributes
    ----------
    coefficients : float64 [columns]
    intercepts : float64 [banks]
    scores : float64 [n, banks], of the training rows
    loss : float, without the penalty
    """

    coefficients: Floats
    intercepts: Floats
    scores: Floats
    loss: float


def fit_logistic(
    columns: Floats, banks: Indices, targets: Targets, ridge: float, start: Fit | None = None
) -> Fit:
    """Fit the coefficients of 0/1 columns [n, columns] with a ridge penalty.

    Column j adds its coefficient to the score of bank `banks[j]`. `start` holds initial values; it may have
    fewer coefficients (those of the first columns), and the others start at 0.
    """
    n, n_columns = columns.shape
    n_banks = targets.n_banks
    design = np.hstack([columns, np.ones((n, n_banks))])
    bank_of = np.concatenate([banks, np.arange(n_banks)])
    penalty = np.concatenate([np.full(n_columns, ridge), np.full(n_banks, _INTERCEPT_RIDGE)])
    coefficients = np.zeros(n_columns + n_banks)  # the intercepts last
    if start is not None:
        coefficients[: len(start.coefficients)] = start.coefficients
        coefficients[n_columns:] = start.intercepts

    def objective(at: Floats) -> tuple[float, Floats]:
        scores = np.zeros((n, n_banks))
        for bank in range(n_banks):
            scores[:, bank] = design[:, bank_of == bank] @ at[bank_of == bank]
        return targets.loss(scores) + 0.5 * float(penalty @ at**2), scores

    best, scores = objective(coefficients)
    for _ in range(_MAX_STEPS):
        by_score = targets.negative_gradient(scores)
        negative_gradient = np.einsum("na,na->a", design, by_score[:, bank_of]) - penalty * coefficients
        hessian = _hessian(design, bank_of, targets, scores) + np.diag(penalty)
        step = np.linalg.solve(hessian, negative_gradient)
        step_size = 1.0
        while step_size > 1e-3:
            tried, tried_scores = objective(coefficients + step_size * step)
            if tried <= best:
                break
            step_size /= 2
        else:
            break
        converged = best - tried < _SMALL_GAIN and np.abs(step).max() < _SMALL_STEP
        coefficients, best, scores = coefficients + step_size * step, tried, tried_scores
        if converged:
            break
    return Fit(coefficients[:n_columns], coefficients[n_columns:], scores, targets.loss(scores))


def left_out_scores(columns: Floats, targets: Targets, fit: Fit, ridge: float) -> Floats:
    """Approximate leave-one-out scores [n, 1]: of each row under a fit without it; one bank only.

    Each is one Newton step away from the fit on all rows, so nothing is fitted again. A row of weight 3
    counts as three rows, one of which is left out.
    """
    design = np.hstack([columns, np.ones((len(columns), 1))])
    penalty = np.append(np.full(columns.shape[1], ridge), _INTERCEPT_RIDGE)
    bank_of = np.zeros(design.shape[1], np.intp)
    hessian = _hessian(design, bank_of, targets, fit.scores) + np.diag(penalty)
    leverage = np.einsum("na,an->n", design, np.linalg.solve(hessian, design.T))
    leverage /= np.maximum(targets.weights, 1.0)
    negative_gradient, curvature = targets.negative_gradient(fit.scores), targets.curvature(fit.scores)
    step = leverage[:, None] * negative_gradient / (1.0 - leverage[:, None] * curvature)
    scores: Floats = fit.scores - step
    return scores


def _hessian(design: Floats, bank_of: Indices, targets: Targets, scores: Floats) -> Floats:
    """Second derivatives of the loss with respect to every pair of coefficients."""
    p, weights = targets.probabilities(scores), targets.weights
    if targets.n_banks == 1:
        return np.asarray((design * (p[:, 0] * (1 - p[:, 0]) * weights)[:, None]).T @ design)
    hessian = np.empty((design.shape[1],) * 2)
    for a in range(targets.n_banks):
        in_a = bank_of == a
        for b in range(targets.n_banks):
            in_b = bank_of == b
            second = weights * p[:, a] * ((a == b) - p[:, b])
            hessian[np.ix_(in_a, in_b)] = (design[:, in_a] * second[:, None]).T @ design[:, in_b]
    return hessian


# --- calibration: one slope for sums of points ---


def fit_slope(sums: Floats, targets: Targets, start: Fit | None = None) -> tuple[float, Floats, float]:
    """Fit log-odds = slope * sums [n, banks] + offsets.

    Returns the slope (never negative), the offsets [banks] and the loss.
    """
    if targets.n_banks == 1:
        fit = fit_logistic(sums, np.zeros(1, np.intp), targets, _SLOPE_RIDGE, start)
        slope = float(fit.coefficients[0])
        if slope > 0:
            return slope, fit.intercepts, fit.loss
    else:
        slope, offsets, loss = _softmax_slope(sums, targets)
        if slope > 0:
            return slope, offsets, loss
    constant = fit_intercepts(targets)
    return 0.0, constant.intercepts, constant.loss


def fit_intercepts(targets: Targets) -> Fit:
    """The fit without any column: intercepts only."""
    return fit_logistic(np.empty((len(targets.weights), 0)), np.array([], np.intp), targets, _SLOPE_RIDGE)


def _softmax_slope(sums: Floats, targets: Targets) -> tuple[float, Floats, float]:
    """`fit_slope` for K banks, which share one slope: Newton's method on the slope and the offsets."""
    parameters = np.zeros(1 + targets.n_banks)  # the slope, then the offsets

    def objective(at: Floats) -> float:
        return targets.loss(at[0] * sums + at[1:]) + 0.5 * _SLOPE_RIDGE * float(at @ at)

    best = objective(parameters)
    for _ in range(50):
        scores = parameters[0] * sums + parameters[1:]
        by_score, p = targets.negative_gradient(scores), targets.probabilities(scores)
        negative_gradient = np.concatenate([[(by_score * sums).sum()], by_score.sum(axis=0)])
        negative_gradient = negative_gradient - _SLOPE_RIDGE * parameters
        weighted = p * targets.weights[:, None]
        centered = sums - (p * sums).sum(axis=1, keepdims=True)
        hessian = np.empty((len(parameters),) * 2)
        hessian[0, 0] = (weighted * sums * centered).sum()
        hessian[0, 1:] = hessian[1:, 0] = (weighted * centered).sum(axis=0)
        hessian[1:, 1:] = np.diag(weighted.sum(axis=0)) - weighted.T @ p
        step = np.linalg.solve(hessian + _SLOPE_RIDGE * np.eye(len(parameters)), negative_gradient)
        while (tried := objective(parameters + step)) > best and np.abs(step).max() > 1e-9:
            step /= 2  # far from the optimum, a full Newton step may increase the loss
        if best - tried < 1e-9 * max(1.0, best):
            break
        parameters, best = parameters + step, tried
    return float(parameters[0]), parameters[1:], targets.loss(parameters[0] * sums + parameters[1:])
