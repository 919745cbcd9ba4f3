"""The calibrated probability for every score of a scorecard, with an interval.

Not here: the points (core/scorecard), the calibration (validation.py), the errors (risk_errors.py).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, ndtri

from clausal.frames import FrameBackend, make_frame
from clausal.rules.render import plain_markdown
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
        codes: NDArray[np.intp],
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
