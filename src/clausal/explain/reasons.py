"""Which rules hold or nearly hold on a row, and the features that contributed most to the decision.

If no feature contributed, the reasons are the features that kept rules for the other class from holding; if
there are none of those either, the reason is the constant. Also here: the effect of each feature on the
votes. The points of a rule are split equally among its features, so that for each row the effects and the
constant add up to the vote. Not here: the text of an explanation (explanation.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.columns import name_text, number_text
from clausal.explain.cells import Value, dense_bits
from clausal.explain.counterfactual import value_text
from clausal.rules.cells import NOT_SEEN, cells_of_rules
from clausal.rules.rule import Literal, Rule, conditions_text
from clausal.rules.rule_set import RuleSet


@dataclass(frozen=True)
class NearMiss:
    """A rule that does not hold, and the conditions that fail."""

    rule: Rule
    failed: tuple[Literal, ...]

    @property
    def failed_text(self) -> str:
        """The failed conditions as text."""
        return conditions_text((literal.column, literal.negated) for literal in self.failed)

    def to_dict(self) -> dict[str, Any]:
        """The same as JSON-compatible values."""
        return rule_to_dict(self.rule) | {"failed": [str(literal) for literal in self.failed]}


def rule_to_dict(rule: Rule) -> dict[str, Any]:
    """A rule as JSON-compatible values, as in `RuleSet.to_frame`."""
    return {"rule": str(rule), "points": rule.points, "speaks_for": rule.speaks_for, "bank": rule.bank}


def count_failed(rules: RuleSet, bits: NDArray[np.uint8]) -> NDArray[np.intp]:
    """Number of conditions of each rule that fail on each row of boolean columns, int [n, rules]."""
    counts = np.zeros((len(bits), len(rules)), np.intp)
    for index, rule in enumerate(rules):
        for literal in rule.literals:
            counts[:, index] += ~literal.holds(bits)
    return counts


def fired_rules(rules: RuleSet, n_failed: NDArray[np.intp]) -> tuple[Rule, ...]:
    """The rules without failed conditions, those with the most points first; `n_failed` is int [rules]."""
    fired = (rules[index] for index in np.flatnonzero(n_failed == 0).tolist())
    return tuple(sorted(fired, key=lambda rule: -abs(rule.points)))


def near_misses(
    rules: RuleSet, bits: NDArray[np.uint8], n_failed: NDArray[np.intp], n_max: int
) -> tuple[NearMiss, ...]:
    """The rules with the fewest failed conditions on one row [columns], then with the most points."""
    missed = np.flatnonzero(n_failed).tolist()
    missed.sort(key=lambda index: (n_failed[index], -abs(rules[index].points)))
    closest = [rules[index] for index in missed[:n_max]]
    return tuple(
        NearMiss(rule, tuple(literal for literal in rule.literals if not literal.holds(bits[None])[0]))
        for rule in closest
    )


Given = Mapping[int, tuple[str, Value]]
"""Name and value of each feature, by index."""


@dataclass(frozen=True)
class Reason:
    """A feature that contributed to the decision or, if `held` is False, kept points from the other class.

    Attributes
    ----------
    feature : its name; None if the constant alone decides
    value : its value in the row, None if missing
    points : if `held`, the points that it contributed: the points of each rule are split equally among its
        features. Otherwise the points that the other class did not get, split among the features whose
        conditions fail. As everywhere, points of two classes are for the positive class, so that those
        towards the other class are below 0
    towards : the class in favor of which the points are, as text; for K > 2 classes with its closest rival
    rules : the rules that test the feature and count for `towards`, those that gave it the most points first
    held : whether these rules hold
    """

    feature: str | None
    value: Value
    points: float
    towards: str
    rules: tuple[Rule, ...]
    held: bool = True

    def __str__(self) -> str:
        number = number_text(round(self.points, 2))
        points = f"{number if self.points < 0 else f'+{number}'} point{'' if number in ('1', '-1') else 's'}"
        if self.feature is None:
            return f"the constant decides ({points}, towards {self.towards})"
        head = f"{name_text(self.feature)} = {value_text(self.value)}"
        more = len(self.rules) - 1
        others = f"; and {more} more rule{'s' if more > 1 else ''}" if more else ""
        if self.held:
            return f"{head} ({points}, towards {self.towards}): {self.rules[0]}{others}"
        return f"{head} ({points}, towards {self.towards}, not given): {self.rules[0]} does not hold{others}"

    def to_dict(self) -> dict[str, Any]:
        """The same as JSON-compatible values."""
        plain = {"feature": self.feature, "value": self.value, "points": self.points, "towards": self.towards}
        return plain | {"rules": [str(rule) for rule in self.rules], "held": self.held, "text": str(self)}


def find_reasons(
    fired: Sequence[Rule], signs: Mapping[int, int], towards: str, given: Given, n_max: int
) -> tuple[Reason, ...]:
    """The features that contributed the most points to a decision.

    Parameters
    ----------
    fired : the rules that hold, those with the most points first
    signs : the sign with which the points of each bank count for the decision; 0 for banks not in the map
    towards : the decision as text
    given : name and value of each feature, by index
    n_max : maximum number of reasons
    """
    contributions = [(rule.points * signs.get(rule.bank, 0), rule, rule.features) for rule in fired]
    return _reasons(contributions, towards, given, shown_sign(signs), True)[:n_max]


def shown_sign(signs: Mapping[int, int]) -> int:
    """The sign of points in favor of a decision as a reader sees them; with one bank, that in its vote."""
    return next(iter(signs.values())) if len(signs) == 1 else 1


def find_withheld(
    missed: Iterable[NearMiss], signs: Mapping[int, int], other: str, given: Given, n_max: int
) -> tuple[Reason, ...]:
    """The features whose failed conditions kept the most points from the other class."""
    contributions = [
        (-miss.rule.points * signs.get(miss.rule.bank, 0), miss.rule, _features(miss)) for miss in missed
    ]
    counting = [each for each in contributions if each[0] > 0]
    against = {bank: -sign for bank, sign in signs.items()}
    return _reasons(counting, other, given, shown_sign(against), False)[:n_max]


def _features(miss: NearMiss) -> tuple[int, ...]:
    return tuple(sorted({literal.column.feature_index for literal in miss.failed}))


def _reasons(
    contributions: Iterable[tuple[float, Rule, tuple[int, ...]]],
    towards: str,
    given: Given,
    sign: int,
    held: bool,
) -> tuple[Reason, ...]:
    """Reasons by decreasing points, from (points towards it, rule, features to split the points among).

    They are shown with this sign.
    """
    points: dict[int, float] = {}
    rules: dict[int, list[Rule]] = {}
    shares = [(total / len(features), rule, features) for total, rule, features in contributions if features]
    for share, rule, features in sorted(shares, key=lambda item: -item[0]):
        for feature in features:
            points[feature] = points.get(feature, 0.0) + share
            if share > 0:
                rules.setdefault(feature, []).append(rule)
    positive = sorted((feature for feature in points if points[feature] > 0), key=lambda f: (-points[f], f))
    return tuple(
        Reason(*given[feature], sign * points[feature], towards, tuple(rules[feature]), held)
        for feature in positive
    )


Floats = NDArray[np.float64]


def shared_points(rules: RuleSet) -> Floats:
    """The points of each rule, split equally among its features, float [rules, features]."""
    shares = np.zeros((len(rules), rules.encoding.n_features))
    for index, rule in enumerate(rules):
        shares[index, list(rule.features)] = rule.points / len(rule.features)
    return shares


def feature_importances(rules: RuleSet) -> Floats:
    """The share of each feature in the points of all rules, float [features]; all 0 if there are no rules."""
    sizes: Floats = np.abs(shared_points(rules)).sum(axis=0)
    return sizes / (sizes.sum() or 1.0)


def feature_effects(rules: RuleSet, X: Any) -> Floats:
    """What each feature adds to the votes, float [n, features], or [n, K, features] for K > 2 classes."""
    return _effects(rules, rules.fires(X))


def _effects(rules: RuleSet, fires: NDArray[np.bool_]) -> Floats:
    shares = shared_points(rules)
    banks = np.array([rule.bank for rule in rules], np.intp)
    effects = np.stack(
        [fires[:, banks == bank] @ shares[banks == bank] for bank in range(rules.n_banks)], axis=1
    )
    return rules.outcome.flat(effects, axis=1)


@dataclass(frozen=True, eq=False)
class EffectCurve:
    """How the effect of one feature depends on its value.

    Attributes
    ----------
    feature : name of the feature
    texts : the condition of each part of its range, such as `54 < age <= 61`; no rule splits a part
    counts : int [parts], number of rows in each part
    means : float [parts], or [parts, K] for K > 2 classes: the mean effect on their vote; 0 without rows
    """

    feature: str
    texts: tuple[str, ...]
    counts: NDArray[np.intp]
    means: Floats


def effect_curves(rules: RuleSet, X: Any) -> list[EffectCurve]:
    """The mean effect, over the rows of a table, of each feature in each part of its range."""
    bits = dense_bits(rules, X, "effect curves")
    effects = _effects(rules, rules.fires_on(bits))  # [n, (K,) features]
    curves = []
    for cells in cells_of_rules(rules):
        part = cells.of_bits(bits)
        n_parts = len(cells.allows)
        counts = np.bincount(part, minlength=n_parts)
        effect = effects[..., cells.feature]  # [n] or [n, K]
        sums = np.zeros((n_parts, *effect.shape[1:]))
        np.add.at(sums, part, effect)
        means = sums / np.maximum(counts, 1).reshape(-1, *(1,) * (effect.ndim - 1))
        texts = [cells.text(rules.columns, cell) for cell in range(n_parts)]
        shown = np.array([counts[cell] > 0 or text != NOT_SEEN for cell, text in enumerate(texts)])
        texts = [text for text, show in zip(texts, shown, strict=True) if show]
        name = rules.columns[cells.patterns.first].feature
        curves.append(EffectCurve(name, tuple(texts), counts[shown], means[shown]))
    return curves
