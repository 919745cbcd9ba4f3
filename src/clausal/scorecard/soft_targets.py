"""Labels made softer: what a dense, well-shrunk model of single literals says, in place of what was seen.

Where the truth is smooth and the labels are noisy, cut points chosen by the labels chase noise. A ridge on
all thermometer columns at once gives a smooth additive score to follow instead. Not here: the logistic fit
(logistic.py), and whether it helps a table (compaction.py). The teacher itself obeys no signs; whoever
follows it does.
"""

from __future__ import annotations

import numpy as np

from clausal.scorecard.logistic import Fit, Floats, Places, Targets, fit_logistic, left_out_scores
from clausal.scorecard.search import Candidates

_RIDGES = (1000.0, 300.0, 100.0, 30.0, 10.0, 3.0)
_MOST_COLUMNS = 300  # of the teacher: its fit takes the cube of them


def taught(candidates: Candidates, targets: Targets) -> Targets:
    """The teacher's probabilities in place of the labels.

    The teacher is one logistic model per bank on all the candidates, its ridge the best for rows left out.
    """
    told = np.column_stack([_probabilities(candidates, targets, bank) for bank in range(targets.n_banks)])
    if targets.n_banks > 1:
        told /= told.sum(axis=1, keepdims=True)
    return Targets(told, targets.weights)


def _probabilities(candidates: Candidates, targets: Targets, bank: int) -> Floats:
    """Of one bank's class against the others, [n]."""
    own = Targets(targets.share[:, [bank]], targets.weights)
    columns = candidates.columns(_telling(candidates, own))
    banks = np.zeros(columns.shape[1], np.intp)
    fit: Fit | None = None
    best, least = np.empty(0), np.inf
    for ridge in _RIDGES:
        fit = fit_logistic(columns, banks, own, ridge, fit)
        loss = own.loss(left_out_scores(columns, own, fit, ridge))
        if loss >= least:
            break  # less shrinkage only fits the noise from here on
        best, least = fit.scores, loss
    return own.probabilities(best)[:, 0]


def _telling(candidates: Candidates, own: Targets) -> Places:
    """Places of all candidates, or of those that tell most about the class where they are very many."""
    n_candidates = candidates.fires.shape[1]
    if n_candidates <= _MOST_COLUMNS:
        return np.arange(n_candidates)
    plain = fit_logistic(candidates.columns([]), np.array([], np.intp), own, 0.0)
    tells = np.abs(candidates.sums(own.pull(plain.scores)))[:, 0]
    return np.sort(np.argsort(-tells, kind="stable")[:_MOST_COLUMNS])
