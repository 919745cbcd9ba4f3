"""The searches for a scorecard, and the table that they share: rows as bins, allowed signs, clauses.

A search finds a scorecard for every size (engine/card_search.py, core/scorecard). Not here: which search and
which size are chosen (validation.py).
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clausal.engine.card_search import NEGATIVE, POSITIVE, Cards, CardSearch
from clausal.engine.native import NativeSearchTable
from clausal.engine.protocol import unpack_bits
from clausal.machine.classifier import TsetlinClassifier
from clausal.machine.constraints import allowed_literals
from clausal.rules.rule import Literal, Rule
from clausal.scorecard.calibration import Floats
from clausal.scorecard.machines import MANY_ROWS, Clauses
from clausal.scorecard.rows import SearchRows

_SIZES = (*range(1, 9), 10, 12, 15, 20, 25, 30, 40, 50, 70, 100, 150, 200)
_DEFAULT_MAX_LITERALS = 40
_BLOCK_ROWS = 16_384


@dataclass(frozen=True)
class Search:
    """One of the searches.

    Attributes
    ----------
    name : as stored in model files
    conjunctions : whether rules may have more than one literal
    ridge : the penalty of squared coefficients
    """

    name: str
    conjunctions: bool
    ridge: float


SEARCHES = (
    Search("shrunk", False, 20.0),
    Search("shrunk_rules", True, 5.0),
    Search("additive", False, 0.03),
    Search("rules", True, 0.3),
)
"""In order of preference, if their scorecards are about equally good."""


def searches_for(n_rows: int) -> tuple[Search, ...]:
    """The searches of a table of `n_rows` distinct rows; with many, a ridge makes hardly a difference."""
    return SEARCHES if n_rows < MANY_ROWS else SEARCHES[:2]


@dataclass(frozen=True)
class Limits:
    """The maximum size of a scorecard."""

    max_literals: int | None
    max_rules: int | None
    max_features: int | None
    max_points: int

    @property
    def sizes(self) -> tuple[int, ...]:
        """The numbers of literals to try."""
        largest = _DEFAULT_MAX_LITERALS if self.max_literals is None else self.max_literals
        return tuple(sorted({size for size in _SIZES if size < largest} | {largest}))


class SearchSpace:
    """The rows of a table as the searches read them.

    Parameters
    ----------
    machine : with the constraints of the rules
    rows : the training rows
    """

    def __init__(self, machine: TsetlinClassifier, rows: SearchRows) -> None:
        self.rows = rows
        columns = rows.encoding.columns
        feature_of = np.array([column.feature_index for column in columns], np.uint32)
        self.table = NativeSearchTable(_truth_values(rows.literals, len(columns)), feature_of)
        allowed = allowed_literals(machine, rows.encoding, rows.outcome)
        mask = np.ones((2, 2 * len(columns)), bool) if allowed is None else allowed
        self._signs = (mask[0] * POSITIVE + mask[1] * NEGATIVE).astype(np.uint8)
        self._shares = np.ascontiguousarray(rows.outcome.shares(rows.codes).T)

    def without(self, feature: int) -> SearchSpace | None:
        """The same rows with a feature that no rule may test; None if no rule would be left."""
        own = np.array([column.feature_index == feature for column in self.rows.encoding.columns])
        other = copy(self)
        other._signs = np.where(np.tile(own, 2), 0, self._signs).astype(np.uint8)
        return other if other._signs.any() else None

    def find_cards(
        self,
        search: Search,
        weights: Floats,
        clauses: Clauses,
        limits: Limits,
        sizes: tuple[int, ...],
        thorough: bool = False,
    ) -> Cards:
        """The best scorecard that a search finds for each size, on the rows with these weights [n]."""
        starts, literals = clauses
        return self.table.find_cards(
            CardSearch(
                weights,
                self._shares,
                self._signs,
                starts,
                literals,
                search.ridge,
                search.conjunctions,
                np.array(sizes, np.int64),
                limits.max_rules,
                limits.max_features,
                limits.max_points,
                thorough,
            )
        )

    def rules(self, cards: Cards, card: int) -> list[Rule]:
        """The rules of a scorecard."""
        columns = self.rows.encoding.columns
        n = len(columns)
        return [
            Rule(tuple(Literal(columns[k % n], k % n, k >= n) for k in literals), points, bank=bank)
            for literals, bank, points in cards.terms(card)
        ]


def _truth_values(literals: NDArray[np.uint64], n_columns: int) -> NDArray[np.uint8]:
    """Whether each column is true (1) or its negation (0), or neither (2), uint8 [n, columns]."""
    values = np.empty((len(literals), n_columns), np.uint8)
    for start in range(0, len(literals), _BLOCK_ROWS):
        block = unpack_bits(literals[start : start + _BLOCK_ROWS], 2 * n_columns)
        values[start : start + _BLOCK_ROWS] = np.where(block[:, :n_columns], 1, 2 - 2 * block[:, n_columns:])
    return values
