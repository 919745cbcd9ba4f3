"""Reason codes: the features that pushed most towards a decision, in the order of how much they did.

Not here: the effects of all features on all rows (effects.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clausal.encoding.columns import name_text, number_text
from clausal.explain.counterfactual import value_text
from clausal.explain.given_rows import Value
from clausal.rules.rule import Rule


@dataclass(frozen=True)
class Reason:
    """A feature that pushed towards the decision.

    Attributes
    ----------
    feature : its name
    value : its value in the row, None where it is missing
    points : what it added, each rule's points being split equally over the rule's features
    towards : the class, or for K > 2 classes the class and its closest rival, in words
    rules : the rules that hold, test the feature and speak for the decision, those that gave it most first
    """

    feature: str
    value: Value
    points: float
    towards: str
    rules: tuple[Rule, ...]

    def __str__(self) -> str:
        points = number_text(round(self.points, 2))
        unit = "point" if points == "1" else "points"
        head = (
            f"{name_text(self.feature)} = {value_text(self.value)} (+{points} {unit} towards {self.towards})"
        )
        more = len(self.rules) - 1
        others = f"; and {more} more rule{'s' if more > 1 else ''}" if more else ""
        return f"{head}: {self.rules[0]}{others}"

    def to_dict(self) -> dict[str, Any]:
        """The same in plain values that JSON can hold."""
        plain = {"feature": self.feature, "value": self.value, "points": self.points, "towards": self.towards}
        return plain | {"rules": [str(rule) for rule in self.rules], "text": str(self)}


def find_reasons(
    fired: Sequence[Rule],
    signs: Mapping[int, int],
    towards: str,
    given: Mapping[int, tuple[str, Value]],
    n_most: int,
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
    points: dict[int, float] = {}
    speaking: dict[int, list[Rule]] = {}
    pushes = [(rule.points * signs.get(rule.bank, 0) / len(rule.features), rule) for rule in fired]
    for push, rule in sorted(pushes, key=lambda pair: -pair[0]):
        for feature in rule.features:
            points[feature] = points.get(feature, 0.0) + push
            if push > 0:
                speaking.setdefault(feature, []).append(rule)
    pushing = sorted((feature for feature in points if points[feature] > 0), key=lambda f: (-points[f], f))
    return tuple(
        Reason(*given[feature], points[feature], towards, tuple(speaking[feature]))
        for feature in pushing[:n_most]
    )
