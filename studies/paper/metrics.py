"""Scores of a classifier from its four counts, and means with confidence intervals.

Results keep the counts (tp, fp, fn, tn), from which every score follows exactly. Not here: the
number of literals (machines.py).
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

METRICS = ("precision", "recall", "f1", "accuracy", "specificity", "youden")
Counts = Sequence[int]  # tp, fp, fn, tn


def counts(y: Any, predicted: Any) -> list[int]:
    """The numbers of true positives, false positives, false negatives and true negatives."""
    y, predicted = np.asarray(y, bool), np.asarray(predicted, bool)
    return [int((a & b).sum()) for b in (predicted, ~predicted) for a in (y, ~y)]


def scores(four: Counts) -> dict[str, float]:
    """All metrics; a metric with denominator 0 is 0, as in scikit-learn with zero_division=0."""
    tp, fp, fn, tn = four
    recall, specificity = _ratio(tp, tp + fn), _ratio(tn, tn + fp)
    return {
        "precision": _ratio(tp, tp + fp),
        "recall": recall,
        "f1": _ratio(2 * tp, 2 * tp + fp + fn),
        "accuracy": _ratio(tp + tn, tp + fp + fn + tn),
        "specificity": specificity,
        "youden": recall + specificity - 1,
    }


def f1(four: Counts) -> float:
    """The F1 score."""
    return scores(four)["f1"]


def best_cutoff(y: Any, values: Any) -> tuple[float, float]:
    """The cut-off c at which `values >= c` has the highest F1, and that F1; the lowest of equal ones.

    It is halfway to the next lower value, or 1 below the lowest value.
    """
    order = np.argsort(-values, kind="stable")
    ranked, hits = values[order], np.cumsum(y[order])  # (n,), (n,)
    last_of_value = np.append(ranked[1:] < ranked[:-1], True)
    f1s = np.where(last_of_value, 2 * hits / (np.arange(1, len(y) + 1) + y.sum()), -1.0)
    best = len(y) - 1 - int(np.argmax(f1s[::-1]))
    lower = ranked[best + 1] if best + 1 < len(y) else ranked[best] - 2.0
    return float((ranked[best] + lower) / 2), float(f1s[best])


@dataclass(frozen=True)
class Summary:
    """Mean, standard deviation and half the 95 % interval (Student) of n values."""

    mean: float
    sd: float
    half: float
    n: int

    @property
    def error(self) -> float:
        """Standard error of the mean."""
        return self.sd / math.sqrt(self.n)


def summary(values: Iterable[float]) -> Summary:
    """The summary of some values; the standard deviation of a single value is nan."""
    array = np.asarray(list(values), float)
    n = len(array)
    if n < 2:
        return Summary(float(array.mean()), math.nan, math.nan, n)
    sd = float(array.std(ddof=1))
    return Summary(float(array.mean()), sd, float(stats.t.ppf(0.975, n - 1)) * sd / math.sqrt(n), n)


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
