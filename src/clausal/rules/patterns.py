"""Patterns: the combinations of values that the boolean columns of one feature can take.

A number is between two cut points, and a category is one of those listed or none of them. A feature with k
columns therefore has about k patterns, not 2^k. Two sets of literals on a feature have the same meaning if
they allow the same patterns. A set of patterns is an integer: bit i is 1 if it contains pattern i. For the
columns `x <= 3` and `x <= 5`:

    pattern       x <= 3   x <= 5   bit
    x <= 3          1        1      001
    3 < x <= 5      0        1      010
    x > 5           0        0      100

`x > 3` allows the patterns 110. Not here: how patterns are used (simplify.py, explain/cells.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.columns import Column
from clausal.encoding.encoding import Encoding
from clausal.encoding.features import Feature, NominalFeature, RankedFeature
from clausal.encoding.values import Policy
from clausal.rules.rule import Literal

SignedIndices = tuple[tuple[int, bool], ...]  # literals as (index of the column, negated)


@dataclass(frozen=True)
class Patterns:
    """The combinations of values that the columns of one feature can take.

    Pattern i is the i-th interval or category. After these come "no column holds" (above every cut point, an
    unlisted category, or a boolean that is false), if that is possible, and "missing", if the feature has a
    column for it.

    Attributes
    ----------
    first : index of the first column of the feature; its columns are consecutive
    n_value_columns : number of columns of the feature, excluding the one for missing values
    ranked : whether each column implies the next, as with cut points; otherwise at most one column holds
    other : whether a value can match no column
    nullable : whether the last column of the feature is for missing values
    """

    first: int
    n_value_columns: int
    ranked: bool
    other: bool
    nullable: bool

    @cached_property
    def n_patterns(self) -> int:
        """Number of patterns."""
        return self.n_value_columns + self.other + self.nullable

    @cached_property
    def full(self) -> int:
        """The set of all patterns."""
        return (1 << self.n_patterns) - 1

    @cached_property
    def values(self) -> NDArray[np.bool_]:
        """The values of the columns in each pattern, bool [patterns, columns of the feature]."""
        n = self.n_value_columns
        values = np.zeros((self.n_patterns, n + self.nullable), bool)
        values[:n, :n] = np.triu(np.ones((n, n), bool)) if self.ranked else np.eye(n, dtype=bool)
        if self.nullable:
            values[-1, -1] = True
        return values

    def allowed(self, literals: Iterable[Literal]) -> NDArray[np.bool_]:
        """Which patterns satisfy all literals, bool [patterns]."""
        allowed = np.ones(self.n_patterns, bool)
        for literal in literals:
            allowed &= self.values[:, literal.position - self.first] != literal.negated
        return allowed

    def meaning(self, literals: Iterable[Literal]) -> int:
        """The set of patterns that satisfy all literals."""
        meaning = self.full
        for literal in literals:
            meaning &= self._allowed_by(literal.position - self.first, literal.negated)
        return meaning

    def literals(self, meaning: int) -> SignedIndices | None:
        """The fewest literals that allow exactly these patterns, as (index of the column, negated).

        Negated literals come first, so that a lower bound precedes an upper bound. None if no AND of literals
        allows exactly these patterns.
        """
        if meaning not in self._literals_of:
            found = self._fewest(meaning)
            self._literals_of[meaning] = found and tuple(
                (self.first + column, sign) for column, sign in found
            )
        return self._literals_of[meaning]

    @cached_property
    def _literals_of(self) -> dict[int, SignedIndices | None]:
        return {0: None, self.full: ()}  # a cache

    def _allowed_by(self, column: int, negated: bool) -> int:
        """The patterns in which a column of the feature holds or, if `negated`, does not hold."""
        if column == self.n_value_columns:
            holds = 1 << (self.n_patterns - 1)
        elif self.ranked:
            holds = (2 << column) - 1
        else:
            holds = 1 << column
        return self.full ^ holds if negated else holds

    def _fewest(self, meaning: int) -> SignedIndices | None:
        """Like `literals`, with column indices relative to `first`."""
        missing = self.nullable and bool(meaning >> (self.n_patterns - 1))
        present = meaning & ((1 << (self.n_value_columns + self.other)) - 1)
        if not present:
            return ((self.n_value_columns, False),)
        find = self._interval if self.ranked else self._choice
        return find(present, missing)

    def _interval(self, present: int, missing: bool) -> SignedIndices | None:
        """A lower and an upper cut point around consecutive patterns."""
        low, high = (present & -present).bit_length() - 1, present.bit_length() - 1
        above = ((low - 1, True),) if low else ()
        if present >> low != (2 << (high - low)) - 1:
            return None
        if high == self.n_value_columns + self.other - 1:  # no column holds for missing values either
            return (*above, *self._not_missing(missing))
        return None if missing else (*above, (high, False))

    def _choice(self, present: int, missing: bool) -> SignedIndices | None:
        """One category, or all except some categories."""
        if present.bit_count() == 1 and present.bit_length() <= self.n_value_columns and not missing:
            return ((present.bit_length() - 1, False),)
        if self.other and not present >> self.n_value_columns:
            return None
        others = ((column, True) for column in range(self.n_value_columns) if not present >> column & 1)
        return (*others, *self._not_missing(missing))

    def _not_missing(self, missing: bool) -> SignedIndices:
        """The literal that excludes missing values, unless they are allowed."""
        return ((self.n_value_columns, True),) if self.nullable and not missing else ()


def patterns_of_features(columns: Sequence[Column]) -> dict[int, Patterns]:
    """The patterns of each feature that has columns, by index of the feature.

    Includes the pattern "no column holds" even if the encoding cannot produce it; see `reachable_patterns`.
    """
    patterns, first = {}, 0
    for feature, group in groupby(columns, key=lambda column: column.feature_index):
        kinds = [column.kind for column in group]
        nullable = kinds[-1] == "missing"
        n_columns, ranked = len(kinds) - nullable, kinds[0] in ("le", "upto")
        patterns[feature] = Patterns(first, n_columns, ranked=ranked, other=True, nullable=nullable)
        first += len(kinds)
    return patterns


def reachable_patterns(encoding: Encoding) -> dict[int, Patterns]:
    """Like `patterns_of_features`, but only the patterns that the encoding can produce."""
    return {
        index: replace(patterns, other=_can_match_none(encoding.features[index], encoding.policy))
        for index, patterns in patterns_of_features(encoding.columns).items()
    }


def _can_match_none(feature: Feature, policy: Policy) -> bool:
    """Whether all columns of the feature, including the one for missing values, can be 0."""
    if not feature.nullable and policy.handle_missing == "as_false":
        return True
    if isinstance(feature, NominalFeature):
        all_listed = len(feature.own) == len(feature.categories)
    elif isinstance(feature, RankedFeature):
        all_listed = feature.cuts[-1:] == (len(feature.categories) - 1,)
    else:
        return True
    return not all_listed or policy.handle_unknown == "no_match"
