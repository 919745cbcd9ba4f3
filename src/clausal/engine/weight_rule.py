"""The weight rules none, integer and real, as one thing: a bounded walk in steps of one.

A clause keeps a whole-number level; a reward moves it up by one, a penalty down by one, within bounds. What
the clause votes is its level (none, integer) or a fixed-point power of 1 + gain looked up by level (real),
so that votes are exact integers under every rule. The C++ twin is core/weight_rule.hpp. Not here: when a
clause is rewarded or penalised (feedback.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Weighting = Literal["none", "integer", "real"]

REAL_SCALE = 1 << 16
"""Votes of real-weighted clauses are counted in units of 1 / 65536."""

MAX_LEVEL = 2**31 - 1
MAX_REAL_WEIGHT = 1 << 14


@dataclass(frozen=True, eq=False)
class WeightRule:
    """Bounds of the level, where it starts, and what it votes.

    Attributes
    ----------
    low, high, start : the walk's bounds and its first value
    scale : votes are counted in units of 1 / scale
    table : int32 [high - low + 1], the vote of each level in those units; None when the vote is the level
    """

    low: int
    high: int
    start: int
    scale: int = 1
    table: NDArray[np.int32] | None = None

    def reward(self, levels: NDArray[np.int32]) -> NDArray[np.int32]:
        """The levels after a reward: one up, at most `high`."""
        return levels + (levels < self.high)

    def penalise(self, levels: NDArray[np.int32]) -> NDArray[np.int32]:
        """The levels after a penalty: one down, at least `low`."""
        return levels - (levels > self.low)

    def points(self, levels: NDArray[np.int32]) -> NDArray[np.int64]:
        """The vote of each level, in units of 1 / scale."""
        return (levels if self.table is None else self.table[levels - self.low]).astype(np.int64)

    def is_live(self, levels: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Whether each level gives a weight above 0: every power of 1 + gain does, and every level but 0."""
        return levels != 0 if self.table is None else np.ones(levels.shape, bool)

    def weights(self, levels: NDArray[np.int32]) -> NDArray[Any]:
        """The weight of each level: int64, or float64 under the real rule."""
        points = self.points(levels)
        return points if self.scale == 1 else points / self.scale


def weight_rule(weighting: Weighting, *, floor: int, maximum: float | None, gain: float) -> WeightRule:
    """Build the rule from the estimator's parameters `weight_floor`, `max_weight` and `weight_gain`."""
    if weighting == "none":
        return WeightRule(low=1, high=1, start=1)
    if weighting == "integer":
        high = MAX_LEVEL if maximum is None else int(maximum)
        return WeightRule(low=floor, high=high, start=max(1, floor))
    return _real_rule(gain, MAX_REAL_WEIGHT if maximum is None else min(float(maximum), MAX_REAL_WEIGHT))


def _real_rule(gain: float, maximum: float) -> WeightRule:
    """Powers of 1 + gain from the least that is not 0 in fixed point up to the maximum.

    The powers are computed in decimal arithmetic of fixed precision: the same digits on every platform.
    """
    context = Context(prec=50, rounding=ROUND_HALF_EVEN)
    factor, most = context.add(1, Decimal(gain)), context.multiply(Decimal(maximum), REAL_SCALE)
    above, power = [REAL_SCALE], Decimal(REAL_SCALE)
    while (power := context.multiply(power, factor)) <= most:
        above.append(int(context.to_integral_value(power)))
    below, power = [], Decimal(REAL_SCALE)
    while (value := int(context.to_integral_value(power := context.divide(power, factor)))) >= 1:
        below.append(value)
    table = np.array(below[::-1] + above, dtype=np.int32)
    return WeightRule(low=-len(below), high=len(above) - 1, start=0, scale=REAL_SCALE, table=table)
