"""The books of one decision: which rules hold, and which nearly do.

Not here: what a rule's points mean for its features (effects.py), how all this reads (explanation.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.rules.conditions import conditions_text
from clausal.rules.rule import Literal, Rule
from clausal.rules.rule_set import RuleSet


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
