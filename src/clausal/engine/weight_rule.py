"""The weight rules as one thing: a walk over whole-number levels, each of which has a vote.

A clause keeps a level. A reward moves it up by one and a penalty down by one, within bounds, or to where
tables say (CPL-ATS, point_location.py). A rule with a margin leaves the level as it is where the clause is
not needed for a right decision (RWTLA). What the clause votes is its level, or an integer looked up by level
(real weights, CPL-ATS), so that votes are exact integers under every rule. The C++ twin is
core/weight_rule.hpp. Not here: when a clause is rewarded or penalised (feedback.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clausal.engine.point_location import locate_points

Weighting = Literal["none", "integer", "real", "rwtla", "cpl_ats"]

REAL_SCALE = 1 << 16
"""Votes of real-weighted clauses are counted in units of 1 / 65536."""

MAX_LEVEL = 2**31 - 1
MAX_REAL_WEIGHT = 1 << 14
MARGIN_SHARE = 2
"""The margin of RWTLA is T / 2."""


@dataclass(frozen=True, eq=False)
class WeightRule:
    """Bounds of the level, where it starts, where it moves, and what it votes.

    Attributes
    ----------
    low, high, start : the walk's bounds and its first value
    scale : votes are counted in units of 1 / scale
    table : int32 [high - low + 1], the vote of each level in those units; None when the vote is the level
    up, down : int32 [high - low + 1], the level after a reward and after a penalty; None for one up or down
    margin : in those units; a level stays if the vote without the clause is right by more; None for never
    """

    low: int
    high: int
    start: int
    scale: int = 1
    table: NDArray[np.int32] | None = None
    up: NDArray[np.int32] | None = None
    down: NDArray[np.int32] | None = None
    margin: int | None = None

    def reward(self, levels: NDArray[np.int32]) -> NDArray[np.int32]:
        """The levels after a reward: one up, at most `high`, unless a table says where."""
        return levels + (levels < self.high) if self.up is None else self.up[levels - self.low]

    def penalise(self, levels: NDArray[np.int32]) -> NDArray[np.int32]:
        """The levels after a penalty: one down, at least `low`, unless a table says where."""
        return levels - (levels > self.low) if self.down is None else self.down[levels - self.low]

    def stays(self, levels: NDArray[np.int32], lead: int) -> NDArray[np.bool_]:
        """Whether the decision is right by more than the margin without a clause of each level.

        `lead` is the clipped vote for the label of the sample.
        """
        none = np.zeros(levels.shape, bool)
        return none if self.margin is None else lead - self.points(levels) > self.margin

    def points(self, levels: NDArray[np.int32]) -> NDArray[np.int64]:
        """The vote of each level, in units of 1 / scale."""
        return (levels if self.table is None else self.table[levels - self.low]).astype(np.int64)

    def is_live(self, levels: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Whether each level gives a weight above 0."""
        live: NDArray[np.bool_] = self.points(levels) != 0
        return live

    def weights(self, levels: NDArray[np.int32]) -> NDArray[Any]:
        """The weight of each level: int64, or float64 under the real rule."""
        points = self.points(levels)
        return points if self.scale == 1 else points / self.scale


def weight_rule(
    weighting: Weighting,
    *,
    floor: int,
    maximum: float | None,
    gain: float,
    threshold: int,
    signed: bool = False,
) -> WeightRule:
    """Build the rule from the estimator's parameters `weight_floor`, `max_weight`, `weight_gain` and T.

    `signed`: whole weights below 0 are possible, as of clauses that banks share.
    """
    if weighting == "none":
        return WeightRule(low=1, high=1, start=1)
    if weighting == "real":
        return _real_rule(gain, MAX_REAL_WEIGHT if maximum is None else min(float(maximum), MAX_REAL_WEIGHT))
    if weighting == "cpl_ats":
        most = threshold if maximum is None else min(int(maximum), threshold)
        located = locate_points(min(floor, most), most)
        return WeightRule(0, len(located.points) - 1, 0, 1, located.points, located.up, located.down)
    high = MAX_LEVEL if maximum is None else int(maximum)
    if signed:
        return WeightRule(low=-high, high=high, start=1)
    margin = threshold // MARGIN_SHARE if weighting == "rwtla" else None
    return WeightRule(low=floor, high=high, start=max(1, floor), margin=margin)


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
