"""The decision cut-off of a two-class scorecard: the probability at which the positive class is predicted.

It depends on the metric. The constant of the scorecard follows from it, because the decision is "score at
least 0". Not here: the probabilities (validation.py).
"""

from __future__ import annotations

import numpy as np
from scipy.special import logit

from clausal.scorecard.calibration import Codes, Floats
from clausal.scorecard.scoring import Scoring

# Metrics of probabilities or rankings: the cut-off does not change them.
_WITHOUT_CUT_OFF = {
    "roc_auc",
    "roc_auc_ovr",
    "average_precision",
    "neg_log_loss",
    "neg_brier_score",
    "d2_log_loss_score",
}
_N_CUT_OFFS = 49  # tried, at quantiles of the probabilities


def choose_cut_off(scoring: Scoring, positive: Floats, codes: Codes, weights: Floats) -> float:
    """The cut-off with the best score, given probabilities [n] of the positive class.

    It is 0.5 for accuracy and for metrics without a cut-off.
    """
    if scoring.name == "accuracy" or scoring.name in _WITHOUT_CUT_OFF:
        return 0.5
    if scoring.name == "f1":
        return expected_f1_cut_off(positive, weights)
    tried = np.unique(np.quantile(positive, np.linspace(0.02, 0.98, _N_CUT_OFFS)))
    both = np.column_stack([1 - positive, positive])
    scores = [scoring.score(both, (positive >= t).astype(np.intp), codes, weights) for t in tried]
    return float(tried[int(np.argmax(scores))])


def expected_f1_cut_off(positive: Floats, weights: Floats) -> float:
    """The cut-off with the highest expected F1 if the probabilities [n] are correct.

    It varies less than the cut-off with the highest F1 on the labels.
    """
    order = np.argsort(-positive, kind="stable")
    p, w = positive[order], weights[order]
    expected = 2.0 * np.cumsum(w * p) / (np.cumsum(w) + (w * p).sum())
    last = np.append(p[1:] != p[:-1], True)  # rows of equal probability are on the same side of a cut-off
    best = int(np.argmax(np.where(last, expected, -1.0)))
    below = p[best + 1] if best + 1 < len(p) else 0.0
    return float((p[best] + below) / 2)


def constant_at(cut_off: float, slope: float, offset: float) -> int:
    """The integer constant with which the score is at least 0 just where the probability is at the cut-off.

    `slope` and `offset` turn points into log-odds.
    """
    points = (logit(cut_off) - offset) / slope  # points needed to predict the positive class
    return -int(np.clip(np.ceil(points - 1e-9), -(2**31), 2**31))
