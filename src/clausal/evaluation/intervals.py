"""Shares, means, areas and shifts of two samples, each with an interval and a test; many tests corrected.

Everything is a closed formula, so that the same counts give the same figures. Shares have Wilson intervals,
their differences Newcombe's, ratios the normal interval of their logarithm, areas under the ROC curve
DeLong's. The interval of a population stability index inverts the noncentral chi-squared distribution, which
it nearly has (docs/decisions/0024). Not here: which of them are computed (monitor.py, fairness.py), the
measures of a model with bootstrap intervals (metrics.py).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, chdtri, chndtr, chndtrinc, expit, ndtr, ndtri

from clausal.rules import statistics

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]

CONFIDENCE = 0.95
POWER = 0.8
"""The probability of finding the smallest difference that is said to be found."""

_MIN_EXPECTED = 5  # rows in a bin of the chi-squared test


class Interval(NamedTuple):
    """A figure and the ends of its interval; NaN if not defined."""

    value: float
    low: float
    high: float


class Tested(NamedTuple):
    """A difference of two samples: the figure with its interval, the p-value, and its standard error."""

    value: float
    low: float
    high: float
    p: float
    error: float

    @property
    def interval(self) -> Interval:
        """The figure with its interval."""
        return Interval(self.value, self.low, self.high)


UNKNOWN = Interval(math.nan, math.nan, math.nan)
UNTESTED = Tested(math.nan, math.nan, math.nan, math.nan, math.nan)


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values corrected by Holm's method; NaN is no test."""
    tests = sorted((p, index) for index, p in enumerate(p_values) if not math.isnan(p))
    adjusted, largest = [math.nan] * len(p_values), 0.0
    for rank, (p, index) in enumerate(tests):
        largest = max(largest, min(1.0, p * (len(tests) - rank)))
        adjusted[index] = largest
    return adjusted


def smallest_found(error: float, level: float) -> float:
    """The smallest difference with this standard error that a test at this level finds with POWER."""
    return float((ndtri(1 - level / 2) + ndtri(POWER)) * error)


def _normal(value: float, error: float, about: float = 0.0) -> Tested:
    """A figure with a normal error, tested against `about`."""
    reach = float(ndtri((1 + CONFIDENCE) / 2)) * error
    if not error > 0:
        return Tested(value, value, value, math.nan, error)
    p = 2 * float(ndtr(-abs(value - about) / error))
    return Tested(value, value - reach, value + reach, p, error)


# --- shares ---


def share(count: float, total: float) -> Interval:
    """A share of rows with its Wilson interval."""
    found = statistics.wilson(np.array([round(count)]), np.array([round(total)]), CONFIDENCE)
    return Interval(*(float(part[0]) for part in found))


def share_difference(count: int, total: int, other: int, other_total: int) -> Tested:
    """The first share minus the other one, with Newcombe's interval."""
    if not total or not other_total:
        return UNTESTED
    one, two = share(count, total), share(other, other_total)
    difference = one.value - two.value
    low = difference - math.hypot(one.value - one.low, two.high - two.value)
    high = difference + math.hypot(one.high - one.value, two.value - two.low)
    p = equal_shares_p(np.array([other, other_total - other]), np.array([count, total - count]))
    error = math.sqrt(sum(s.value * (1 - s.value) / n for s, n in ((one, total), (two, other_total))))
    return Tested(difference, low, high, p, error)


def share_ratio(count: int, total: int, other: int, other_total: int) -> Interval:
    """The first share divided by the other one, with half a row added to each count for the interval."""
    if not total or not other_total or not other:
        return UNKNOWN
    ratio = (count / total) / (other / other_total)
    parts = ((count, total), (other, other_total))
    variance = sum(1 / (k + 0.5) - 1 / (n + 0.5) for k, n in parts)
    middle = math.log((count + 0.5) / (total + 0.5) / ((other + 0.5) / (other_total + 0.5)))
    reach = float(ndtri((1 + CONFIDENCE) / 2)) * math.sqrt(variance)
    return Interval(ratio, min(ratio, math.exp(middle - reach)), max(ratio, math.exp(middle + reach)))


