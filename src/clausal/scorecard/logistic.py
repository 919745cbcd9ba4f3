"""Penalised logistic regression on a few 0/1 columns, by Newton's method: the loss that compaction minimises.

One bank: the score's sigmoid is the probability of the second class. K banks: the softmax of the scores. Each
column adds its coefficient to the score of one bank. Not here: which columns are tried (search.py).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_softmax, softmax

from clausal.outcome import Outcome

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

_MOST_STEPS = 25
_SMALL_GAIN = 1e-6  # of the penalised loss, and _SMALL_STEP of a coefficient: then it is settled
_SMALL_STEP = 0.05
_INTERCEPT_RIDGE = 1e-6  # keeps the softmax's intercepts, which may all shift together, in place


@dataclass(frozen=True, eq=False)
class Targets:
    """What is to be predicted.

    Attributes
    ----------
    share : float64 [n, banks], 1 where a row is of the bank's class (of the second class, with one bank), or
        a teacher's probability of it
    weights : float64 [n], what each row counts
    """

    share: Floats
    weights: Floats

    @classmethod
    def of(cls, codes: NDArray[np.integer], outcome: Outcome, weights: Floats | None = None) -> Targets:
        """Targets of class indices [n]; rows weigh 1 where no weights are given."""
        return cls(outcome.shares(codes), np.ones(len(codes)) if weights is None else weights)

    @property
    def n_banks(self) -> int:
        """1 for two classes, K for K."""
        return int(self.share.shape[1])

    def take(self, rows: Places) -> Targets:
        """The targets of some rows."""
        return Targets(self.share[rows], self.weights[rows])

    def probabilities(self, scores: Floats) -> Floats:
        """Of each bank's class, [n, banks]."""
        result: Floats = expit(scores) if self.n_banks == 1 else softmax(scores, axis=1)
        return result

    def loss(self, scores: Floats) -> float:
        """Minus the weighted log-likelihood of the scores [n, banks]."""
        if self.n_banks == 1:
            per_row = np.logaddexp(0.0, scores[:, 0]) - self.share[:, 0] * scores[:, 0]
        else:
            per_row = -(self.share * log_softmax(scores, axis=1)).sum(axis=1)
        return float(self.weights @ per_row)

    def pull(self, scores: Floats) -> Floats:
        """Minus the loss's derivative by each score, [n, banks]."""
        pull: Floats = (self.share - self.probabilities(scores)) * self.weights[:, None]
        return pull

    def curvature(self, scores: Floats) -> Floats:
        """The loss's second derivative by each score alone, [n, banks]."""
        p = self.probabilities(scores)
        curvature: Floats = p * (1.0 - p) * self.weights[:, None]
        return curvature


@dataclass(frozen=True, eq=False)
class Fit:
    """Fitted coefficients.

    Attributes
    ----------
    coefficients : float64 [columns]
    intercepts : float64 [banks]
    scores : float64 [n, banks], of the rows fitted
    loss : float, without the penalty
    """

    coefficients: Floats
    intercepts: Floats
    scores: Floats
    loss: float


def fit_logistic(
    columns: Floats, banks: Places, targets: Targets, ridge: float, start: Fit | None = None
) -> Fit:
    """Coefficients of 0/1 columns [n, columns], each speaking to its bank, under a ridge penalty.

    `start` may hold fewer coefficients (those of the first columns): the others start at 0.
    """
    n, n_columns = columns.shape
    n_banks = targets.n_banks
    design = np.hstack([columns, np.ones((n, n_banks))])
    bank_of = np.concatenate([banks, np.arange(n_banks)])
    penalty = np.concatenate([np.full(n_columns, ridge), np.full(n_banks, _INTERCEPT_RIDGE)])
    place = np.zeros(n_columns + n_banks)
    if start is not None:
        place[: len(start.coefficients)] = start.coefficients
        place[n_columns:] = start.intercepts

    def value(at: Floats) -> tuple[float, Floats]:
        scores = np.zeros((n, n_banks))
        for bank in range(n_banks):
            scores[:, bank] = design[:, bank_of == bank] @ at[bank_of == bank]
        return targets.loss(scores) + 0.5 * float(penalty @ at**2), scores

    best, scores = value(place)
    for _ in range(_MOST_STEPS):
        pull = targets.pull(scores)
        slope = np.einsum("na,na->a", design, pull[:, bank_of]) - penalty * place
        step = np.linalg.solve(_hessian(design, bank_of, targets, scores) + np.diag(penalty), slope)
        size = 1.0
        while size > 1e-3:
            tried, tried_scores = value(place + size * step)
            if tried <= best:
                break
            size /= 2
        else:
            break
        done = best - tried < _SMALL_GAIN and np.abs(step).max() < _SMALL_STEP
        place, best, scores = place + size * step, tried, tried_scores
        if done:
            break
    return Fit(place[:n_columns], place[n_columns:], scores, targets.loss(scores))


def left_out_scores(columns: Floats, targets: Targets, fit: Fit, ridge: float) -> Floats:
    """About what the scores [n, 1] would be if each row were left out of its fit; one bank only.

    One Newton step from the fit on all rows: no row is fitted anew. A row of weight 3 is three rows, of which
    one is left out.
    """
    design = np.hstack([columns, np.ones((len(columns), 1))])
    penalty = np.append(np.full(columns.shape[1], ridge), _INTERCEPT_RIDGE)
    bank_of = np.zeros(design.shape[1], np.intp)
    hessian = _hessian(design, bank_of, targets, fit.scores) + np.diag(penalty)
    own = np.einsum("na,an->n", design, np.linalg.solve(hessian, design.T))
    own /= np.maximum(targets.weights, 1.0)
    step = own[:, None] * targets.pull(fit.scores) / (1.0 - own[:, None] * targets.curvature(fit.scores))
    left: Floats = fit.scores - step
    return left


def _hessian(design: Floats, bank_of: Places, targets: Targets, scores: Floats) -> Floats:
    """Second derivatives of the loss by every pair of coefficients."""
    p, weights = targets.probabilities(scores), targets.weights
    if targets.n_banks == 1:
        return np.asarray((design * (p[:, 0] * (1 - p[:, 0]) * weights)[:, None]).T @ design)
    hessian = np.empty((design.shape[1],) * 2)
    for a in range(targets.n_banks):
        own = bank_of == a
        for b in range(targets.n_banks):
            shared = weights * p[:, a] * ((a == b) - p[:, b])
            hessian[np.ix_(own, bank_of == b)] = (design[:, own] * shared[:, None]).T @ design[
                :, bank_of == b
            ]
    return hessian
