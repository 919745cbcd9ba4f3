"""The rows that an export is tested with, and what the model makes of them.

For every condition of the model there are rows on both sides of it in which the other conditions of a rule
hold, so that a wrong comparison changes a vote; for every feature, rows in which it is missing or unknown.
Votes come from the model itself, not from its document. Not here: how a target writes these rows down.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.category_features import NominalFeature, RankedFeature
from clausal.encoding.columns import TYPED_DIGITS, Category, is_typed
from clausal.encoding.encoding import Encoding
from clausal.encoding.features import NumericFeature, encode_feature
from clausal.encoding.values import FeatureValues, values_from_array
from clausal.export.document import Probability
from clausal.rules.rule import Conjunction, Rule
from clausal.rules.rule_set import RuleSet
from clausal.wording import Number

Value = Category | bool | None
"""A value of a feature; None is missing."""

_NEIGHBORS = (-math.inf, math.inf)


@dataclass(frozen=True)
class Expected:
    """A row and what the model makes of it.

    Attributes
    ----------
    values : one value per feature of the document
    votes : the votes by bank, None if the model refuses the row
    decided : index of the class, or the predicted number, None if the row is refused
    probabilities : of each class, in their order; None if there are none or the row is refused
    fires : which rules hold
    override : index of the override that decides, None if there is none
    """

    values: tuple[Value, ...]
    votes: tuple[Number, ...] | None = None
    decided: int | float | None = None
    probabilities: tuple[float, ...] | None = None
    fires: tuple[bool, ...] = ()
    override: int | None = None


def self_test(rules: RuleSet, probability: Probability | None = None) -> tuple[Expected, ...]:
    """The rows for a model, each once, with their results; see `expected` for the order of the values."""
    features = sorted(rules.used_features)
    if not features:
        return expected(rules, [()], probability)
    read = {feature: _Values(rules.encoding, feature, _candidates(rules, feature)) for feature in features}
    tested = (*rules, *rules.overrides)
    bases = [_row_where(each, read) for each in tested]
    rows: dict[tuple[Value, ...], None] = {}
    done: set[int] = set()
    for each, base in zip(tested, bases, strict=True):
        rows[tuple(base.values())] = None
        for literal in each.literals:
            if literal.position in done and isinstance(each, Rule):
                continue
            done.add(literal.position)
            feature = literal.column.feature_index
            for value in _near(rules.encoding, feature, literal.column.value):
                rows[tuple((base | {feature: value}).values())] = None
    return expected(rules, rows, probability)


def expected(
    rules: RuleSet, rows: Iterable[Sequence[Value]], probability: Probability | None = None
) -> tuple[Expected, ...]:
    """What the model makes of rows, each with one value per feature that rules test, in the table's order."""
    features, listed = sorted(rules.used_features), [tuple(row) for row in rows]
    bits = np.zeros((len(listed), rules.encoding.n_columns), np.uint8)
    accepted = np.ones(len(listed), bool)
    for place, feature in enumerate(features):
        column = [row[place] for row in listed]
        read = _Values(rules.encoding, feature, column)
        own = rules.encoding.column_slice(feature)
        for index, value in enumerate(column):
            found = read.bits[_key(value)]
            accepted[index] &= found is not None
            if found is not None:
                bits[index, own] = found
    fires = rules.fires_on(bits)
    votes, overridden = rules.votes_of(fires), rules.overridden_on(bits)
    banked = rules.outcome.banked(votes)
    if rules.outcome.is_numeric:
        decided = rules.outcome.predictions(banked).tolist()
    else:
        decided = rules.decide(votes, overridden).tolist()
    held = [-1] * len(listed) if overridden is None else overridden.tolist()
    shares = None if probability is None else probability.probabilities(rules.outcome, banked).tolist()
    return tuple(
        Expected(
            row,
            tuple(banked[index].tolist()),
            decided[index],
            None if shares is None else tuple(shares[index]),
            tuple(fires[index].tolist()),
            held[index] if held[index] >= 0 else None,
        )
        if accepted[index]
        else Expected(row)
        for index, row in enumerate(listed)
    )


