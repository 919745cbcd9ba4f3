"""Cells and parts: values that rules do not tell apart, and rules whose points add up on their own.

A cell is a set of values of one feature that no rule distinguishes: a feature with 17 patterns, of which the
rules test two cut points, has three cells. A part is what a classic scorecard calls a characteristic: all
rules on one feature alone, or one rule on several features. A row is in one bin of each part, and the points
of its bins and the constant add up to its vote. Not here: patterns (patterns.py), how cells are used
(explain/fewest_changes.py), how parts are used (explain/points_lost.py, scorecard/points_table.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.columns import Column, name_text
from clausal.rules.patterns import Patterns, SignedIndices, patterns_of_features, reachable_patterns
from clausal.rules.rule import Literal, Rule, conditions_text
from clausal.rules.rule_set import RuleSet
from clausal.wording import Number

NOT_SEEN = "not seen in training"
"""Values of a feature that satisfy no condition."""
OTHERWISE = "otherwise"
"""The bin of the rows on which a rule of several features does not hold."""


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of one feature.

    Attributes
    ----------
    feature : index of the feature
    patterns : the patterns of its columns
    of_pattern : int [patterns], the cell of each pattern
    allows : bool [cells, rules], whether the conditions of a rule on this feature hold in a cell
    """

    feature: int
    patterns: Patterns
    of_pattern: NDArray[np.intp]
    allows: NDArray[np.bool_]

    def of_bits(self, bits: NDArray[np.uint8]) -> NDArray[np.intp]:
        """The cell of each row, given all boolean columns, uint8 [n, columns]."""
        return self.of_pattern[self.patterns.of_bits(bits)]

    def text(self, columns: Sequence[Column], cell: int) -> str:
        """The condition of one cell as text."""
        return _text_of(self.patterns, np.flatnonzero(self.of_pattern == cell), columns)


def _text_of(patterns: Patterns, own: NDArray[np.intp], columns: Sequence[Column]) -> str:
    """The condition of some patterns as text."""
    meaning = sum(1 << pattern for pattern in own.tolist())
    if meaning >> patterns.n_known:
        return NOT_SEEN
    literals = patterns.literals(meaning)
    assert literals is not None, "every cell is described by an AND of literals"
    return conditions_text((columns[index], negated) for index, negated in literals)


def cells_of_rules(rules: RuleSet, alone: bool = False) -> Iterator[Cells]:
    """The cells of every feature that the rules use, by index of the feature.

    With `alone`, only rules on a single feature count.
    """
    all_patterns = patterns_of_features(rules.encoding)
    used: dict[int, list[tuple[int, Literal]]] = {}
    for index, rule in enumerate(rules):
        if not alone or len(rule.features) == 1:
            for literal in rule.literals:
                used.setdefault(literal.column.feature_index, []).append((index, literal))
    for feature in sorted(used):
        patterns = all_patterns[feature]
        tested = sorted({literal.position - patterns.first for _, literal in used[feature]})
        tested_values = patterns.values[:, tested]
        _, first, inverse = np.unique(tested_values, axis=0, return_index=True, return_inverse=True)
        order = np.argsort(first)  # cells in the order of their first patterns
        allows = np.ones((patterns.n_patterns, len(rules)), bool)
        for index, literal in used[feature]:
            allows[:, index] &= patterns.allowed([literal])
        yield Cells(feature, patterns, np.argsort(order)[inverse.ravel()], allows[first[order]])


@dataclass(frozen=True, eq=False)
class Part:
    """Rules that are summed on their own.

    Attributes
    ----------
    features : the index of the feature, or of the several features of one rule; none for a rule that always
        holds
    rules : the indices of the rules
    texts : the condition of each bin; special values, missing values and values not seen in training have
        bins of their own
    holds : bool [bins, all rules of the model], which of its rules hold in a bin
    possible : bool [bins], whether a value that the encoding knows can be there
    literals : what holds in each bin, as (column, negated), of tested columns and those for special and
        missing values; nothing for the bin of all other rows. Exact if bins are tried in the order of `order`
    order : the bins: first those of special and missing values, last those without literals
    name : the feature as printed; empty for a rule
    """

    features: tuple[int, ...]
    rules: tuple[int, ...]
    texts: tuple[str, ...]
    holds: NDArray[np.bool_]
    possible: NDArray[np.bool_]
    literals: tuple[SignedIndices, ...]
    order: tuple[int, ...]
    name: str = ""
    _patterns: Patterns | None = None
    _of_pattern: NDArray[np.intp] | None = None

    def of_bits(self, bits: NDArray[np.uint8], fires: NDArray[np.bool_]) -> NDArray[np.intp]:
        """The bin of each row, given all boolean columns and which rules hold [n, rules]."""
        if self._patterns is not None and self._of_pattern is not None:
            return self._of_pattern[self._patterns.of_bits(bits)]
        return (~fires[:, self.rules[0]]).astype(np.intp)

    def condition(self, index: int) -> str:
        """The condition of a bin in words that need no table: which feature, or which rule does not hold."""
        text = self.texts[index]
        return {OTHERWISE: f"not: {self.texts[0]}", NOT_SEEN: f"{self.name} {NOT_SEEN}"}.get(text, text)

    def points(self, rules: RuleSet) -> list[tuple[Number, ...]]:
        """The points of each bin for each bank."""
        return [
            tuple(
                sum(rules[index].points for index in self.rules if held[index] and rules[index].bank == bank)
                for bank in range(rules.n_banks)
            )
            for held in self.holds
        ]


