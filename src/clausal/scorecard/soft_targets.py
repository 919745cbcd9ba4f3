"""Soft targets: probabilities from a ridge regression on all single literals, instead of the labels.

If the labels are noisy and the probability changes smoothly, cut points that are chosen by the labels fit the
noise. A ridge regression on all columns gives a smooth additive score to approximate instead. It ignores sign
constraints; the search that uses its probabilities respects them. Not here: the logistic regression
(logistic.py), and whether soft targets help on the data (validation.py).
"""

from __future__ import annotations

import numpy as np

from clausal.scorecard.candidates import Candidates
from clausal.scorecard.logistic import Fit, Floats, Indices, Targets, fit_logistic, left_out_scores

_RIDGES = (1000.0, 300.0, 100.0, 30.0, 10.0, 3.0)
_MAX_COLUMNS = 300  # the time of a fit grows with their cube


def soft_targets(candidates: Candidates, targets: Targets) -> Targets:
    """Targets with probabilities instead of labels.

    One logistic regression per bank on all candidates, with the ridge of the lowest leave-one-out loss.
    """
    share = np.column_stack([_probabilities(candidates, targets, bank) for bank in range(targets.n_banks)])
    if targets.n_banks > 1:
        share /= share.sum(axis=1, keepdims=True)
    return Targets(share, targets.weights)


def _probabilities(candidates: Candidates, targets: Targets, bank: int) -> Floats:
    """The probability of one bank's class against the other classes, [n]."""
    one_bank = Targets(targets.share[:, [bank]], targets.weights)
    columns = candidates.columns(_strongest(candidates, one_bank))
    banks = np.zeros(columns.shape[1], np.intp)
    fit: Fit | None = None
    best_scores, best_loss = np.empty(0), np.inf
    for ridge in _RIDGES:
        fit = fit_logistic(columns, banks, one_bank, ridge, fit)
        loss = one_bank.loss(left_out_scores(columns, one_bank, fit, ridge))
        if loss >= best_loss:
            break  # from here on, a smaller ridge overfits
        best_scores, best_loss = fit.scores, loss
    return one_bank.probabilities(best_scores)[:, 0]


def _strongest(candidates: Candidates, targets: Targets) -> Indices:
    """Indices of the candidates with the largest gradients, or of all if there are at most _MAX_COLUMNS."""
    n_candidates = candidates.fires.shape[1]
    if n_candidates <= _MAX_COLUMNS:
        return np.arange(n_candidates)
    constant = fit_logistic(candidates.columns([]), np.array([], np.intp), targets, 0.0)
    gradient = np.abs(candidates.sums(targets.negative_gradient(constant.scores)))[:, 0]
    return np.sort(np.argsort(-gradient, kind="stable")[:_MAX_COLUMNS])
