"""The combinations that one feature's boolean columns can take.

A number lies between two cut points, a category is one of those listed or none: so a feature of k columns has
about k patterns, not 2^k, and two sets of literals on it mean the same when they allow the same patterns.
Not here: what is done with that (simplify.py, explain).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.columns import Column
from clausal.rules.rule import Literal


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


def patterns_of_features(columns: Sequence[Column]) -> dict[int, Patterns]:
    """The patterns of each feature that has columns, by the feature's position in the table."""
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
