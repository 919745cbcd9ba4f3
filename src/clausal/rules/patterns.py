"""The combinations that one feature's boolean columns can take, and sets of them as the bits of an integer.

A number lies between two cut points, a category is one of those listed or none: so a feature of k columns has
about k patterns, not 2^k, and two sets of literals on it mean the same when they allow the same patterns. Not
here: what is done with that (simplify.py, explain).
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

Signs = tuple[tuple[int, bool], ...]


@dataclass(frozen=True)
class Patterns:
    """The combinations that one feature's columns can take.

    Pattern i is the i-th interval or category. Behind these come "no column holds" (above every cut point, a
    category that is not listed, a boolean that is false), where that can happen, and "missing", where the
    feature has a column for it. A set of patterns is an integer whose bit i stands for pattern i.

    Attributes
    ----------
    first : place of the feature's first column; its columns stand side by side
    n_own : columns of the feature, the one for missing values not counted
    ranked : each column implies the next, as cut points do; else at most one holds, as with categories
    other : whether a value can match no column
    nullable : whether the feature has a column for missing values, its last
    """

    first: int
    n_own: int
    ranked: bool
    other: bool
    nullable: bool

    @cached_property
    def n_patterns(self) -> int:
        """How many combinations there are."""
        return self.n_own + self.other + self.nullable

    @cached_property
    def full(self) -> int:
        """The set of all patterns."""
        return (1 << self.n_patterns) - 1

    @cached_property
    def values(self) -> NDArray[np.bool_]:
        """The columns' values in each pattern, bool [patterns, columns of the feature]."""
        values = np.zeros((self.n_patterns, self.n_own + self.nullable), bool)
        own = np.ones((self.n_own, self.n_own), bool)
        values[: self.n_own, : self.n_own] = np.triu(own) if self.ranked else np.eye(self.n_own, dtype=bool)
        if self.nullable:
            values[-1, -1] = True
        return values

    def allowed(self, literals: Iterable[Literal]) -> NDArray[np.bool_]:
        """Which patterns satisfy all the literals, bool [patterns]."""
        allowed = np.ones(self.n_patterns, bool)
        for literal in literals:
            allowed &= self.values[:, literal.position - self.first] != literal.negated
        return allowed

    def meaning(self, literals: Iterable[Literal]) -> int:
        """The patterns that satisfy all the literals, as bits."""
        meaning = self.full
        for literal in literals:
            meaning &= self._where(literal.position - self.first, literal.negated)
        return meaning

    def literals(self, meaning: int) -> Signs | None:
        """The fewest literals that allow just these patterns, as (place of the column, negated).

        The negated ones come first, so that a lower bound stands before an upper one. None where no AND of
        literals allows just these.
        """
        if meaning not in self._known:
            found = self._fewest(meaning)
            self._known[meaning] = found and tuple((self.first + column, sign) for column, sign in found)
        return self._known[meaning]

    @cached_property
    def _known(self) -> dict[int, Signs | None]:
        return {0: None, self.full: ()}

    def _where(self, column: int, negated: bool) -> int:
        """The patterns in which a column of the feature holds, or does not."""
        if column == self.n_own:
            holds = 1 << (self.n_patterns - 1)
        elif self.ranked:
            holds = (2 << column) - 1
        else:
            holds = 1 << column
        return self.full ^ holds if negated else holds

    def _fewest(self, meaning: int) -> Signs | None:
        missing = self.nullable and bool(meaning >> (self.n_patterns - 1))
        present = meaning & ((1 << (self.n_own + self.other)) - 1)
        if not present:
            return ((self.n_own, False),)
        find = self._interval if self.ranked else self._choice
        return find(present, missing)

    def _interval(self, present: int, missing: bool) -> Signs | None:
        """Cut points around one run of patterns."""
        low, high = (present & -present).bit_length() - 1, present.bit_length() - 1
        above = ((low - 1, True),) if low else ()
        if present >> low != (2 << (high - low)) - 1:
            return None
        if high == self.n_own + self.other - 1:  # a missing value is not below any cut point either
            return (*above, *self._unless(missing))
        return None if missing else (*above, (high, False))

    def _choice(self, present: int, missing: bool) -> Signs | None:
        """One category, or all but some."""
        if present.bit_count() == 1 and present.bit_length() <= self.n_own and not missing:
            return ((present.bit_length() - 1, False),)
        if self.other and not present >> self.n_own:
            return None
        others = ((column, True) for column in range(self.n_own) if not present >> column & 1)
        return (*others, *self._unless(missing))

    def _unless(self, missing: bool) -> Signs:
        """The literal that keeps missing values out, where they must be."""
        return ((self.n_own, True),) if self.nullable and not missing else ()


def patterns_of_features(columns: Sequence[Column]) -> dict[int, Patterns]:
    """The patterns of each feature that has columns, by its position in the table; rather one too many."""
    patterns, first = {}, 0
    for feature, group in groupby(columns, key=lambda column: column.feature_index):
        kinds = [column.kind for column in group]
        nullable = kinds[-1] == "missing"
        n_own, ranked = len(kinds) - nullable, kinds[0] in ("le", "upto")
        patterns[feature] = Patterns(first, n_own, ranked=ranked, other=True, nullable=nullable)
        first += len(kinds)
    return patterns


def reachable_patterns(encoding: Encoding) -> dict[int, Patterns]:
    """As `patterns_of_features`, but only those that the encoding can give."""
    return {
        index: replace(patterns, other=_can_match_none(encoding.features[index], encoding.policy))
        for index, patterns in patterns_of_features(encoding.columns).items()
    }


def _can_match_none(feature: Feature, policy: Policy) -> bool:
    """Whether a value that counts as present can leave all columns of the feature at 0."""
    if not feature.nullable and policy.handle_missing == "as_false":
        return True
    if isinstance(feature, NominalFeature):
        listed = len(feature.own) == len(feature.categories)
    elif isinstance(feature, RankedFeature):
        listed = feature.cuts[-1:] == (len(feature.categories) - 1,)
    else:
        return True
    return not listed or policy.handle_unknown == "no_match"
