"""Predicted probability against what came true, in bins of about equal numbers of rows.

Not here: the picture (charts.py).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clausal.report.evaluation import Evaluation
from clausal.report.metrics import wilson

_MOST_BINS = 10


@dataclass(frozen=True)
class Bin:
    """Rows of similar probability.

    Attributes
    ----------
    low, high : the least and the greatest probability among them
    predicted : their mean probability
    observed : the share that came true
    observed_low, observed_high : its 95 % interval (Wilson)
    count : how many rows
    """

    low: float
    high: float
    predicted: float
    observed: float
    observed_low: float
    observed_high: float
    count: int


def calibrate(evaluation: Evaluation) -> tuple[Bin, ...]:
    """At most ten bins, by rising probability; rows of one probability are never parted.

    Two classes: the probability of the positive class. More: that of the class decided for.
    """
    if evaluation.n_classes == 2:
        said, true = evaluation.probabilities[:, 1], evaluation.codes == 1
    else:
        rows = np.arange(len(evaluation.codes))
        said, true = (
            evaluation.probabilities[rows, evaluation.decided],
            evaluation.decided == evaluation.codes,
        )
    values, place, counts = np.unique(said, return_inverse=True, return_counts=True)
    hits = np.bincount(place.ravel(), weights=true, minlength=len(values))
    middles = np.cumsum(counts) - counts / 2  # ranks of the values' middle rows
    bins = np.minimum((middles / len(said) * _MOST_BINS).astype(int), _MOST_BINS - 1)
    result = []
    for k in np.unique(bins):
        own = bins == k
        count, hit = int(counts[own].sum()), float(hits[own].sum())
        low, high = float(values[own].min()), float(values[own].max())
        predicted = min(max(float((values[own] * counts[own]).sum() / count), low), high)  # but for rounding
        result.append(Bin(low, high, predicted, hit / count, *wilson(hit, count), count))
    return tuple(result)