# --- shifts of shares ---


def stability_index(reference: Counts, current: Counts) -> Tested:
    """The population stability index of two samples counted in the same bins [k], and a test of equal shares.

    Half a row is added to each bin, so that an empty one does not make it infinite.
    """
    n, m = int(reference.sum()), int(current.sum())
    if not n or not m or len(reference) < 2:
        return UNTESTED
    p, q = (reference + 0.5) / (reference + 0.5).sum(), (current + 0.5) / (current + 0.5).sum()
    value = float(((q - p) * np.log(q / p)).sum())
    scale, freedom = n * m / (n + m), len(reference) - 1
    low, high = (
        _noncentrality(value * scale, freedom, c) / scale
        for c in ((1 + CONFIDENCE) / 2, 1 - (1 + CONFIDENCE) / 2)
    )
    return Tested(value, min(low, value), max(high, value), equal_shares_p(reference, current), math.nan)


def smallest_index(n: int, m: int, n_bins: int, level: float) -> float:
    """The smallest stability index that a test of n and m rows at this level finds with POWER."""
    if not n or not m or n_bins < 2:
        return math.nan
    critical = float(chdtri(n_bins - 1, level))
    return _noncentrality(critical, n_bins - 1, 1 - POWER) * (n + m) / (n * m)


def _noncentrality(value: float, freedom: int, probability: float) -> float:
    """The noncentrality of a chi-squared distribution that has this probability up to a value; 0 if none."""
    if chndtr(value, freedom, 0.0) <= probability:
        return 0.0
    return float(chndtrinc(value, freedom, probability))


def equal_shares_p(reference: Counts, current: Counts) -> float:
    """The p-value of equal shares of two samples in bins [k].

    By a chi-squared test, for which the smallest bins are put together until 5 rows are expected in each. Two
    bins with fewer expected rows are compared by Fisher's exact test. 1 if only one bin has rows.
    """
    table = np.array([reference, current])
    table = table[:, table.sum(axis=0) > 0]
    if table.shape[1] < 2:
        return 1.0
    table = table[:, np.argsort(-table.sum(axis=0), kind="stable")]
    least = table.sum(axis=1).min() / table.sum()
    while table.shape[1] > 2 and table[:, -1].sum() * least < _MIN_EXPECTED:
        merged = table[:, -2] + table[:, -1]
        table = np.column_stack([table[:, :-2], merged])
        table = table[:, np.argsort(-table.sum(axis=0), kind="stable")]
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    if table.shape[1] == 2 and expected.min() < _MIN_EXPECTED:
        from scipy.stats import fisher_exact

        return float(fisher_exact(table).pvalue)
    return float(chdtrc(table.shape[1] - 1, float(((table - expected) ** 2 / expected).sum())))


def sign_test(one: int, other: int) -> float:
    """McNemar's exact test: the p-value of two counts that a fair coin would split; NaN without any."""
    from scipy.stats import binomtest

    return float(binomtest(one, one + other).pvalue) if one + other else math.nan


# --- means, areas, calibration ---


def mean(values: Floats) -> tuple[float, float]:
    """The mean and its standard error; NaN without two values."""
    if len(values) < 2:
        return (float(values.mean()) if len(values) else math.nan), math.nan
    return float(values.mean()), float(values.std(ddof=1) / math.sqrt(len(values)))


def around(value: float, error: float) -> Interval:
    """The normal interval of a figure with this standard error."""
    return _normal(value, error).interval if error > 0 else Interval(value, math.nan, math.nan)


def difference(current: tuple[float, float], reference: tuple[float, float]) -> Tested:
    """The first figure minus the other one, given each with its standard error, from different rows."""
    value = current[0] - reference[0]
    return _normal(value, math.hypot(current[1], reference[1])) if math.isfinite(value) else UNTESTED


