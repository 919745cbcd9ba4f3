"""Patterns: the combinations of values that the boolean columns of one feature can take.

A number is between two cut points, and a category is one of those listed or none of them. A feature with k
columns therefore has about k patterns, not 2^k. Two sets of literals on a feature have the same meaning if
they allow the same patterns. A set of patterns is an integer: bit i is 1 if it contains pattern i. For the
columns `x <= 3` and `x <= 5`:

    pattern       x <= 3   x <= 5   bit
    x <= 3          1        1      001
    3 < x <= 5      0        1      010
    x > 5           0        0      100

`x > 3` allows the patterns 110. A special value of a number is a pattern of its own, in which only its own
column holds, as in the pattern of missing values. One more pattern stands for values that were not seen in
training, if they satisfy no condition: no literal allows it, negated or not. Not here: how patterns are used
(simplify.py, cells.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.category_features import NominalFeature, RankedFeature
from clausal.encoding.encoding import Encoding
from clausal.encoding.features import NEITHER, EmptyFeature, Feature, NumericFeature
from clausal.encoding.values import Policy
from clausal.rules.rule import Conjunction, Literal

SignedIndices = tuple[tuple[int, bool], ...]  # literals as (index of the column, negated)


@dataclass(frozen=True)
class Patterns:
    """The combinations of values that the columns of one feature can take.

    Pattern i is the i-th interval or category. After these come "no column holds" (above every cut point, an
    unlisted category, or a boolean that is false), if that is possible, the special values, "missing", if the
    feature has a column for it, and "unseen", if a value can satisfy no condition.

    Attributes
    ----------
    first : index of the first column of the feature; its columns are consecutive
    n_value_columns : number of columns of the feature, excluding those for special and missing values
    ranked : whether each column implies the next, as with cut points; otherwise at most one column holds
    other : whether a value can match no column
    nullable : whether the last column of the feature is for missing values
    unseen : whether a value can satisfy no condition, negated ones included
    n_special : number of special values, whose columns come after the others
    """

    first: int
    n_value_columns: int
    ranked: bool
    other: bool
    nullable: bool
    unseen: bool = False
    n_special: int = 0

    @cached_property
    def n_ordinary(self) -> int:
        """Number of patterns of ordinary values, neither special nor missing; they come first."""
        return self.n_value_columns + self.other

    @cached_property
    def n_known(self) -> int:
        """Number of patterns that satisfy some condition; they come first."""
        return self.n_ordinary + self.n_special + self.nullable

    @cached_property
    def n_patterns(self) -> int:
        """Number of patterns."""
        return self.n_known + self.unseen

    @property
    def missing_pattern(self) -> int | None:
        """The index of the pattern "missing", None if there is none."""
        return self.n_known - 1 if self.nullable else None

    @cached_property
    def full(self) -> int:
        """The set of all patterns."""
        return (1 << self.n_patterns) - 1

    @cached_property
    def values(self) -> NDArray[np.uint8]:
        """The bits of the columns in each pattern (0, 1 or NEITHER), uint8 [patterns, columns]."""
        n, special = self.n_value_columns, self.n_special
        values = np.zeros((self.n_patterns, n + special + self.nullable), np.uint8)
        values[:n, :n] = np.triu(np.ones((n, n))) if self.ranked else np.eye(n)
        values[self.n_ordinary : self.n_ordinary + special, n : n + special] = np.eye(special)
        if self.nullable:
            values[self.missing_pattern, -1] = 1
        if self.unseen:
            values[-1] = NEITHER
        return values

    def of_bits(self, bits: NDArray[np.uint8]) -> NDArray[np.intp]:
        """The pattern of each row, given all boolean columns, uint8 [n, columns]."""
        holds = bits[:, self.first : self.first + self.n_value_columns] == 1
        found: NDArray[np.intp] = (~holds).sum(axis=1)  # number of cut points below the value
        if not self.ranked:
            rows, columns = holds.nonzero()  # at most one column of a row holds
            found[:] = self.n_value_columns
            found[rows] = columns
        apart = slice(self.first + self.n_value_columns, self.first + self.values.shape[1])
        rows, columns = (bits[:, apart] == 1).nonzero()  # special and missing values
        found[rows] = self.n_ordinary + columns
        found[bits[:, self.first] == NEITHER] = self.n_known
        return found

    def allowed(self, literals: Iterable[Literal]) -> NDArray[np.bool_]:
        """Which patterns satisfy all literals, bool [patterns]."""
        allowed = np.ones(self.n_patterns, bool)
        for literal in literals:
            allowed &= self.values[:, literal.position - self.first] == (not literal.negated)
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
        if column >= self.n_value_columns:  # of a special or missing value
            holds = 1 << (self.n_ordinary + column - self.n_value_columns)
        elif self.ranked:
            holds = (2 << column) - 1
        else:
            holds = 1 << column
        return self._known ^ holds if negated else holds

    @property
    def _known(self) -> int:
        """The set of patterns that satisfy some condition."""
        return (1 << self.n_known) - 1

    def _fewest(self, meaning: int) -> SignedIndices | None:
        """Like `literals`, with column indices relative to `first`."""
        if self.unseen and meaning >> self.n_known:
            return None  # only the absence of literals allows unseen values
        if meaning == self._known:
            return self._always_known()
        apart, present = meaning >> self.n_ordinary, meaning & ((1 << self.n_ordinary) - 1)
        if not present:  # one special value, or missing
            column = self.n_value_columns + apart.bit_length() - 1
            return ((column, False),) if apart.bit_count() == 1 else None
        find = self._interval if self.ranked else self._choice
        return find(present, apart)

    def _always_known(self) -> SignedIndices | None:
        """A literal that holds for every value except unseen ones: the last of a complete order."""
        if self.ranked and self.n_value_columns == self.n_known > 0:
            return ((self.n_value_columns - 1, False),)
        return None

    def _interval(self, present: int, apart: int) -> SignedIndices | None:
        """A lower and an upper cut point around consecutive patterns."""
        low, high = (present & -present).bit_length() - 1, present.bit_length() - 1
        above = ((low - 1, True),) if low else ()
        if present >> low != (2 << (high - low)) - 1:
            return None
        if high == self.n_ordinary - 1:  # no column holds for special and missing values either
            return (*above, *self._without(apart))
        return None if apart else (*above, (high, False))

    def _choice(self, present: int, apart: int) -> SignedIndices | None:
        """One category, or all except some categories."""
        if present.bit_count() == 1 and present.bit_length() <= self.n_value_columns and not apart:
            return ((present.bit_length() - 1, False),)
        if self.other and not present >> self.n_value_columns:
            return None
        others = ((column, True) for column in range(self.n_value_columns) if not present >> column & 1)
        return (*others, *self._without(apart))

    def _without(self, apart: int) -> SignedIndices:
        """The literals that exclude special and missing values, unless they are allowed, given as bits."""
        n_apart = self.n_special + self.nullable
        return tuple((self.n_value_columns + k, True) for k in range(n_apart) if not apart >> k & 1)


def patterns_of_features(encoding: Encoding) -> dict[int, Patterns]:
    """The patterns of each feature that has columns, by index of the feature.

    Includes the pattern "no column holds" even if the encoding cannot produce it; see `reachable_patterns`.
    """
    patterns, first = {}, 0
    for feature, group in groupby(encoding.columns, key=lambda column: column.feature_index):
        kinds = [column.kind for column in group]
        nullable = kinds[-1] == "missing"
        described = encoding.features[feature]
        n_special = len(described.special) if isinstance(described, NumericFeature) else 0
        n_columns, ranked = len(kinds) - nullable - n_special, kinds[0] in ("le", "upto")
        unseen = can_be_unseen(described, encoding.policy)
        patterns[feature] = Patterns(first, n_columns, ranked, True, nullable, unseen, n_special)
        first += len(kinds)
    return patterns


def reachable_patterns(encoding: Encoding) -> dict[int, Patterns]:
    """Like `patterns_of_features`, but only the patterns that the encoding can produce."""
    return {
        index: replace(patterns, other=_can_match_none(encoding.features[index], encoding.policy))
        for index, patterns in patterns_of_features(encoding).items()
    }


def check_possible(each: Conjunction, encoding: Encoding, words: str | None = None) -> None:
    """Refuse conditions that no row can satisfy; `words` are those that were given."""
    patterns = reachable_patterns(encoding)
    for feature in each.features:
        own = [literal for literal in each.literals if literal.column.feature_index == feature]
        if not patterns[feature].meaning(own):
            got = str(each) if words is None else words
            raise ValueError(f"The conditions of a rule must hold for some value. Got {got!r}.")


def can_be_unseen(feature: Feature, policy: Policy) -> bool:
    """Whether a value of the feature can satisfy no condition, negated ones included."""
    if isinstance(feature, EmptyFeature):
        return False
    has_categories = isinstance(feature, RankedFeature) or (
        isinstance(feature, NominalFeature) and feature.complete
    )
    newly_missing = not feature.nullable and policy.handle_missing == "no_rule"
    return newly_missing or (has_categories and policy.handle_unknown == "no_rule")


def _can_match_none(feature: Feature, policy: Policy) -> bool:
    """Whether all columns of the feature, including the one for missing values, can be 0."""
    if not feature.nullable and policy.handle_missing == "as_false":
        return True
    if isinstance(feature, NominalFeature):
        all_listed = feature.complete and len(feature.own) == len(feature.labels)
    elif isinstance(feature, RankedFeature):
        all_listed = feature.cuts[-1:] == (len(feature.categories) - 1,)
    else:
        return True
    return not all_listed or policy.handle_unknown == "no_match"
