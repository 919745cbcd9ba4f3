"""How well a model does on two samples, where classes are known: calibration, ranking, losses, bands.

Not here: the formulas (intervals.py), measures with bootstrap intervals for one sample (metrics.py).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clausal.evaluation.counted import Bands, count_codes
from clausal.evaluation.intervals import (
    Interval,
    Tested,
    area,
    area_interval,
    around,
    calibration_ratio,
    difference,
    mean,
    ratio_of,
    share,
)
from clausal.evaluation.predictions import MISSING, Indices, Predictions
from clausal.evaluation.verdicts import AREA, BRIER, LOSS, RATIO, Check, shift

_MAX_CLASSES = 10  # with measures of their own
_EPS = float(np.finfo(float).eps)


@dataclass(frozen=True)
class Figure:
    """A measure of one sample with its interval; `rows` have a known class."""

    name: str
    of: str
    interval: Interval
    rows: int


@dataclass(frozen=True)
class BandRow:
    """A band of scores: shares of rows, and expected and observed shares of the positive class.

    With more than two classes, the decided class counts as positive. NaN where no class is known.
    """

    name: str
    reference: Interval
    current: Interval
    expected_reference: float
    observed_reference: Interval
    expected: float
    observed: Interval
    rows: int


@dataclass(frozen=True, eq=False)
class Known:
    """The rows whose class is known."""

    predictions: Predictions
    codes: Indices
    rows: Indices

    @classmethod
    def of(cls, predictions: Predictions, codes: Indices | None) -> Known:
        """Those of a sample; none without codes."""
        rows = np.flatnonzero(codes != MISSING) if codes is not None else np.empty(0, np.intp)
        known = predictions.take(rows)
        return cls(known, rows if codes is None else codes[rows], rows)

    @property
    def targets(self) -> list[int]:
        """The classes that are measured against all others: the positive one of two, or the first ones."""
        outcome = self.predictions.outcome
        return [1] if outcome.positive is not None else list(range(len(outcome.classes)))[:_MAX_CLASSES]

    def calibration(self, k: int) -> Tested:
        """Observed divided by expected rows of a class."""
        return calibration_ratio(self.predictions.probabilities[:, k], self.codes == k)

    def area(self, k: int) -> tuple[float, float]:
        """The area under the ROC curve of a class against the others."""
        return area(self.predictions.class_scores(k), self.codes == k)

    def losses(self) -> dict[str, tuple[float, float]]:
        """The mean log loss and Brier score with their errors; NaN without rows."""
        probabilities = self.predictions.probabilities
        own = probabilities[np.arange(len(self.codes)), self.codes]
        squares = ((probabilities - np.eye(probabilities.shape[1])[self.codes]) ** 2).sum(axis=1)
        two = self.predictions.outcome.positive is not None
        return {LOSS: mean(-np.log(np.clip(own, _EPS, None))), BRIER: mean(squares / 2 if two else squares)}


def performance_checks(reference: Known, current: Known) -> Iterator[Check]:
    """Checks of classes, calibration, ranking and losses; a sample without classes has no test."""
    names = current.predictions.outcome.class_names
    if not len(current.codes):
        return
    if len(reference.codes):
        yield shift("class", count_codes("class", names, reference.codes, current.codes))
    for k in current.targets:
        yield _calibration_check(names[k], current.calibration(k), reference.calibration(k))
        yield _worse(names[k], AREA, reference.area(k), current.area(k), -1.0)
    before = reference.losses()
    for measure, now in current.losses().items():
        unit = before[measure][0] if before[measure][0] > 0 else 1.0
        yield _worse("all classes", measure, before[measure], now, 1.0 / unit)


def _calibration_check(name: str, current: Tested, reference: Tested) -> Check:
    """A check that as many rows are observed as expected, or as far from it as in the reference, if known."""
    found = ratio_of(current, reference) if reference.value > 0 else current
    factor = max(found.value, 1 / found.value) if found.value > 0 else math.inf
    return Check(
        part="calibration",
        name=name,
        measure=RATIO,
        reference=reference.value,
        current=current.value,
        value=found.value,
        low=found.low,
        high=found.high,
        size=math.nan if math.isnan(found.value) else factor,
        p=found.p,
        error=found.error,
    )


def _worse(
    name: str, measure: str, before: tuple[float, float], now: tuple[float, float], unit: float
) -> Check:
    """A check that a measure, given with its error, has not become worse; its size is in this unit."""
    found = difference(now, before)
    return Check(
        part="discrimination",
        name=name,
        measure=measure,
        reference=before[0],
        current=now[0],
        value=found.value,
        low=found.low,
        high=found.high,
        size=max(unit * found.value, 0.0) if math.isfinite(found.value) else math.nan,
        p=found.p,
        error=abs(unit) * found.error,
    )


def figures(of: str, known: Known) -> Iterator[Figure]:
    """The measures of a sample; none if no class is known."""
    n = len(known.codes)
    if not n:
        return
    outcome = known.predictions.outcome
    named = len(known.targets) > 1
    for k in known.targets:
        suffix = f" of {outcome.class_names[k]}" if named or outcome.positive is not None else ""
        true = known.codes == k
        yield Figure(f"Share{suffix}", of, share(int(true.sum()), n), n)
        yield Figure(f"Observed / expected{suffix}", of, known.calibration(k).interval, n)
        yield Figure(f"ROC AUC{suffix if named else ''}", of, area_interval(*known.area(k)), n)
    for name, (value, error) in known.losses().items():
        yield Figure(name[0].upper() + name[1:], of, around(value, error), n)
    right = int((known.codes == known.predictions.decided).sum())
    yield Figure("Accuracy", of, share(right, n), n)


def band_rows(bands: Bands, reference: Known, current: Known) -> tuple[BandRow, ...]:
    """The rows and the risk in each band of scores."""
    result = []
    for index, name in enumerate(bands.names):
        rows = [band == index for band in (bands.reference, bands.current)]
        seen = [
            _band_risk(known, marked[known.rows])
            for known, marked in zip((reference, current), rows, strict=True)
        ]
        shares = [share(int(marked.sum()), len(marked)) for marked in rows]
        n_known = int(rows[1][current.rows].sum())
        result.append(BandRow(name, shares[0], shares[1], *seen[0], *seen[1], n_known))
    return tuple(result)


def _band_risk(known: Known, rows: NDArray[np.bool_]) -> tuple[float, Interval]:
    """The expected and the observed share of the positive class, or of right decisions, in these rows."""
    made, n = known.predictions, int(rows.sum())
    if made.outcome.positive is not None:
        expected, true = made.probabilities[:, 1], known.codes == 1
    else:
        expected, true = made.scores(), known.codes == made.decided
    return (float(expected[rows].mean()) if n else math.nan), share(int(true[rows].sum()), n)