class _Values:
    """Values of a feature and the boolean columns that the encoding makes of each; None where refused."""

    def __init__(self, encoding: Encoding, feature: int, values: Iterable[Value]) -> None:
        self._encoding, self._feature = encoding, feature
        self.values = list({_key(value): value for value in values}.values())
        self.bits = {_key(value): self._bits_of(value) for value in self.values}

    def _bits_of(self, value: Value) -> NDArray[np.uint8] | None:
        feature, name = self._encoding.features[self._feature], self._encoding.feature_names[self._feature]
        bits = np.zeros((1, feature.n_columns), np.uint8)
        try:
            encode_feature(feature, _one_value(name, value), bits, self._encoding.policy)
        except ValueError:
            return None
        first: NDArray[np.uint8] = bits[0]
        return first

    def where(self, tests: Sequence[tuple[int, bool]]) -> Value:
        """A value for which these columns, of which some are negated, all hold; else the first value."""
        first = self._encoding.column_slice(self._feature).start
        for value in self.values:
            bits = self.bits[_key(value)]
            if bits is not None and all(bits[column - first] == (not negated) for column, negated in tests):
                return value
        return self.values[0]


def _key(value: Value) -> tuple[type, Value]:
    """What tells values apart: 1, 1.0 and True are equal."""
    return type(value), value


def _one_value(name: str, value: Value) -> FeatureValues:
    column = np.empty(1, dtype=object)
    column[0] = value
    return values_from_array(name, column)


def _row_where(rule: Conjunction, read: dict[int, _Values]) -> dict[int, Value]:
    """A row on which the rule holds, if there is one among the values."""
    tests: dict[int, list[tuple[int, bool]]] = {feature: [] for feature in read}
    for literal in rule.literals:
        tests[literal.column.feature_index].append((literal.position, literal.negated))
    return {feature: values.where(tests[feature]) for feature, values in read.items()}


def _candidates(rules: RuleSet, feature: int) -> list[Value]:
    """All values that a condition may be about, ordinary ones before those right beside a cut point."""
    literals = (literal for each in (*rules, *rules.overrides) for literal in each.literals)
    marks = dict.fromkeys(lit.column.value for lit in literals if lit.column.feature_index == feature)
    described = rules.encoding.features[feature]
    ordinary: list[Value] = []
    if isinstance(described, (NominalFeature, RankedFeature)):
        ordinary += described.categories
    elif isinstance(described, NumericFeature):
        cuts = sorted(mark for mark in marks if isinstance(mark, (int, float)))
        ordinary += [float(cut + step) for cut in cuts for step in (0, -1, 1)]
        ordinary += described.special
    return [*ordinary, *(value for mark in marks for value in _near(rules.encoding, feature, mark))]


def _near(encoding: Encoding, feature: int, mark: Any) -> list[Value]:
    """Values on both sides of what a column compares with, an unknown category, and a missing value."""
    described = encoding.features[feature]
    if isinstance(described, (NominalFeature, RankedFeature)):
        codes = [0] if mark is None else _codes(described, mark)
        codes += [code + step for code in codes for step in (-1, 1)]
        known = [described.categories[code % len(described.categories)] for code in codes]
        names = [name for name, _ in getattr(described, "groups", ()) if isinstance(known[0], str)]
        return [*known, *names, unknown_category(described.categories), None]
    if not isinstance(described, NumericFeature):
        return [True, False, None]
    if mark is None:
        return [0.0, *described.special, None]
    near = [math.nextafter(mark, end) for end in _NEIGHBORS] + [typed(mark, end) for end in _NEIGHBORS]
    finite = [number for number in near if math.isfinite(number)]
    return [float(mark), *finite, *described.special, None]


def _codes(feature: NominalFeature | RankedFeature, mark: Any) -> list[int]:
    """The first and the last category of a label, or the last one of several."""
    if isinstance(feature, RankedFeature):
        return [len(mark) - 1]
    return list(dict.fromkeys((feature.members(mark)[0], feature.members(mark)[-1])))


def typed(number: float, end: float) -> float:
    """The next number in the direction of `end` that has 15 digits, as a person types in a spreadsheet."""
    mode = ROUND_CEILING if end > 0 else ROUND_FLOOR
    beyond = Decimal(math.nextafter(number, end)) if is_typed(number) else Decimal(number)
    return float(Context(prec=TYPED_DIGITS, rounding=mode).plus(beyond))


def unknown_category(categories: Sequence[Category]) -> Category:
    """A value that is none of the categories."""
    if isinstance(categories[0], str):
        text = "unseen"
        while text in categories:
            text += "_"
        return text
    return next(number for number in range(len(categories) + 1) if number not in categories)
