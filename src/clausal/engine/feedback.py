"""Feedback: which type of it each selected clause gets, and which of the clause's automata then move.

Pure functions on booleans; the C++ twin is core/feedback.hpp. Also here: how likely feedback is where numbers
are learned, whose twin is core/numeric_loss.hpp. Not here: the draws (random_stream.py), the
weights (weight_rule.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clausal.engine.random_stream import CHANCE_BITS

Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class NumericLoss:
    """The chance of feedback to a clause where a number is learned: the slope of a loss.

    A vote that is too low gives Type I feedback, one that is too high Type II. The vote settles where the two
    balance: proportional chances at the mean, constant ones at the median or another quantile.

    Attributes
    ----------
    rise, fall : the chance where the vote is too low and too high, in units of 2^-32
    proportional : whether they are multiplied by the error's share of T
    """

    rise: int
    fall: int
    proportional: bool

    def chance(self, error: int, threshold: int) -> int:
        """For the vote minus the target, from -T to T; in units of 2^-32."""
        most = 0 if error == 0 else self.rise if error < 0 else self.fall
        if not self.proportional:
            return most
        return ((abs(error) << CHANCE_BITS) // threshold) * most >> CHANCE_BITS


class FeedbackTypes(NamedTuple):
    """The clauses, bool [clauses], that get each type of feedback.

    A clause is rewarded where it gets Type Ia and penalised where it gets Type II.
    """

    type_1a: Bools
    type_1b: Bools
    type_2: Bools


def feedback_types(selected: Bools, favours: Bools, fired: Bools, fits: Bools) -> FeedbackTypes:
    """Type I for selected clauses whose polarity favours the label, Type II for the others.

    Parameters
    ----------
    selected : the clauses drawn for feedback
    favours : whether a clause's polarity favours the label
    fired : whether a clause fired on the sample
    fits : whether a clause has at most `max_clause_literals` literals; a longer one is shortened instead
    """
    return FeedbackTypes(
        type_1a=selected & favours & (fired & fits),
        type_1b=selected & favours & ~(fired & fits),
        type_2=selected & ~favours & fired,
    )


class Moves(NamedTuple):
    """The automata, bool [clauses, literals], that go up and down by one state."""

    up: Bools
    down: Bools


def moves(types: FeedbackTypes, x: Bools, drawn: Bools, *, boost_true_positive: bool) -> Moves:
    """Which automata move on a sample.

    Type Ia: literals that are 1 rise unless drawn (always, if boosted), literals that are 0 fall where drawn.
    Type Ib: every literal falls where drawn. Type II: every literal that is 0 rises.

    Parameters
    ----------
    x : bool [literals], the sample, or [clauses, literals], the patch that each clause learns from
    drawn : bool [clauses, literals], true with probability 1/s
    """
    type_1a, type_1b, type_2 = (clauses[:, None] for clauses in types)
    strengthened = x & (np.ones_like(drawn) if boost_true_positive else ~drawn)
    return Moves(
        up=(type_1a & strengthened) | (type_2 & ~x),
        down=(type_1a & ~x & drawn) | (type_1b & drawn),
    )
