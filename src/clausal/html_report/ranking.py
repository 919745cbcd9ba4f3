"""How well the total ranks the rows of two classes: curves, the gains table, other cut-offs, risks.

All of it is computed from the number of test rows at each total, so that rows of equal total are never split.
The risk table is in bands of adjacent totals, and for each total; test rows with a total that no training row
has are counted like the others. Not here: the risks themselves (scorecard/risk_table.py), measures with
intervals (evaluation/metrics.py), the drawing of the curves (charts.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.evaluation.metrics import bands, wilson
from clausal.evaluation.predictions import Evaluation, Floats
from clausal.wording import Number

_MAX_POINTS = 400  # of a curve

Point = tuple[float, float]


@dataclass(frozen=True)
class Curve:
    """A curve within the unit square.

    Attributes
    ----------
    points : from left to right
    chance : the two ends of the line for a model that knows nothing
    decision : the point of the decision cut-off; None if it is not defined
    """

    points: tuple[Point, ...]
    chance: tuple[Point, Point]
    decision: Point | None


@dataclass(frozen=True)
class Gain:
    """A tenth of the test rows, or about that.

    Attributes
    ----------
    low, high : the lowest and the highest total
    rows, positives : the number of rows, and of those of the positive class
    rate : the share of the positive class
    rows_so_far, captured : the share of all rows, and of all positive rows, with these totals or higher ones
    lift : the rate divided by the rate among all rows
    """

    low: float
    high: float
    rows: int
    positives: int
    rate: float
    rows_so_far: float
    captured: float
    lift: float


@dataclass(frozen=True)
class Side:
    """The rows on one side of a cut-off, and the positive ones among them; the rate is NaN without rows."""

    rows: int
    share: float
    positives: int
    rate: float


@dataclass(frozen=True)
class CutOff:
    """A cut-off, the rows below it and at or above it, and whether it is the one of the model."""

    total: float
    below: Side
    above: Side
    chosen: bool


@dataclass(frozen=True, eq=False)
class Ranking:
    """The test rows of both classes, counted by total, highest first.

    Attributes
    ----------
    totals : the distinct totals [m], descending
    rows, positives : the number of rows with each total, and of those of the positive class [m]
    cut_off : the total from which on the positive class is decided
    """

    totals: NDArray[Any]
    rows: NDArray[np.int64]
    positives: NDArray[np.int64]
    cut_off: Number = 0

    @classmethod
    def of(cls, evaluation: Evaluation) -> Ranking | None:
        """The ranking of an evaluation; None unless there are two classes and test rows of both."""
        positive = evaluation.codes == 1
        if evaluation.outcome.positive is None or positive.all() or not positive.any():
            return None
        totals, index, rows = np.unique(evaluation.votes, return_inverse=True, return_counts=True)
        positives = np.bincount(index.ravel()[positive], minlength=len(totals))
        return cls(totals[::-1], rows[::-1], positives[::-1], evaluation.outcome.cut_off)

    @property
    def n_rows(self) -> int:
        """The number of test rows."""
        return int(self.rows.sum())

    @property
    def n_positives(self) -> int:
        """The number of positive test rows."""
        return int(self.positives.sum())

    @property
    def base_rate(self) -> float:
        """The share of the positive class among all test rows."""
        return self.n_positives / self.n_rows

    def roc(self) -> Curve:
        """Recall against the share of negative rows above the cut-off, over all cut-offs."""
        recalls = np.cumsum(self.positives) / self.n_positives
        alarms = np.cumsum(self.rows - self.positives) / (self.n_rows - self.n_positives)
        points = [(0.0, 0.0), *_points(alarms, recalls)]
        n_decided = self._n_decided
        decision = points[n_decided]
        return Curve(_thinned(points, n_decided), ((0.0, 0.0), (1.0, 1.0)), decision)

    def precision_recall(self) -> Curve:
        """Precision against recall, over all cut-offs; a step before each point."""
        captured = np.cumsum(self.positives)
        points = _points(captured / self.n_positives, captured / np.cumsum(self.rows))
        n_decided = self._n_decided
        decision = points[n_decided - 1] if n_decided else None
        chance = ((0.0, self.base_rate), (1.0, self.base_rate))
        return Curve(_thinned(points, n_decided - 1), chance, decision)

    def gains(self) -> tuple[Gain, ...]:
        """About ten groups of equal size, the highest totals first."""
        result, rows_so_far, captured = [], 0, 0
        for band in bands(self.rows):
            rows, positives = int(self.rows[band].sum()), int(self.positives[band].sum())
            rows_so_far, captured = rows_so_far + rows, captured + positives
            result.append(
                Gain(
                    low=self.totals[band[-1]].item(),
                    high=self.totals[band[0]].item(),
                    rows=rows,
                    positives=positives,
                    rate=positives / rows,
                    rows_so_far=rows_so_far / self.n_rows,
                    captured=captured / self.n_positives,
                    lift=positives / rows / self.base_rate,
                )
            )
        return tuple(result)

    def cut_offs(self) -> tuple[CutOff, ...]:
        """The cut-off of the model among others that divide the rows into about ten parts, lowest first."""
        splits = {int(band[-1]) + 1 for band in bands(self.rows)} - {len(self.totals)}
        chosen = self._n_decided
        result = []
        for n_above in sorted(splits | {chosen}, reverse=True):
            total = self.cut_off if n_above == chosen else self.totals[n_above - 1].item()
            above, below = self._side(slice(n_above)), self._side(slice(n_above, None))
            result.append(CutOff(total, below, above, n_above == chosen))
        return tuple(result)

    @property
    def _n_decided(self) -> int:
        """The number of totals at which the positive class is decided."""
        return int((self.totals >= self.cut_off).sum())

    def _side(self, part: slice) -> Side:
        rows, positives = int(self.rows[part].sum()), int(self.positives[part].sum())
        return Side(rows, rows / self.n_rows, positives, positives / rows if rows else float("nan"))


def _points(x: Floats, y: Floats) -> list[Point]:
    return list(zip(x.tolist(), y.tolist(), strict=True))


def _thinned(points: list[Point], kept: int) -> tuple[Point, ...]:
    """At most about _MAX_POINTS points, among them the first, the last and the one with index `kept`."""
    if len(points) <= _MAX_POINTS:
        return tuple(points)
    indices = np.linspace(0, len(points) - 1, _MAX_POINTS).round().astype(int)
    return tuple(points[index] for index in sorted({*indices.tolist(), max(kept, 0)}))


_MAX_TOTALS = 200


@dataclass(frozen=True)
class Observed:
    """The rows of a set, or their weight, the positive ones, and their share with a 95 % Wilson interval.

    Without rows, the share and its interval are NaN. A weight, which is no number of rows,
    has no interval.
    """

    rows: float
    positives: float
    rate: float
    low: float
    high: float

    @classmethod
    def of(cls, rows: float, positives: float, *, weighted: bool = False) -> Observed:
        """The share of these rows."""
        rate = positives / rows if rows else float("nan")
        interval = (float("nan"), float("nan")) if weighted else wilson(positives, rows)
        return cls(rows, positives, rate, *interval)


@dataclass(frozen=True)
class RiskBand:
    """Adjacent totals with the same decision.

    Attributes
    ----------
    low, high : the lowest and the highest total
    low_risk, high_risk : their risks
    interval : the lowest and the highest end of the 95 % intervals of their risks; None if not known
    decided : the index of the decided class
    train, test : what was observed in the training rows and in the test rows
    """

    low: int
    high: int
    low_risk: float
    high_risk: float
    interval: tuple[float, float] | None
    decided: int
    train: Observed
    test: Observed


@dataclass(frozen=True)
class Risks:
    """The bands, the single totals as bands of one, and the number of totals that are not shown.

    Attributes
    ----------
    bands, rows, n_left_out
    sample_weights : whether the training rows certainly had weights of their own
    weighted : whether `train` holds weights, because the training rows were not given
    unlike : whether the training rows that were given, each counted once, are not what the risks come from
    """

    bands: tuple[RiskBand, ...]
    rows: tuple[RiskBand, ...]
    n_left_out: int
    sample_weights: bool
    weighted: bool
    unlike: bool


def make_risks(clf: Any, evaluation: Evaluation, train: Evaluation | None = None) -> Risks | None:
    """The risks with training and test counts; None if the model has no risk table.

    The training rows are counted if they are given. Otherwise their weights are those of the risk table.
    """
    table = getattr(clf, "risk_table_", None)
    if table is None or evaluation.n_classes != 2:
        return None
    class_weight = getattr(clf, "class_weight", None)
    counts = _Counts(table, evaluation, train, class_weight is not None)
    n_totals = len(counts.totals)
    shown = np.unique(np.linspace(0, n_totals - 1, min(n_totals, _MAX_TOTALS)).round().astype(int)).tolist()
    breaks = np.diff(counts.totals >= counts.cut_off, prepend=False)
    breaks[0] = False
    # By training rows and test rows together, as without weights both are rows.
    made = tuple(counts.band(band) for band in bands(counts.train[0] + counts.test[0], breaks))
    rows = tuple(counts.band([index]) for index in shown)
    return Risks(made, rows, n_totals - len(shown), counts.fractions, counts.weighted, counts.unlike)


class _Counts:
    """The risk, the training rows and the test rows at each total of any of them, ascending."""

    def __init__(self, table: Any, evaluation: Evaluation, train: Evaluation | None, weighted: bool) -> None:
        self.cut_off = evaluation.outcome.cut_off
        parts = (evaluation,) if train is None else (evaluation, train)
        self.totals = np.unique(np.concatenate([table.scores, *(part.votes for part in parts)]))
        self.risks, learned = np.zeros(len(self.totals)), np.zeros((2, len(self.totals)))
        for part in parts:
            votes, first = np.unique(part.votes, return_index=True)
            self.risks[np.searchsorted(self.totals, votes)] = part.probabilities[first, 1]
        own = np.searchsorted(self.totals, table.scores)
        self.risks[own] = table.risks
        known = getattr(table, "errors", None) is not None
        self.intervals = table.interval(self.totals) if known else None
        learned[:, own] = table.counts, table.positives
        self.test = self._counted(evaluation)
        self.train = learned if train is None else self._counted(train)
        self.fractions = not weighted and bool((learned != np.rint(learned)).any())
        self.weighted = train is None and (weighted or self.fractions)
        self.unlike = not np.array_equal(self.train, learned)

    def _counted(self, part: Evaluation) -> Floats:
        """The rows, and the positive ones among them, with each total [2, m]."""
        place, n_totals = np.searchsorted(self.totals, part.votes), len(self.totals)
        return np.array([np.bincount(place, weight, n_totals) for weight in (None, part.codes == 1)])

    def band(self, indices: Sequence[int] | Any) -> RiskBand:
        """The totals with these indices together."""
        first, last = indices[0], indices[-1]
        train = Observed.of(*self.train[:, indices].sum(axis=1).tolist(), weighted=self.weighted)
        test = Observed.of(*self.test[:, indices].sum(axis=1).tolist())
        return RiskBand(
            low=int(self.totals[first]),
            high=int(self.totals[last]),
            low_risk=float(self.risks[first]),
            high_risk=float(self.risks[last]),
            interval=None
            if self.intervals is None
            else (float(self.intervals[indices, 0].min()), float(self.intervals[indices, 1].max())),
            decided=int(self.totals[first] >= self.cut_off),
            train=train,
            test=test,
        )
