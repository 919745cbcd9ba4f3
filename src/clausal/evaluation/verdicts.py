"""Verdicts: what a difference of two samples means, by its size and by a test corrected for many tests.

A difference is *stable* unless it is both large and significant; *watch* and *act* are two limits of its size
(docs/decisions/0024). A check without a test, as one sample is missing, has no verdict. Not here: the
differences (intervals.py), what is checked (monitor.py).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from clausal.evaluation.intervals import holm, smallest_found, smallest_index, stability_index
from clausal.parameters import Number, Pair, check_value

STABLE, WATCH, ACT = "stable", "watch", "act"
VERDICTS = (STABLE, WATCH, ACT)
"""From the best to the worst."""

LEVEL = 0.05
"""The chance that any check is wrongly significant, if nothing has changed."""

PSI, RATIO, AREA, LOSS, BRIER = "PSI", "observed / expected", "ROC AUC", "log loss", "Brier score"

LIMITS: Mapping[str, tuple[float, float]] = {
    PSI: (0.1, 0.25),
    RATIO: (1.1, 1.25),
    AREA: (0.02, 0.05),
    LOSS: (0.1, 0.25),
    BRIER: (0.1, 0.25),
}
"""The sizes from which a difference is to be watched and acted on.

PSI: the index itself. Observed / expected: the factor, or its inverse. ROC AUC: by how much it is lower. Log
loss and Brier score: by which share of the reference they are higher.
"""

_SIZES = {
    PSI: "a PSI of {}",
    RATIO: "a factor of {}",
    AREA: "a loss of {}",
    LOSS: "an increase by {} of the reference",
    BRIER: "an increase by {} of the reference",
}


@dataclass(frozen=True)
class Share:
    """A bin of a check: its name, and the number of rows of both samples in it."""

    name: str
    reference: int
    current: int


@dataclass(frozen=True)
class Counted:
    """One thing counted in both samples: its name and its bins."""

    name: str
    bins: tuple[Share, ...]


@dataclass(frozen=True)
class Check:
    """One difference of two samples, with its test and its verdict.

    Attributes
    ----------
    part : what is checked: "feature", "missing", "new values", "rule", "score", "decision", "class",
        "calibration" or "discrimination"
    name : the feature, the rule or the class
    measure : "PSI", "observed / expected", "ROC AUC", "log loss" or "Brier score"
    reference, current : the measure in each sample, for PSI the share of the first bin; NaN if not defined
    value, low, high : the difference with its 95 % interval: the index, or for other measures the factor of
        change or the difference
    size : the part of the difference that counts against `limits`; NaN if not defined
    p, p_adjusted : of its test, and corrected for all tests of the result; NaN without a test
    error : the standard error of the size, of its logarithm for a factor; NaN for PSI
    bins : the counts behind a PSI
    smallest : the smallest size that these numbers of rows find in 4 of 5 cases; NaN without a test
    verdict : "stable", "watch" or "act"; None without a test
    reason : why
    """

    part: str
    name: str
    measure: str
    reference: float
    current: float
    value: float
    low: float
    high: float
    size: float
    p: float
    error: float = math.nan
    bins: tuple[Share, ...] = ()
    p_adjusted: float = math.nan
    smallest: float = math.nan
    verdict: str | None = None
    reason: str = ""


def shift(part: str, counted: Counted) -> Check:
    """A check that both samples have equal shares in each bin."""
    reference, current = (
        np.array([getattr(each, side) for each in counted.bins], np.int64)
        for side in ("reference", "current")
    )
    found = stability_index(reference, current)
    return Check(
        part=part,
        name=counted.name,
        measure=PSI,
        reference=_first_share(reference),
        current=_first_share(current),
        value=found.value,
        low=found.low,
        high=found.high,
        size=found.value,
        p=found.p,
        bins=counted.bins,
    )


def _first_share(counts: NDArray[np.int64]) -> float:
    return float(counts[0] / counts.sum()) if counts.sum() else math.nan


def check_limits(
    owner: str, limits: Mapping[str, tuple[float, float]] | None
) -> dict[str, tuple[float, float]]:
    """The limits of each measure, with those that the user gives instead of the usual ones."""
    given = {} if limits is None else limits
    if not isinstance(given, Mapping) or not set(given) <= set(LIMITS):
        listed = ", ".join(map(repr, LIMITS))
        raise ValueError(
            f"The 'limits' parameter of {owner} must be a dict of pairs (watch, act) for some of {listed}. "
            f"Got {given!r}."
        )
    for name, pair in given.items():
        low = 1.0 if name == RATIO else 0.0
        check_value(owner, f"limits[{name!r}]", pair, (Pair(Number(low, open_low=True)),))
    return {**LIMITS, **{name: (float(watch), float(act)) for name, (watch, act) in given.items()}}


def judge(checks: Sequence[Check], limits: Mapping[str, tuple[float, float]]) -> tuple[Check, ...]:
    """The checks with corrected p-values, what they can find, and verdicts."""
    adjusted = holm([check.p for check in checks])
    n_tests = sum(not math.isnan(check.p) for check in checks)
    level = LEVEL / max(n_tests, 1)  # the strictest of Holm's method
    return tuple(
        _judged(
            replace(check, p_adjusted=p, smallest=_smallest(check, level)), *limits[check.measure], n_tests
        )
        for check, p in zip(checks, adjusted, strict=True)
    )


def _smallest(check: Check, level: float) -> float:
    """The smallest size that a test at this level finds."""
    if math.isnan(check.p):
        return math.nan
    if check.measure == PSI:
        n, m = sum(each.reference for each in check.bins), sum(each.current for each in check.bins)
        return smallest_index(n, m, len(check.bins), level)
    found = smallest_found(check.error, level)
    return math.exp(found) if check.measure == RATIO else found


def _judged(check: Check, watch: float, act: float, n_tests: int) -> Check:
    if math.isnan(check.p) or math.isnan(check.size):
        return replace(check, reason="not compared: one of the samples does not define it")
    said = _SIZES[check.measure]
    size = said.format(_short(check.size))
    test = f"significant (p {_p_text(check.p_adjusted)} after {n_tests} tests)"
    if check.size >= watch and check.p_adjusted <= LEVEL:
        verdict, limit = (ACT, act) if check.size >= act else (WATCH, watch)
        return replace(check, verdict=verdict, reason=f"{size} is {limit:g} or more, and {test}")
    reason = f"{size} is below {watch:g}" if check.size < watch else f"{size} is not {test}"
    if check.smallest > watch:
        least = said.format(_short(check.smallest))
        reason += f"; with so few rows, only {least} or more would be found"
    return replace(check, verdict=STABLE, reason=reason)


def worst(checks: Iterable[Check]) -> str:
    """The worst verdict; stable if there is none."""
    found = {check.verdict for check in checks}
    return next((verdict for verdict in reversed(VERDICTS) if verdict in found), STABLE)


def _p_text(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"


def _short(value: float) -> str:
    return f"{value:.2g}" if value < 0.1 else f"{value:.2f}"