def parts_of_rules(rules: RuleSet) -> list[Part]:
    """The parts of a model: the features of rules on one feature, then all other rules one by one."""
    found = [_feature_part(rules, cells) for cells in cells_of_rules(rules, alone=True)]
    others = ((index, rule) for index, rule in enumerate(rules) if len(rule.features) != 1)
    return found + [_rule_part(rules, index, rule) for index, rule in others]


def mean_points(rules: RuleSet, parts: Sequence[Part], X: Any) -> list[NDArray[np.float64]]:
    """The mean points of each part for each bank, over the rows of a table."""
    bits = rules.bits(X)
    bits = bits.toarray() if hasattr(bits, "toarray") else bits
    if not len(bits):
        raise ValueError("The rows that a mean is taken of must be at least 1. Got 0.")
    fires, means = rules.fires_on(bits), []
    for part in parts:
        counts = np.bincount(part.of_bits(bits, fires), minlength=len(part.texts))
        means.append(counts @ np.array(part.points(rules), np.float64) / len(bits))
    return means


def _feature_part(rules: RuleSet, cells: Cells) -> Part:
    patterns, feature = cells.patterns, (cells.feature,)
    own = np.array([rule.features == feature for rule in rules], bool)
    apart = np.maximum(np.arange(patterns.n_patterns) - patterns.n_ordinary + 1, 0)  # in bins of their own
    keys = cells.of_pattern * (patterns.n_patterns + 1) + apart
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    first, of_pattern = np.sort(first), np.argsort(np.argsort(first))[inverse]  # in the order of patterns
    known = np.arange(patterns.n_patterns) < patterns.n_known
    if not reachable_patterns(rules.encoding)[cells.feature].other:
        known[patterns.n_value_columns] = False
    tested = sorted(
        {x.position - patterns.first for k in np.flatnonzero(own).tolist() for x in rules[k].literals}
    )
    literals = tuple(_literals(patterns, pattern, tested) for pattern in first.tolist())
    bins = range(len(first))
    return Part(
        feature,
        tuple(np.flatnonzero(own).tolist()),
        tuple(_text_of(patterns, np.flatnonzero(of_pattern == k), rules.columns) for k in bins),
        cells.allows[cells.of_pattern[first]] & own,
        np.array([known[of_pattern == k].any() for k in bins]),
        literals,
        tuple(sorted(bins, key=lambda k: (not literals[k], first[k] < patterns.n_ordinary, k))),
        name_text(rules.encoding.feature_names[cells.feature]),
        patterns,
        of_pattern,
    )


def _literals(patterns: Patterns, pattern: int, tested: Sequence[int]) -> SignedIndices:
    """Literals of tested columns that tell a bin from all others, given one of its patterns."""
    n_columns, apart = patterns.n_value_columns, pattern - patterns.n_ordinary
    if pattern >= patterns.n_known:
        return ()
    if apart >= 0:
        return ((patterns.first + n_columns + apart, False),)
    holds = [column for column in tested if column < n_columns and patterns.values[pattern, column]]
    fails = [column for column in tested if column < n_columns and not patterns.values[pattern, column]]
    if patterns.ranked:
        holds, fails = holds[:1], fails[-1:]  # each column implies the next
    elif holds:
        fails = []  # at most one column holds
    if not holds and not fails:  # only values with bins of their own are told apart
        fails = [column for column in tested if column >= n_columns]
    signed = [*((column, False) for column in holds), *((column, True) for column in fails)]
    return tuple((patterns.first + column, negated) for column, negated in signed)


def _rule_part(rules: RuleSet, index: int, rule: Rule) -> Part:
    """A rule on several features, which holds or not; or one without conditions, which always holds."""
    texts = (str(rule), OTHERWISE) if rule.literals else (str(rule),)
    holds = np.zeros((len(texts), len(rules)), bool)
    holds[0, index] = True
    signed = tuple((literal.position, literal.negated) for literal in rule.literals)
    literals = (signed, ()) if signed else ((),)
    order = tuple(range(len(texts)))
    return Part(rule.features, (index,), texts, holds, np.ones(len(texts), bool), literals, order)
