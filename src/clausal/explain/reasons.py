"""Which rules hold on a row and which nearly do, and the features that pushed most towards the decision.

Where no feature pushed, the reasons are the features that kept the rules for the other side from holding;
where there are none of those either, the constant. Not here: the effects of all features on all rows
(effects.py), how all this reads (explanation.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.columns import name_text, number_text
from clausal.explain.counterfactual import value_text
from clausal.explain.given_rows import Value
from clausal.rules.rule import Literal, Rule
from clausal.rules.rule_set import RuleSet
from clausal.rules.wording import conditions_text


@dataclass(frozen=True)
class NearMiss:
    """A rule that does not hold, and the conditions that fail."""

    rule: Rule
    failed: tuple[Literal, ...]

    @property
    def failed_text(self) -> str:
        """The failed conditions as a person reads them."""
        return conditions_text((literal.column, literal.negated) for literal in self.failed)

    def to_dict(self) -> dict[str, Any]:
        """The same in plain values that JSON can hold."""
        return rule_to_dict(self.rule) | {"failed": [str(literal) for literal in self.failed]}


def rule_to_dict(rule: Rule) -> dict[str, Any]:
    """A rule in plain values that JSON can hold; as in `RuleSet.to_frame`, points are above 0."""
    return {
        "rule": str(rule),
        "points": abs(rule.points),
        "speaks_for": rule.speaks_for,
        "bank": rule.bank,
        "vote_change": rule.points,
    }


def count_failed(rules: RuleSet, bits: NDArray[np.uint8]) -> NDArray[np.intp]:
    """How many conditions of each rule fail on each row of boolean columns, int [n, rules]."""
    counts = np.zeros((len(bits), len(rules)), np.intp)
    for place, rule in enumerate(rules):
        for literal in rule.literals:
            counts[:, place] += ~literal.holds(bits)
    return counts


def fired_rules(rules: RuleSet, n_failed: NDArray[np.intp]) -> tuple[Rule, ...]:
    """The rules of which no condition fails, the weightiest first; `n_failed` is int [rules]."""
    fired = (rules[place] for place in np.flatnonzero(n_failed == 0).tolist())
    return tuple(sorted(fired, key=lambda rule: -abs(rule.points)))


def near_misses(
    rules: RuleSet, bits: NDArray[np.uint8], n_failed: NDArray[np.intp], n_most: int
) -> tuple[NearMiss, ...]:
    """The rules with the fewest failed conditions on one row [columns], the weightiest first among equals."""
    missed = np.flatnonzero(n_failed).tolist()
    missed.sort(key=lambda place: (n_failed[place], -abs(rules[place].points)))
    closest = [rules[place] for place in missed[:n_most]]
    return tuple(
        NearMiss(rule, tuple(literal for literal in rule.literals if not literal.holds(bits[None])[0]))
        for rule in closest
    )


Given = Mapping[int, tuple[str, Value]]
"""Name and value of each feature, by position."""


@dataclass(frozen=True)
class Reason:
    """A feature that pushed towards the decision or, where `held` is False, kept points from the other side.

    Attributes
    ----------
    feature : its name; None where the constant alone decides
    value : its value in the row, None where it is missing
    points : what it added, each rule's points being split equally over the rule's features; where `held` is
        False what the other side did not get, split over the features whose conditions fail
    towards : whom the points are for: a class, or for K > 2 classes the class and its closest rival, in words
    rules : the rules that test the feature and speak for `towards`, those that gave it most first
    held : whether those rules hold
    """

    feature: str | None
    value: Value
    points: float
    towards: str
    rules: tuple[Rule, ...]
    held: bool = True

    def __str__(self) -> str:
        points = number_text(round(self.points, 2))
        unit = "point" if points == "1" else "points"
        if self.feature is None:
            return f"the constant decides (+{points} {unit} towards {self.towards})"
        head = f"{name_text(self.feature)} = {value_text(self.value)}"
        more = len(self.rules) - 1
        others = f"; and {more} more rule{'s' if more > 1 else ''}" if more else ""
        if self.held:
            return f"{head} (+{points} {unit} towards {self.towards}): {self.rules[0]}{others}"
        return f"{head} ({points} {unit} for {self.towards} not given): {self.rules[0]} does not hold{others}"

    def to_dict(self) -> dict[str, Any]:
        """The same in plain values that JSON can hold."""
        plain = {"feature": self.feature, "value": self.value, "points": self.points, "towards": self.towards}
        return plain | {"rules": [str(rule) for rule in self.rules], "held": self.held, "text": str(self)}


def find_reasons(
    fired: Sequence[Rule], signs: Mapping[int, int], towards: str, given: Given, n_most: int
) -> tuple[Reason, ...]:
    """The features that added most points towards a decision.

    Parameters
    ----------
    fired : the rules that hold, the weightiest first
    signs : how the points of each bank count for the decision: 1, -1, or 0 where a bank is not in the map
    towards : the decision in words
    given : name and value of each feature, by position
    n_most : how many reasons at most
    """
    pushes = [(rule.points * signs.get(rule.bank, 0), rule, rule.features) for rule in fired]
    return _most(pushes, towards, given, True)[:n_most]


def find_withheld(
    missed: Iterable[NearMiss], signs: Mapping[int, int], other: str, given: Given, n_most: int
) -> tuple[Reason, ...]:
    """The features that kept most points from the other side, as the conditions on them fail."""
    pushes = [
        (-miss.rule.points * signs.get(miss.rule.bank, 0), miss.rule, _features(miss)) for miss in missed
    ]
    return _most([push for push in pushes if push[0] > 0], other, given, False)[:n_most]


def _features(miss: NearMiss) -> tuple[int, ...]:
    return tuple(sorted({literal.column.feature_index for literal in miss.failed}))


def _most(
    pushes: Iterable[tuple[float, Rule, tuple[int, ...]]], towards: str, given: Given, held: bool
) -> tuple[Reason, ...]:
    """Points of rules, split equally over the features named with them, summed by feature, the most first."""
    points: dict[int, float] = {}
    speaking: dict[int, list[Rule]] = {}
    shares = [(push / len(features), rule, features) for push, rule, features in pushes if features]
    for share, rule, features in sorted(shares, key=lambda item: -item[0]):
        for feature in features:
            points[feature] = points.get(feature, 0.0) + share
            if share > 0:
                speaking.setdefault(feature, []).append(rule)
    pushing = sorted((feature for feature in points if points[feature] > 0), key=lambda f: (-points[f], f))
    return tuple(
        Reason(*given[feature], points[feature], towards, tuple(speaking[feature]), held)
        for feature in pushing
    )
