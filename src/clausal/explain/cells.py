"""How the rules of a model see each feature: as a few cells, within which no rule tells values apart.

A feature of 17 patterns whose rules test two cut points has three cells. A domain holds the values that a
person could type for a feature: for a number its cut points and the next short number above each, else the
known categories, or true and false. Not here: what is done with cells (counterfactual_search.py, effects.py).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.columns import number_text
from clausal.encoding.features import (
    BooleanFeature,
    Feature,
    NominalFeature,
    NumericFeature,
    RankedFeature,
    encode_feature,
)
from clausal.encoding.values import STRICT, plain_category, values_from_array
from clausal.explain.given_rows import Value
from clausal.rules.patterns import Patterns, patterns_of_features
from clausal.rules.rule import Literal
from clausal.rules.rule_set import RuleSet


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of one feature.

    Attributes
    ----------
    feature : position of the feature in the table
    patterns : the combinations that its columns can take
    of_pattern : int [patterns], the cell of each
    allows : bool [cells, rules], the rules whose conditions on this feature hold there
    """

    feature: int
    patterns: Patterns
    of_pattern: NDArray[np.intp]
    allows: NDArray[np.bool_]

    def pattern_of(self, bits: NDArray[np.uint8]) -> NDArray[np.intp]:
        """The pattern of each row of all boolean columns, uint8 [n, columns]."""
        first, patterns = self.patterns.first, self.patterns
        own = bits[:, first : first + patterns.n_value_columns] == 1
        found: NDArray[np.intp] = (~own).sum(axis=1)  # cut points that the value is above
        if not patterns.ranked:
            rows, columns = own.nonzero()  # at most one column of a row holds
            found[:] = patterns.n_value_columns
            found[rows] = columns
        if patterns.nullable:
            found[bits[:, first + patterns.n_value_columns] == 1] = patterns.n_patterns - 1
        return found


def cells_of_rules(rules: RuleSet) -> Iterator[Cells]:
    """The cells of every feature that the rules use, by position of the feature."""
    patterns = patterns_of_features(rules.columns)
    used: dict[int, list[tuple[int, Literal]]] = {}
    for place, rule in enumerate(rules):
        for literal in rule.literals:
            used.setdefault(literal.column.feature_index, []).append((place, literal))
    for feature in sorted(used):
        own = patterns[feature]
        tested = sorted({literal.position - own.first for _, literal in used[feature]})
        _, first, inverse = np.unique(own.values[:, tested], axis=0, return_index=True, return_inverse=True)
        order = np.argsort(first)  # cells in the order of their patterns
        allows = np.ones((len(own.values), len(rules)), bool)
        for place, literal in used[feature]:
            allows[:, place] &= own.allowed([literal])
        yield Cells(feature, own, np.argsort(order)[inverse.ravel()], allows[first[order]])


NEVER = 2**50  # the cost of what cannot be done; others, also added up, are below
_CHANGED = 2**34  # fewer changes are preferred to smaller ones
_TO_MISSING = 2**20  # real values are preferred to none
_MORE_DIGITS = 25  # that a number just above another may have


@dataclass(frozen=True, eq=False)
class Domain:
    """The values that one feature can be changed to.

    Attributes
    ----------
    feature : the fitted feature
    cells : how rules see it
    values : what a person would type; None stands for missing
    patterns : int [values], the pattern that each gives, as the encoding says
    """

    feature: Feature
    cells: Cells
    values: tuple[Value, ...]
    patterns: NDArray[np.intp]

    def steps(self, present: int) -> NDArray[np.int64]:
        """The size of the change from a pattern to each value: cut points crossed, or 1 for a category."""
        steps = np.abs(self.patterns - present).astype(np.int64)
        missing = self.cells.patterns.n_patterns - 1 if self.feature.nullable else None
        if not _is_ordered(self.feature) or present == missing:
            steps = np.minimum(steps, 1)
        steps[self.patterns == missing] += _TO_MISSING
        return steps

    def costs(self, present: int) -> NDArray[np.int64]:
        """The least cost of a change from a pattern into each cell, [cells]; NEVER where no value leads."""
        costs = np.full(len(self.cells.allows), NEVER, np.int64)
        np.minimum.at(costs, self.cells.of_pattern[self.patterns], _CHANGED + self.steps(present))
        costs[self.cells.of_pattern[present]] = 0
        return costs

    def nearest(self, present: int, value: Value, cell: int) -> Value:
        """The value in a cell with the least change from the present one, the nearest of those."""
        inside = np.flatnonzero(self.cells.of_pattern[self.patterns] == cell)
        place = _place(self.feature, value)
        distances = [abs(_place(self.feature, self.values[i]) - place) for i in inside]
        order = np.lexsort((np.nan_to_num(distances), self.steps(present)[inside]))
        return self.values[int(inside[order[0]])]


def make_domain(feature: Feature, cells: Cells, kind: str) -> Domain:
    """The values of a feature whose column, in the table at hand, holds values of this kind."""
    values = _typed_values(feature, kind)
    column = np.empty(len(values), object)
    column[:] = values
    first = cells.patterns.first
    bits = np.zeros((len(values), first + feature.n_columns), np.uint8)
    encode_feature(feature, values_from_array("", column), bits[:, first:], STRICT)
    patterns = cells.pattern_of(bits)
    if feature.nullable:
        values, patterns = [*values, None], np.append(patterns, cells.patterns.n_patterns - 1)
    return Domain(feature, cells, tuple(values), patterns)


def _typed_values(feature: Feature, kind: str) -> list[Value]:
    """Values that together give every pattern that any value can give."""
    values: list[Any]
    if isinstance(feature, BooleanFeature):
        values = [1, 0] if kind == "number" else [True, False]
    elif isinstance(feature, (NominalFeature, RankedFeature)):
        values = list(feature.categories)
    elif kind == "bool":
        values = [False, True]
    else:
        values = _numbers_around(feature.cuts if isinstance(feature, NumericFeature) else ())
    return [bool(value) for value in values if value in (0, 1)] if kind == "bool" else values


def _numbers_around(cuts: tuple[float, ...]) -> list[Value]:
    """Each cut point and a short number just above it; any number where there is no cut point."""
    if not cuts:
        return [0]
    numbers: list[Value] = []
    for cut, limit in zip(cuts, (*cuts[1:], math.inf), strict=True):
        above = just_above(cut, limit)
        numbers += [plain_category(number) for number in (cut, above) if number is not None]
    return list(dict.fromkeys(numbers))


def just_above(cut: float, limit: float) -> float | None:
    """A number above `cut` with no more decimals than it has, or as many as it takes to be within `limit`."""
    decimal = Decimal(number_text(cut))
    exponent = int(decimal.as_tuple().exponent)
    for more in range(_MORE_DIGITS):
        number = float(decimal + Decimal(1).scaleb(exponent - more))
        if cut < number <= limit and math.isfinite(number):
            return number
    number = math.nextafter(cut, math.inf)
    return number if number <= limit and math.isfinite(number) else None


def _is_ordered(feature: Feature) -> bool:
    """Whether patterns follow an order of the values, so that the cut points between them can be counted."""
    return feature.ordered if isinstance(feature, RankedFeature) else isinstance(feature, NumericFeature)


def _place(feature: Feature, value: Value) -> float:
    """Where a value lies on the feature's scale; NaN where there is none."""
    if isinstance(feature, NumericFeature) and isinstance(value, (int, float)):
        return float(value)
    if isinstance(feature, RankedFeature) and feature.ordered and value in feature.categories:
        return float(feature.categories.index(value))
    return math.nan
