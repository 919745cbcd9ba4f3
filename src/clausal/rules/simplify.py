"""Shorter rules with the same votes on every row that the booleanizer can produce.

Two sets of literals on a feature mean the same when they allow the same patterns of its columns. Literals
that others imply go, contradictory rules vanish, equal rules merge by adding their points.
Not here: anything that joins different rules.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby

import numpy as np

from clausal.rules.patterns import Patterns, patterns_of_features
from clausal.rules.rule import Literal, Rule
from clausal.rules.rule_set import RuleSet, speaker

Meaning = tuple[tuple[int, bytes], ...]


def simplify(rules: RuleSet) -> RuleSet:
    """The same model without implied literals, contradictions and repetitions, the weightiest rule first."""
    patterns = patterns_of_features(rules.columns)
    merged: dict[tuple[int, Meaning], Rule] = {}
    for rule in rules:
        shorter, meaning = _without_implied(rule, patterns)
        if shorter is None:
            continue
        same = merged.get((rule.bank, meaning))
        points = shorter.points if same is None else same.points + shorter.points
        speaks_for = speaker(rules.class_names, rule.bank, points)
        merged[rule.bank, meaning] = replace(same or shorter, points=points, speaks_for=speaks_for)
    kept = [rule for rule in merged.values() if rule.points]
    return rules.with_rules(sorted(kept, key=lambda rule: -abs(rule.points)))


def _without_implied(rule: Rule, patterns: dict[int, Patterns]) -> tuple[Rule | None, Meaning]:
    """The rule with as few literals as say the same, or None where it can never hold; and what it means."""
    literals: list[Literal] = []
    meaning: list[tuple[int, bytes]] = []
    in_order = sorted(rule.literals, key=lambda literal: literal.position)
    for feature, group in groupby(in_order, key=lambda literal: literal.column.feature_index):
        own = list(group)
        allowed = patterns[feature].allowed(own)
        if not allowed.any():
            return None, ()
        for literal in sorted(own, key=lambda literal: not literal.negated):  # rather keep `is` than `is not`
            others = [other for other in own if other is not literal]
            if np.array_equal(patterns[feature].allowed(others), allowed):
                own = others
        literals += sorted(own, key=lambda literal: not literal.negated)  # lower bounds before upper ones
        meaning.append((feature, allowed.tobytes()))
    return replace(rule, literals=tuple(literals)), tuple(meaning)
