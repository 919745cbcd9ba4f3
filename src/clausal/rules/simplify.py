"""Shorter rules with the same votes on every row that the booleanizer can produce.

A feature's columns take only a few patterns (a number lies between two cut points, a category is one of those
listed or none), so two sets of literals on it mean the same when they allow the same patterns. Literals that
others imply go, contradictory rules vanish, equal rules merge by adding their points.
Not here: anything that joins different rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.columns import Column
from clausal.rules.rule_set import Literal, Rule, RuleSet

Meaning = tuple[tuple[int, bytes], ...]


def simplify(rules: Iterable[Rule], columns: Sequence[Column]) -> RuleSet:
    """The rules without implied literals, contradictions and repetitions, the weightiest first."""
    patterns = _patterns_of_features(columns)
    merged: dict[tuple[int, Meaning], Rule] = {}
    for rule in rules:
        shorter, meaning = _without_implied(rule, patterns)
        if shorter is None:
            continue
        same = merged.get((rule.bank, meaning))
        if same is None:
            merged[rule.bank, meaning] = shorter
        else:
            points = same.points + shorter.points
            speaker = same if abs(same.points) >= abs(shorter.points) else shorter
            merged[rule.bank, meaning] = replace(same, points=points, speaks_for=speaker.speaks_for)
    kept = [rule for rule in merged.values() if rule.points]
    return RuleSet(sorted(kept, key=lambda rule: -abs(rule.points)))


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


@dataclass(frozen=True, eq=False)
class Patterns:
    """The combinations that one feature's columns can take.

    Attributes
    ----------
    first : place of the feature's first column; its columns stand side by side
    values : bool [patterns, columns of the feature]; one too many would only keep a literal
    """

    first: int
    values: NDArray[np.bool_]

    def allowed(self, literals: Iterable[Literal]) -> NDArray[np.bool_]:
        """Which patterns satisfy all the literals."""
        allowed = np.ones(len(self.values), dtype=bool)
        for literal in literals:
            allowed &= self.values[:, literal.position - self.first] != literal.negated
        return allowed


def _patterns_of_features(columns: Sequence[Column]) -> dict[int, Patterns]:
    patterns, first = {}, 0
    for feature, group in groupby(columns, key=lambda column: column.feature_index):
        own = list(group)
        patterns[feature] = Patterns(first, _pattern_values(own))
        first += len(own)
    return patterns


def _pattern_values(columns: list[Column]) -> NDArray[np.bool_]:
    """Every combination that one value of the feature, or a missing one, can give."""
    nullable = columns[-1].kind == "missing"
    n_own = len(columns) - nullable
    if columns[0].kind in ("le", "upto"):  # each column implies the next
        own = np.triu(np.ones((n_own + 1, n_own), dtype=bool))
    else:  # at most one category holds, or the boolean does or not
        own = np.eye(n_own + 1, n_own, dtype=bool)
    if not nullable:
        return own
    values = np.zeros((n_own + 2, n_own + 1), dtype=bool)
    values[: n_own + 1, :n_own] = own
    values[n_own + 1, n_own] = True
    return values
