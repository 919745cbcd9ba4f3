"""The calibrated probability for every score of a scorecard, with an interval.

The variance of the log-odds at a score has two sources. The calibration was fitted to a limited number of
held-out rows. And the scorecard would have been another one if it had been learned from other rows, as the
scorecards of the folds show. Not here: the points (core/scorecard), the calibration (validation.py).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, ndtri

from clausal.engine.card_search import SCORE_UNIT
from clausal.frames import FrameBackend, make_frame
from clausal.rules.render import plain_markdown
from clausal.scorecard.calibration import Calibration, Floats, exact_sum, probabilities
from clausal.scorecard.final_card import FinalCard
from clausal.scorecard.held_out import FoldPredictions, HeldOut, Key
from clausal.scorecard.rows import SearchRows
from clausal.scorecard.search_space import SearchSpace
from clausal.wording import label_text

CONFIDENCE = 0.95
"""Of the intervals in tables and reports."""


@dataclass(frozen=True, eq=False)
class RiskErrors:
    """The variance of the log-odds at each score, from two sources of which the larger one counts.

    Each source contains a part of the other: the points and the calibration are fitted to the same rows.

    Attributes
    ----------
    slope_variance, covariance, offset_variance : float
        Of the calibration: the variances of `slope` and `offset` of the risk table, and their covariance.
    spread : float array
        Of the scorecards of the folds: the variance at each score of the risk table.
    rows_below, rows_above : float
        The number of training rows with a risk below one half, and with a higher one. They limit how close to
        0 and 1 the ends of an interval can be: if n rows have no event, its probability may still be 3 / n.
    """

    slope_variance: float
    covariance: float
    offset_variance: float
    spread: NDArray[np.float64]
    rows_below: float
    rows_above: float

    def variance(self, votes: NDArray[Any], scores: NDArray[np.int64]) -> NDArray[np.float64]:
        """The variance at any scores; between and beyond `scores`, the spread is that of their neighbors."""
        x = np.asarray(votes, np.float64)
        calibration = self.slope_variance * x * x + 2.0 * self.covariance * x + self.offset_variance
        spread = np.interp(x, scores.astype(np.float64), self.spread)
        return np.asarray(np.maximum(calibration, spread), np.float64)

    def limits(self, confidence: float) -> tuple[float, float]:
        """The lowest upper end of an interval of a risk below one half, and 1 minus the highest lower end."""
        below, above = (
            min(-math.log1p(-confidence) / max(rows, 1.0), 1.0) for rows in (self.rows_below, self.rows_above)
        )
        return below, above


@dataclass(frozen=True, eq=False)
class RiskTable:
    """The risk for each score of a two-class scorecard.

    Attributes
    ----------
    slope, offset : float
        The log-odds of the positive class are slope * score + offset.
    scores : int array, ascending
        Every score of a training row: the constant plus its points.
    counts, positives : float array
        Total weight of the training rows with each score (their number, without sample weights), and of
        those of the positive class.
    pos_label : class label
        The positive class, whose probability is the risk.
    errors : RiskErrors or None
        How uncertain the risks are. None if a class has no held-out row, or if the model file is of a version
        that did not store it.
    """

    slope: float
    offset: float
    scores: NDArray[np.int64]
    counts: NDArray[np.float64]
    positives: NDArray[np.float64]
    pos_label: Any
    errors: RiskErrors | None = None

    @classmethod
    def of(
        cls,
        votes: NDArray[np.int64],
        codes: NDArray[np.integer],
        weights: NDArray[np.float64],
        slope: float,
        offset: float,
        pos_label: Any,
    ) -> RiskTable:
        """Count the training rows by their votes [n] and their codes [n], 1 for the positive class."""
        scores, index = np.unique(votes, return_inverse=True)
        counts = np.zeros(len(scores))
        np.add.at(counts, index, weights)
        positives = np.zeros(len(scores))
        np.add.at(positives, index, weights * (codes == 1))
        return cls(slope, offset, scores, counts, positives, pos_label)

    @property
    def risks(self) -> NDArray[np.float64]:
        """The calibrated probability of the positive class at each score."""
        return self.probability(self.scores)

    def probability(self, votes: ArrayLike) -> NDArray[np.float64]:
        """The calibrated probability of the positive class at any scores."""
        result: NDArray[np.float64] = expit(self.slope * np.asarray(votes) + self.offset)
        return result

    def interval(self, votes: NDArray[Any], confidence: float = CONFIDENCE) -> NDArray[np.float64]:
        """The lowest and highest risk [n, 2] at these scores; see `RuleClassifier.predict_risk_interval`."""
        if self.errors is None:
            raise ValueError(
                "A risk table must have errors to give intervals. Got none: the model file is of an earlier "
                "version, or a class had no held-out row."
            )
        log_odds = self.slope * np.asarray(votes, np.float64) + self.offset
        reach = ndtri(0.5 + 0.5 * confidence) * np.sqrt(self.errors.variance(votes, self.scores))
        low, high = expit(log_odds - reach), expit(log_odds + reach)
        below, above = self.errors.limits(confidence)
        high = np.where(log_odds < 0, np.maximum(high, below), high)
        low = np.where(log_odds < 0, low, np.minimum(low, 1.0 - above))
        return np.column_stack([low, high])

    def _columns(self) -> dict[str, NDArray[Any]]:
        """The columns of the table; `low` and `high` only if the errors are known."""
        columns: dict[str, NDArray[Any]] = {"score": self.scores, "risk": self.risks}
        if self.errors is not None:
            columns["low"], columns["high"] = self.interval(self.scores).T
        return {**columns, "rows": self.counts, "observed": self.positives / self.counts}

    def to_frame(self, backend: FrameBackend | None = None) -> Any:
        """One row per score: `score`, `risk`, `low`, `high`, `rows` and `observed`.

        `low` and `high` are the 95 % interval of the risk; they are left out if `errors` is None. `observed`
        is the share of the positive class.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"} or None
            The kind of data frame; None uses the first that is installed.
        """
        return make_frame({name: values.tolist() for name, values in self._columns().items()}, backend)

    def _texts(self) -> list[list[str]]:
        """The cells of the table as text, the names of the columns first."""
        formats = {"score": "{}", "rows": "{:g}"}
        columns = self._columns()
        names = [f"risk of {label_text(self.pos_label)}" if name == "risk" else name for name in columns]
        cells = [[formats.get(name, "{:.1%}").format(each) for each in columns[name]] for name in columns]
        return [names, *map(list, zip(*cells, strict=True))]

    def to_markdown(self) -> str:
        """The table in Markdown, with the columns of `to_frame`."""
        names, *rows = self._texts()
        lines = [[plain_markdown(name) for name in names], ["---:"] * len(names), *rows]
        return "".join(f"| {' | '.join(line)} |\n" for line in lines)

    def __str__(self) -> str:
        texts = self._texts()
        widths = [max(7, len(name)) for name in texts[0]]
        return "\n".join(
            "  ".join(f"{text:>{width}}" for text, width in zip(line, widths, strict=True)) for line in texts
        )


_SMALL_CURVATURE = 1e-3  # if all held-out rows have the same score, this keeps the variances finite
_NEAR = 0.5  # log-odds within which scores share their spread


def risk_table_of(
    space: SearchSpace, folds: list[FoldPredictions], key: Key, calibration: Calibration, card: FinalCard
) -> RiskTable | None:
    """The risks of a scorecard with two classes, and their errors; None with more classes.

    If a class has no held-out row, nothing is calibrated, and the errors are not known.
    """
    rows = space.rows
    if rows.outcome.positive is None:
        return None
    votes = rows.outcome.flat(card.votes)
    table = RiskTable.of(votes, rows.codes, rows.weights, card.slope, card.offset, rows.outcome.pos_label)
    held_out = HeldOut(rows, folds)
    if not held_out.has_every_class:
        return table
    variances = _calibration_variances(rows, held_out, key, calibration)
    spread = _spread(space, folds, key, calibration, table, votes)
    return replace(table, errors=_in_points(variances, calibration, table, spread, _factors(rows)))


def _factors(rows: SearchRows) -> tuple[float, float]:
    """The class weights of the two classes."""
    against, towards = (1.0, 1.0) if rows.class_factors is None else rows.class_factors.tolist()
    return against, towards


# --- the calibration ---


def _calibration_variances(
    rows: SearchRows, held_out: HeldOut, key: Key, calibration: Calibration
) -> tuple[float, float, float]:
    """The variance of the slope, its covariance with the offset, and the variance of the offset.

    The slope and the offset maximize a weighted likelihood, so that the variance is that of the sandwich:
    the inverse curvature, the variance of the gradient, the inverse curvature. A row of weight w counts as w
    rows; a class weight multiplies the gradient of a row instead. A row that is held out several times counts
    once. No probability counts as closer to 0 or 1 than the number of rows can tell.
    """
    log_odds = held_out.log_odds(key)
    x = log_odds.values[:, 0]
    weights = np.bincount(log_odds.index, held_out.weights, len(x)) / _n_times(rows, held_out)
    return calibration_variances(x, weights, calibration.slope, float(calibration.offsets[0]), _factors(rows))


def calibration_variances(
    x: Floats, weights: Floats, slope: float, offset: float, factors: tuple[float, float]
) -> tuple[float, float, float]:
    """The same for scores x with weights, to which a slope and an offset were fitted.

    `factors` are the class weights of the two classes.
    """
    p = probabilities((slope * x + offset)[:, None])[:, 0]
    least = 1.0 / (2.0 + float(exact_sum(weights)))
    p = np.clip(p, least, 1.0 - least)
    against, towards = factors
    h = weights * p * (1.0 - p)
    a, b, c = _moments(h, x)
    u, v, w = _moments(h * (towards * (1.0 - p) + against * p), x)
    a, c = a + _SMALL_CURVATURE, c + _SMALL_CURVATURE
    determinant = (a * c - b * b) ** 2
    return (
        (c * c * u - 2.0 * b * c * v + b * b * w) / determinant,
        ((a * c + b * b) * v - b * c * u - a * b * w) / determinant,
        (b * b * u - 2.0 * a * b * v + a * a * w) / determinant,
    )


def _n_times(rows: SearchRows, held_out: HeldOut) -> float:
    """How often a held-out row is held out, on average; of a row of weight w, w copies are."""
    weights = np.bincount(held_out.rows, held_out.weights, len(rows.codes)).astype(np.float64)
    return float(exact_sum(weights) / exact_sum(np.minimum(weights, rows.weights)))


def _moments(weights: Floats, x: Floats) -> tuple[float, float, float]:
    """The sums of weights times x squared, x, and 1."""
    return float(exact_sum(weights * x * x)), float(exact_sum(weights * x)), float(exact_sum(weights))


def _in_points(
    variances: tuple[float, float, float],
    calibration: Calibration,
    table: RiskTable,
    spread: Floats,
    factors: tuple[float, float],
) -> RiskErrors:
    """The same for scores: the log-odds before calibration are first + step * score."""
    own, both, offset = variances
    below = table.slope * table.scores + table.offset < 0
    step = table.slope / calibration.slope
    first = (table.offset - float(calibration.offsets[0])) / calibration.slope
    return RiskErrors(
        step * step * own,
        step * (first * own + both),
        max(first * first * own + 2.0 * first * both + offset, 0.0),
        spread,
        float(exact_sum(table.counts[below])) / max(factors[1], 1e-9),
        float(exact_sum(table.counts[~below])) / max(factors[0], 1e-9),
    )


# --- the scorecards of the folds ---


def _spread(
    space: SearchSpace,
    folds: list[FoldPredictions],
    key: Key,
    calibration: Calibration,
    table: RiskTable,
    votes: Floats,
) -> Floats:
    """The variance of the log-odds at each score over scorecards from other rows, by the jackknife.

    For the rows with a score of the final scorecard, the mean calibrated log-odds of each fold's scorecard is
    compared with that of the final one. A fold leaves out a share d of the rows, so that the squared
    difference is (1 - d) / d times too small or too large. Scores with similar log-odds share the mean of
    their variances, because some of them have few rows.
    """
    rows, (search, size) = space.rows, key
    index = np.searchsorted(table.scores, votes)
    log_odds: Floats = table.slope * table.scores.astype(np.float64) + table.offset
    squares = np.zeros(len(log_odds))
    for fold in folds:
        card = fold.cards[search].only(size)
        scores = space.table.scores(card, np.arange(len(rows.codes)))[0, 0].astype(np.float64) / SCORE_UNIT
        own = calibration.slope * scores + calibration.offsets[0]
        mean = np.bincount(index, rows.weights * own, len(log_odds)) / table.counts
        factor = (1.0 - fold.left_out) / max(fold.left_out, 1e-9)
        squares = squares + factor * (mean - log_odds) ** 2
    return _smooth(squares / len(folds), table.counts, log_odds)


def _smooth(values: Floats, weights: Floats, log_odds: Floats) -> Floats:
    """The weighted mean of the values at similar log-odds, which ascend."""
    first = np.searchsorted(log_odds, log_odds - _NEAR, side="left")
    last = np.searchsorted(log_odds, log_odds + _NEAR, side="right")
    sums, totals = (np.append(0.0, np.cumsum(part)) for part in (weights * values, weights))
    return np.asarray((sums[last] - sums[first]) / (totals[last] - totals[first]), np.float64)
