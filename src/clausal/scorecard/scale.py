"""A scorecard on another scale, such as 600 points at odds of 50 to 1 and 20 points more to double the odds.

The points of each rule are multiplied and rounded, so a total differs a little from the exact scale. The sums
that the points can have are enumerated: they tell how much the totals differ at most, and a rounding is only
taken if some cut-off decides each of them as before (docs/decisions/0026). Not here: the scale of log-odds
itself (calibration.py).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.columns import number_text
from clausal.encoding.remarks import level_of_user
from clausal.parameters import Number, OneOf, check_value
from clausal.rules.cells import parts_of_rules
from clausal.rules.rule_set import RuleSet
from clausal.scorecard.calibration import Floats
from clausal.scorecard.risk_table import RiskErrors, RiskTable
from clausal.wording import label_text

if TYPE_CHECKING:
    from clausal.scorecard.scorecard import Scorecard

_WEIGHTED = (
    "The odds of the scale are those of the weighted classes, because the scorecard was fitted with "
    "class_weight. For the odds of a table, calibrate it before: card.edit(X, y).recalibrate()."
)
_N_FACTORS = 20  # tried on both sides of the exact one
_MAX_WORK = 2e7  # sums times parts for one rounding; of more, only one factor for all points is tried
_LARGEST = 2.0**50  # total


@dataclass(frozen=True)
class Scale:
    """What a score means.

    Attributes
    ----------
    base_score, base_odds : this score stands for these odds of the positive class
    points_to_double : so many points more double the odds
    """

    base_score: float
    base_odds: float
    points_to_double: float

    @property
    def slope(self) -> float:
        """The log-odds of one point."""
        return math.log(2.0) / self.points_to_double

    @property
    def offset(self) -> float:
        """The log-odds of a score of 0."""
        return math.log(self.base_odds) - self.slope * self.base_score

    def text(self, label: object, error: float, *, weighted: bool = False) -> str:
        """In words, with the most that a total differs from the scale, in points.

        `weighted` if the odds are those of weighted classes.
        """
        of = " of the weighted classes" if weighted else ""
        return (
            f"A score of {number_text(self.base_score)} stands for odds of {number_text(self.base_odds)} to "
            f"1 for {label_text(label)}{of}, and {number_text(self.points_to_double)} points more double the "
            f"odds. Whole points make a total differ from this scale by at most {error:.2f} points, a "
            f"factor of {2.0 ** (error / self.points_to_double):.3f} in the odds."
        )


def check_scale(
    base_score: float = 600, base_odds: float = 50, points_to_double: float = 20, positive: bool = True
) -> None:
    """Refuse arguments of `Scorecard.scaled` that are no scale."""
    check_value("scaled", "base_score", base_score, (Number(-1e9, 1e9),))
    check_value("scaled", "base_odds", base_odds, (Number(0, 1e9, open_low=True),))
    check_value("scaled", "points_to_double", points_to_double, (Number(0, 1e9, open_low=True),))
    check_value("scaled", "positive", positive, (OneOf(True, False),))


def scaled(
    card: Scorecard, base_score: float, base_odds: float, points_to_double: float, positive: bool
) -> Scorecard:
    """See `Scorecard.scaled`."""
    check_scale(base_score, base_odds, points_to_double, positive)
    card.rules_.outcome.require_classes("A scale")
    if card.rules_.outcome.positive is None:
        raise ValueError(
            "A scorecard to be scaled must have two classes, because a score stands for the odds of one "
            f"class against the other. Got {len(card.classes_)} classes."
        )
    numbers = [*card.rules_.constants, *(rule.points for rule in card.rules_)]
    if any(number != int(number) for number in numbers):
        raise ValueError("A scorecard to be scaled must have whole points. Got fractions.")
    card = card if positive else turned(card)
    scale = Scale(float(base_score), float(base_odds), float(points_to_double))
    rounding = _best_rounding(card, scale)
    rules = card.rules_
    found = RuleSet(
        [replace(rule, points=new) for rule, new in zip(rules, rounding.points, strict=True)],
        rules.encoding,
        rules.outcome,
        [rounding.constant],
        cut_off=rounding.cut_off,
        overrides=rules.overrides,
    )
    own = vars(card).get("risk_table_")
    weighted = card.class_weight is not None
    text = scale.text(found.outcome.pos_label, rounding.error, weighted=weighted)
    if weighted:
        warnings.warn(_WEIGHTED, UserWarning, stacklevel=level_of_user())
    return card.replace(
        rules=found,
        slope=scale.slope,
        offset=scale.offset,
        risk_table=None if own is None else _scaled_table(own, scale, rounding),
        about={**card.about_, "scale": text},
        scale=scale,
        constraints=card._constraints.scaled(rounding.of_points),
    )


def turned(card: Scorecard) -> Scorecard:
    """The same scorecard of two classes with points for the other class."""
    rules = card.rules_
    found = RuleSet(
        [replace(rule, points=-rule.points) for rule in rules],
        rules.encoding,
        rules.classes[::-1],
        [-constant for constant in rules.constants],
        cut_off=1 - math.ceil(rules.outcome.cut_off),  # of whole totals
        overrides=rules.overrides,
    )
    table = vars(card).get("risk_table_")
    if table is not None:
        table = RiskTable(
            table.slope,
            -table.offset,
            -table.scores[::-1],
            table.counts[::-1],
            (table.counts - table.positives)[::-1],
            found.outcome.pos_label,
            table.errors and _turned_errors(table.errors),
        )
    return card.replace(
        rules=found, offset=-card.offset_, risk_table=table, constraints=card._constraints.turned()
    )


def _turned_errors(errors: RiskErrors) -> RiskErrors:
    return replace(
        errors,
        covariance=-errors.covariance,
        spread=errors.spread[::-1],
        rows_below=errors.rows_above,
        rows_above=errors.rows_below,
    )


# --- whole points ---


@dataclass(frozen=True)
class _Rounding:
    """Whole points on a scale.

    Attributes
    ----------
    points : of each rule
    constant, cut_off : of the scorecard
    factor, shift : a former total times the factor plus the shift is its place on the scale
    totals, middles : former totals, ascending, and the middle of what they become
    error : the most by which a total differs from the scale
    of_points : the factor of the points of rules, before they were rounded
    """

    points: tuple[int, ...]
    constant: int
    cut_off: int
    factor: float
    shift: float
    totals: NDArray[np.int64]
    middles: Floats
    error: float
    of_points: float = 1.0


def _best_rounding(card: Scorecard, scale: Scale) -> _Rounding:
    """The rounding that decides all totals as before and differs least from the scale."""
    rules = card.rules_
    points = np.array([int(rule.points) for rule in rules], np.int64)
    exact, shift = card.slope_ / scale.slope, (card.offset_ - scale.offset) / scale.slope
    parts = [np.unique(part.holds, axis=0) for part in parts_of_rules(rules)]
    reach = float(np.abs(points).sum() + abs(rules.constants[0]) + abs(rules.outcome.cut_off))
    if not exact * reach + abs(shift) < _LARGEST:
        raise ValueError(
            "The scores of a scaled scorecard must be smaller than 2**50. Use fewer points_to_double. "
            f"Got {scale.points_to_double:g}."
        )
    found = []
    for factor in _factors(points, exact, len(parts)):
        new = np.rint(factor * points).astype(np.int64)
        if (new[points != 0] != 0).all():
            rounding = _rounding(rules, new, exact, shift, parts)
            found.append(rounding and replace(rounding, of_points=factor))
    best = min((each for each in found if each is not None), key=lambda each: each.error, default=None)
    if best is None or best.error > scale.points_to_double / 2:
        wanted = math.ceil(2 * best.error) if best is not None else "more"
        raise ValueError(
            "The 'points_to_double' parameter of scaled must be large enough for whole points, about "
            f"{wanted} for this scorecard. Got {scale.points_to_double:g}."
        )
    return best


def _factors(points: NDArray[np.int64], exact: float, n_parts: int) -> Iterator[float]:
    """Factors by which points may be multiplied before they are rounded; first those without rounding."""
    common = math.gcd(*np.abs(points).tolist()) or 1
    whole = max(round(exact * common), 1)
    yield whole / common
    if float(np.abs(points).sum()) * max(n_parts, 1) <= _MAX_WORK:
        yield exact
        size = float(np.abs(points).max(initial=1))
        for step in range(1, _N_FACTORS + 1):
            yield from (exact + sign * step / (_N_FACTORS * size) for sign in (1, -1))


def _rounding(
    rules: RuleSet, new: NDArray[np.int64], exact: float, shift: float, parts: Sequence[NDArray[np.bool_]]
) -> _Rounding | None:
    """The constant and the cut-off for whole points of rules; None if no cut-off decides as before."""
    old = np.array([int(rule.points) for rule in rules], np.int64)
    start, cut = int(rules.constants[0]), math.ceil(rules.outcome.cut_off)
    factor = _common_factor(old, new)
    sums = _Sums.of(old, new, parts) if factor is None else _Sums.linear(old, parts, factor, cut - start)
    totals = sums.totals + start
    wanted = exact * totals + shift
    below, above = float((sums.low - wanted).min()), float((sums.high - wanted).max())
    constant = round(-(below + above) / 2)
    error = max(above + constant, -(below + constant))
    rejects = totals < cut
    highest = int(sums.high[rejects].max()) + constant if rejects.any() else None
    lowest = int(sums.low[~rejects].min()) + constant if not rejects.all() else None
    cut_off = round(exact * cut + shift)
    cut_off = cut_off if highest is None else max(cut_off, highest + 1)
    cut_off = cut_off if lowest is None else min(cut_off, lowest)
    if highest is not None and cut_off <= highest:
        return None
    middles = (sums.low + sums.high) / 2 + constant
    return _Rounding(tuple(new.tolist()), constant, cut_off, exact, shift, totals, middles, error)


def _common_factor(old: NDArray[np.int64], new: NDArray[np.int64]) -> float | None:
    """The factor between all points and the rounded ones, if it is the same one."""
    if not len(old) or (new * old[0] == old * new[0]).all():
        return float(new[0] / old[0]) if len(old) and old[0] else 1.0
    return None


# --- the sums that points can have ---


@dataclass(frozen=True)
class _Sums:
    """The sums of points that rows can have, and the least and the most that rounded points give for each."""

    totals: NDArray[np.int64]
    low: Floats
    high: Floats

    @classmethod
    def linear(
        cls, old: NDArray[np.int64], parts: Sequence[NDArray[np.bool_]], factor: float, cut: int
    ) -> _Sums:
        """If all points have the same factor: the extreme sums, and those on both sides of a cut."""
        ends = np.array([[(holds @ old).min(), (holds @ old).max()] for holds in parts], np.int64)
        low, high = ends.reshape(-1, 2).sum(axis=0).tolist()
        step = math.gcd(*np.abs(old).tolist()) or 1  # all sums are so far apart
        above = low - (low - cut) // step * step  # the lowest one that is not below the cut
        totals = np.unique(np.clip(np.array([low, above - step, above, high]), low, high))
        return cls(totals, np.rint(totals * factor), np.rint(totals * factor))

    @classmethod
    def of(cls, old: NDArray[np.int64], new: NDArray[np.int64], parts: Sequence[NDArray[np.bool_]]) -> _Sums:
        """Part by part: the extremes of the rounded sums for each sum."""
        first, low, high = 0, np.zeros(1), np.zeros(1)
        for holds in parts:
            before, after = holds @ old, holds @ new
            size = len(low) + int(np.ptp(before))
            lows, highs = np.full(size, np.inf), np.full(size, -np.inf)
            for state, change in zip((before - before.min()).tolist(), after.tolist(), strict=True):
                own = slice(state, state + len(low))
                lows[own] = np.minimum(lows[own], low + change)
                highs[own] = np.maximum(highs[own], high + change)
            first, low, high = first + int(before.min()), lows, highs
        found = np.isfinite(low)
        return cls(first + np.flatnonzero(found), low[found], high[found])


# --- the risks ---


def _scaled_table(table: RiskTable, scale: Scale, rounding: _Rounding) -> RiskTable:
    """The risk of each former score, on the new scale."""
    scores = np.rint(np.interp(table.scores, rounding.totals, rounding.middles)).astype(np.int64)
    scores, index = np.unique(scores, return_inverse=True)
    counts, positives = (
        np.bincount(index, each, len(scores)).astype(np.float64) for each in (table.counts, table.positives)
    )
    errors = table.errors
    if errors is not None:
        spread = np.zeros(len(scores))
        np.maximum.at(spread, index, errors.spread)
        k, d = rounding.factor, rounding.shift
        own, both, offset = errors.slope_variance, errors.covariance, errors.offset_variance
        errors = replace(
            errors,
            slope_variance=own / k**2,
            covariance=both / k - own * d / k**2,
            offset_variance=max(offset - 2.0 * both * d / k + own * (d / k) ** 2, 0.0),
            spread=spread,
        )
    return RiskTable(scale.slope, scale.offset, scores, counts, positives, table.pos_label, errors)
