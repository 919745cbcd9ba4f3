"""The search for scorecards as engines offer it: what is searched, what is found.

Not here: how it is searched (core/scorecard, card_search_reference.py), and what it is used for
(scorecard/search_space.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

SCORE_UNIT = 256
"""A score of this many units is 1 of log-odds, or 1 scale of the numbers that are predicted."""
POSITIVE, NEGATIVE = 1, 2
"""Bits of the signs that the points of a literal may have."""
MAX_POINTS = 100
"""The most points that a rule may have in any search."""


LOSSES = ("log_loss", "squared_error", "quantile")
"""The losses of a search: of classes, of numbers, and of a quantile of numbers."""
MAX_TARGET = 65536.0
"""The largest size of a number as a target, in units of its scale."""


class FixedRule(NamedTuple):
    """A rule that every scorecard has: its literals, ascending, its bank, its least and its most points."""

    literals: tuple[int, ...]
    bank: int
    low: int
    high: int


@dataclass(frozen=True, eq=False)
class CardConstraints:
    """What all scorecards of a search keep to, beside the signs of literals and their size.

    Attributes
    ----------
    low, high : int32 [columns], the least and the most points of a rule that tests the feature of a column;
        empty for no bounds
    groups : uint64 [columns, words], bits of the groups that the feature of a column is in; the features of a
        rule must share one; no words for no groups
    max_rule_features : the most features of a rule; None for no limit
    fixed : rules that every scorecard has, in whatever size
    """

    low: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    high: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    groups: NDArray[np.uint64] = field(default_factory=lambda: np.zeros((0, 0), np.uint64))
    max_rule_features: int | None = None
    fixed: tuple[FixedRule, ...] = ()


NO_CONSTRAINTS = CardConstraints()


@dataclass(frozen=True, eq=False)
class CardSearch:
    """A search on the rows of a table.

    Attributes
    ----------
    weights : float64 [n], of each row; rows of weight 0 only tell which literals imply each other
    shares : float64 [banks, n], 1 where a row is of the bank's class (the positive class, with one bank), or
        a probability of it; with a loss of numbers, the number of each row [1, n] in units of its scale
    signs : uint8 [2 * columns], bits of POSITIVE and NEGATIVE; literal k is column k, `columns` + k its
        negation
    starts, literals : int64 [clauses + 1] and uint32, further candidates as lists of literals
    ridge : the penalty of squared coefficients
    conjunctions : whether rules may have more than one literal
    sizes : int64, ascending, the maximum numbers of literals
    max_rules, max_features, max_points : further limits; None for no limit
    thorough : whether only the largest size gets a scorecard, on which more moves are tried
    constraints : on rules and points
    loss : one of LOSSES
    quantile : from 0 to 1; only with the loss "quantile"
    """

    weights: NDArray[np.float64]
    shares: NDArray[np.float64]
    signs: NDArray[np.uint8]
    starts: NDArray[np.int64]
    literals: NDArray[np.uint32]
    ridge: float
    conjunctions: bool
    sizes: NDArray[np.int64]
    max_rules: int | None = None
    max_features: int | None = None
    max_points: int = 10
    thorough: bool = False
    constraints: CardConstraints = NO_CONSTRAINTS
    loss: str = LOSSES[0]
    quantile: float = 0.5


CardTerm = tuple[list[int], int, int]
"""The literals, the bank and the points of a term of a card."""


class Cards(NamedTuple):
    """One scorecard for each size, or for the largest one, as flat arrays; fixed rules come first.

    Attributes
    ----------
    term_starts : int64 [cards + 1], the terms of each card
    literal_starts : int64 [terms + 1], the literals of each term
    literals : uint32
    banks : uint32 [terms]
    points : int32 [terms], none of them 0
    values : int32 [cards], the value of one point in units of scores
    offsets : int32 [cards, banks], in units of scores
    objectives : float64 [cards], the loss and the ridge penalty
    """

    term_starts: NDArray[np.int64]
    literal_starts: NDArray[np.int64]
    literals: NDArray[np.uint32]
    banks: NDArray[np.uint32]
    points: NDArray[np.int32]
    values: NDArray[np.int32]
    offsets: NDArray[np.int32]
    objectives: NDArray[np.float64]

    def terms(self, card: int) -> list[CardTerm]:
        """The literals, the bank and the points of each term of a card."""
        return [
            (
                self.literals[self.literal_starts[term] : self.literal_starts[term + 1]].tolist(),
                int(self.banks[term]),
                int(self.points[term]),
            )
            for term in range(self.term_starts[card], self.term_starts[card + 1])
        ]

    @classmethod
    def of_terms(cls, terms: Sequence[CardTerm], n_banks: int) -> Cards:
        """A scorecard of terms, with offsets 0 and the value 1 of a point."""
        starts = np.cumsum([0, *(len(literals) for literals, _, _ in terms)], dtype=np.int64)
        return cls(
            np.array([0, len(terms)]),
            starts,
            np.array([literal for literals, _, _ in terms for literal in literals], np.uint32),
            np.array([bank for _, bank, _ in terms], np.uint32),
            np.array([points for _, _, points in terms], np.int32),
            np.ones(1, np.int32),
            np.zeros((1, n_banks), np.int32),
            np.zeros(1),
        )

    def only(self, first_card: int, last_card: int | None = None) -> Cards:
        """One of the scorecards, or those before another."""
        cards = slice(first_card, first_card + 1 if last_card is None else last_card)
        first, last = self.term_starts[cards.start], self.term_starts[cards.stop]
        start, end = self.literal_starts[first], self.literal_starts[last]
        return Cards(
            self.term_starts[cards.start : cards.stop + 1] - first,
            self.literal_starts[first : last + 1] - start,
            self.literals[start:end],
            self.banks[first:last],
            self.points[first:last],
            self.values[cards],
            self.offsets[cards],
            self.objectives[cards],
        )

    def are_equal(self, one: int, other: int) -> bool:
        """Whether two of the scorecards have the same terms, values and offsets."""
        return (
            self.values[one] == self.values[other]
            and np.array_equal(self.offsets[one], self.offsets[other])
            and self.terms(one) == self.terms(other)
        )


class SearchTable(Protocol):
    """The rows of a table, for many searches."""

    def find_cards(self, search: CardSearch) -> Cards:
        """A scorecard for each size, or for the largest one."""

    def scores(self, cards: Cards, rows: NDArray[np.int64]) -> NDArray[np.int32]:
        """The scores [cards, banks, rows] of some rows, in units of scores."""