def area(scores: NDArray[Any], positive: NDArray[np.bool_]) -> tuple[float, float]:
    """The area under the ROC curve and DeLong's standard error; NaN unless there are rows of both classes."""
    n, m = int(positive.sum()), int((~positive).sum())
    if not n or not m:
        return math.nan, math.nan
    own, others, ranks = _midranks(scores[positive]), _midranks(scores[~positive]), _midranks(scores)
    above = (ranks[positive] - own) / m
    below = 1.0 - (ranks[~positive] - others) / n
    value = float(above.mean())
    if n < 2 or m < 2:
        return value, math.nan
    return value, math.sqrt(float(above.var(ddof=1) / n + below.var(ddof=1) / m))


def area_interval(value: float, error: float) -> Interval:
    """The interval of an area, by its log-odds, so that it stays between 0 and 1."""
    if not error > 0 or not 0 < value < 1:
        return Interval(value, math.nan, math.nan)
    middle = math.log(value / (1 - value))
    reach = float(ndtri((1 + CONFIDENCE) / 2)) * error / (value * (1 - value))
    return Interval(value, float(expit(middle - reach)), float(expit(middle + reach)))


def _midranks(values: NDArray[Any]) -> Floats:
    """The rank of each value, counted from 1; equal values share the mean of theirs."""
    _, index, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray((ends - (counts - 1) / 2)[index.ravel()], np.float64)


def calibration_ratio(probabilities: Floats, true: NDArray[np.bool_]) -> Tested:
    """Observed events divided by those that probabilities expect; the error is that of the logarithm."""
    n, observed, expected = len(true), int(true.sum()), float(probabilities.sum())
    if not n or not expected > 0:
        return UNTESTED
    rate = share(observed, n)
    spread = math.sqrt(float((probabilities * (1 - probabilities)).sum()))
    p = 2 * float(ndtr(-abs(observed - expected) / spread)) if spread > 0 else math.nan
    error = math.sqrt(max(1 - rate.value, 1 / n) / (observed + 0.5))
    return Tested(observed / expected, rate.low * n / expected, rate.high * n / expected, p, error)


def ratio_of(current: Tested, reference: Tested) -> Tested:
    """The first ratio divided by the other one, given the errors of their logarithms."""
    if not current.value > 0 or not reference.value > 0:
        return UNTESTED
    found = _normal(math.log(current.value / reference.value), math.hypot(current.error, reference.error))
    return found._replace(**{name: math.exp(getattr(found, name)) for name in ("value", "low", "high")})


def number_measures(
    y: NDArray[Any], predicted: NDArray[Any], quantile: float | None = None
) -> dict[str, tuple[float, float, float]]:
    """Measures of predicted numbers, each with the ends of its 95 % interval.

    R², the root of the mean squared error and the mean absolute error; of a predicted quantile, the share of
    numbers that are not above it, and its loss. The intervals are those of the mean loss of a row, by its
    standard error; that of R² leaves the spread of the numbers as it is.
    """
    errors = np.asarray(y, np.float64) - predicted
    if quantile is not None:
        losses = np.maximum(quantile * errors, (quantile - 1) * errors)
        below = share(int((errors <= 0).sum()), len(errors))
        return {"Share not above": below, "Quantile loss": _mean_interval(losses)}
    spread = float(np.mean((y - np.mean(y)) ** 2))
    mean, low, high = _mean_interval(errors**2)
    found = {"RMSE": (mean**0.5, low**0.5, high**0.5), "MAE": _mean_interval(np.abs(errors))}
    if spread == 0:
        return found
    return {"R²": (1 - mean / spread, 1 - high / spread, 1 - low / spread)} | found


def quantile_of(model: Any) -> float | None:
    """The quantile that a model of numbers predicts; None if it predicts means or medians."""
    return float(model.quantile) if model.loss == "quantile" else None


def _mean_interval(losses: NDArray[Any]) -> tuple[float, float, float]:
    mean = float(losses.mean())
    error = float(losses.std(ddof=1) / np.sqrt(len(losses))) if len(losses) > 1 else 0.0
    return mean, max(mean - 1.96 * error, 0.0), mean + 1.96 * error
