"""Numbers as targets of a scorecard: their losses, their scale, and the line from scores to numbers.

A search works in units of the scale around a center (core/scorecard/loss.hpp). Here losses are exact: the
squared or absolute error, or the pinball loss, of each row. Not here: the choice among scorecards of numbers
(number_validation.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clausal.engine.card_search import MAX_TARGET
from clausal.outcome import Outcome
from clausal.scorecard.calibration import MIN_SLOPE, Floats, exact_sum

SQUARED, ABSOLUTE, QUANTILE = LOSSES = ("squared_error", "absolute_error", "quantile")
_SCORES = {SQUARED: "r2", ABSOLUTE: "d2_absolute_error", QUANTILE: "d2_pinball"}
LEVELS = np.arange(1, 200) / 200.0
"""Of the quantiles of residuals."""
_FIRST_STEP, _N_STEPS, _MAX_MOVES = 0.2, 4, 20  # of the search for a slope


@dataclass(frozen=True)
class NumberLoss:
    """A loss of predicted numbers.

    Attributes
    ----------
    name : one of LOSSES
    quantile : that is predicted; only with the loss "quantile"
    """

    name: str = SQUARED
    quantile: float = 0.5

    @property
    def of_search(self) -> tuple[str, float]:
        """The loss of a search and its quantile: that of the median for the absolute error."""
        if self.name == SQUARED:
            return SQUARED, 0.5
        return QUANTILE, self.quantile if self.name == QUANTILE else 0.5

    @property
    def score_name(self) -> str:
        """The name of the share of the loss that is explained, as in scikit-learn."""
        return _SCORES[self.name]

    def of_rows(self, numbers: Floats, predicted: Floats) -> Floats:
        """The loss of each row."""
        errors = numbers - predicted
        if self.name == SQUARED:
            return errors * errors
        if self.name == ABSOLUTE:
            return np.abs(errors)
        return np.maximum(self.quantile * errors, (self.quantile - 1.0) * errors)

    def mean(self, numbers: Floats, predicted: Floats, weights: Floats) -> float:
        """The mean loss."""
        losses = weights * self.of_rows(numbers, predicted)
        return float(exact_sum(losses) / exact_sum(weights))

    def constant(self, numbers: Floats, weights: Floats) -> float:
        """The constant with the lowest loss: the mean, or a quantile."""
        if self.name == SQUARED:
            return float(exact_sum(weights * numbers) / exact_sum(weights))
        return weighted_quantile(numbers, weights, self.of_search[1])

    def scale(self, numbers: Floats, weights: Floats, center: float) -> float:
        """The typical distance from the center: the standard deviation, or the mean absolute one."""
        largest = float(np.abs(numbers - center).max())  # squares of shares of it neither overflow nor vanish
        shares = np.abs(numbers - center) / largest
        powers = shares * shares if self.name == SQUARED else shares
        mean = float(exact_sum(weights * powers) / exact_sum(weights))
        return largest * (mean**0.5 if self.name == SQUARED else mean)

    def share_explained(self, numbers: Floats, predicted: Floats, weights: Floats) -> float | None:
        """1 minus the loss as a share of that of the best constant; None if that is 0."""
        constant = np.full(len(numbers), self.constant(numbers, weights))
        of_constant = self.mean(numbers, constant, weights)
        return 1.0 - self.mean(numbers, predicted, weights) / of_constant if of_constant > 0 else None

    def fit_line(self, values: Floats, numbers: Floats, weights: Floats) -> tuple[float, float]:
        """The slope, at least MIN_SLOPE, and the offset with which slope * values + offset fits best."""
        if self.name == SQUARED:
            slope = _least_squares(values, numbers, weights)
        else:
            slope = self._best_slope(values, numbers, weights)
        slope = max(slope, MIN_SLOPE)
        return slope, self.constant(numbers - slope * values, weights)

    def _best_slope(self, values: Floats, numbers: Floats, weights: Floats) -> float:
        """The slope, in steps that are halved; the loss with the best offset is convex in it."""

        def loss(slope: float) -> float:
            rest = numbers - slope * values
            return self.mean(rest, np.full(len(rest), self.constant(rest, weights)), weights)

        slope, best, step = 1.0, loss(1.0), _FIRST_STEP
        for _ in range(_N_STEPS):
            for sign in (1.0, -1.0):
                for _ in range(_MAX_MOVES):
                    tried = slope + sign * step
                    if tried < 0.0 or (found := loss(tried)) >= best:
                        break
                    slope, best = tried, found
            step /= 2.0
        return slope


def weighted_quantile(numbers: Floats, weights: Floats, quantile: float) -> float:
    """The smallest number at or below which there is this share of the weight."""
    order = np.argsort(numbers, kind="stable")
    sums = np.cumsum(weights[order])
    index = int(np.searchsorted(sums, quantile * sums[-1] * (1.0 - 1e-12)))
    return float(numbers[order[min(index, len(order) - 1)]])


def residual_quantiles(residuals: Floats, weights: Floats) -> Floats:
    """The quantiles of numbers minus predictions at LEVELS."""
    return np.array([weighted_quantile(residuals, weights, level) for level in LEVELS.tolist()])


def _least_squares(values: Floats, numbers: Floats, weights: Floats) -> float:
    total = exact_sum(weights)
    x = values - exact_sum(weights * values) / total
    y = numbers - exact_sum(weights * numbers) / total
    variance = float(exact_sum(weights * x * x))
    return float(exact_sum(weights * x * y)) / variance if variance > 0 else 0.0


@dataclass(frozen=True, eq=False)
class Numbers:
    """The numbers of rows, and the units in which they are searched.

    Attributes
    ----------
    values : float64 [k], the number of each row
    loss : that predictions of them minimize
    center : the best constant
    scale : the typical distance from it
    """

    values: Floats
    loss: NumberLoss
    center: float
    scale: float

    @classmethod
    def of(cls, values: Floats, weights: Floats, loss: NumberLoss) -> Numbers:
        """The numbers of rows with these weights."""
        center = loss.constant(values, weights)
        return cls(values, loss, center, loss.scale(values, weights, center))

    @cached_property
    def targets(self) -> Floats:
        """The numbers in units of the scale around the center, [1, k], as a search takes them."""
        return np.clip((self.values - self.center) / self.scale, -MAX_TARGET, MAX_TARGET)[None]

    @property
    def unit_of_loss(self) -> float:
        """The loss of an error of the scale, as a share of that of an error of 1."""
        return self.scale**2 if self.loss.name == SQUARED else self.scale


class NumberTarget(NamedTuple):
    """What scorecards of numbers predict of the rows of a table.

    Attributes
    ----------
    values : float64 [n], the number of each row
    loss : that predictions of them minimize
    classes : what the votes of machines mean, which learn the numbers as classes
    """

    values: Floats
    loss: NumberLoss
    classes: Outcome


CLASSES = ("low", "middle", "high")


def classes_of(numbers: Floats, weights: Floats) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """The numbers as classes that machines learn: thirds of the weight, or halves if two thirds are equal.

    At least two of them, if there are at least two different numbers of weight above 0.
    """
    used = np.unique(numbers[weights > 0])
    cuts = sorted({weighted_quantile(numbers, weights, share) for share in (1 / 3, 2 / 3)} - {used[-1]})
    cuts = cuts or [float(used[-2])]
    return np.searchsorted(cuts, numbers).astype(np.int32), CLASSES if len(cuts) == 2 else CLASSES[::2]
