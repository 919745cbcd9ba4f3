"""How the rules of a model see each feature: as a few cells, within which no rule tells values apart.

A feature of 17 patterns whose rules test two cut points has three cells. Not here: which values lie in a
cell (domains.py) and what is done with cells (search.py, effects.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
        own = bits[:, first : first + patterns.n_own] == 1
        found: NDArray[np.intp] = (~own).sum(axis=1)  # cut points that the value is above
        if not patterns.ranked:
            rows, columns = own.nonzero()  # at most one column of a row holds
            found[:] = patterns.n_own
            found[rows] = columns
        if patterns.nullable:
            found[bits[:, first + patterns.n_own] == 1] = patterns.n_patterns - 1
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
