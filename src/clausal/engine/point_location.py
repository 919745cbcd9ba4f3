"""CPL-ATS (Oommen and Raghunath 1998) as a finite automaton, which finds a point from answers up and down.

The interval of points is cut in thirds, and while a third is asked, its middle is the present point. n more
answers of one kind than of the other say on which side of the third the point is; after too many answers it
is inside. The middle third is asked first, then the outer one on the side that it points to:

    middle   outer            keeps
    inside   -                middle third
    down     first: up        first two thirds
    down     first: other     first third
    up       last: down       last two thirds
    up       last: other      last third

Where one point is left, the answers go on: a run of one kind opens the interval again on that side, because
the clause, and with it the best weight, may have changed. Not here: what the answers are (feedback.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

N_MORE = 4
"""More answers of one kind than of the other that decide."""
N_ANSWERS = 16
"""Answers after which a third without a decision holds the point."""
MOST_POINTS = 40
"""Points of the grid: whole numbers that grow by a constant factor."""
REOPENED = 3
"""Points of an interval that is opened again."""

Interval = tuple[int, int]


class _State(NamedTuple):
    """What the automaton knows: the interval, which third it asks (0, 1, 2), how the answers stand."""

    interval: Interval
    third: int = 1
    balance: int = 0
    n_answers: int = 0


@dataclass(frozen=True, eq=False)
class PointLocation:
    """The automaton as tables by state; it begins in state 0.

    Attributes
    ----------
    points : int32 [states], the point of each state
    up, down : int32 [states], the state after either answer
    """

    points: NDArray[np.int32]
    up: NDArray[np.int32]
    down: NDArray[np.int32]


def grid(low: int, high: int) -> NDArray[np.int64]:
    """At most MOST_POINTS whole numbers from `low` to `high`, in steps that grow by a constant factor."""
    shares = np.expm1(np.log1p(high - low) * np.arange(MOST_POINTS) / (MOST_POINTS - 1))
    return np.unique(np.rint(shares).astype(np.int64)) + low


@cache
def locate_points(low: int, high: int) -> PointLocation:
    """The automaton that looks for a point of the grid from `low` to `high`."""
    numbers = grid(low, high)
    first = _State((0, len(numbers) - 1))
    index, states, moves = {first: 0}, [first], []
    for state in states:  # grows while it is read
        after = []
        for answer in (1, -1):
            following = _after(state, answer, len(numbers))
            if following not in index:
                index[following] = len(states)
                states.append(following)
            after.append(index[following])
        moves.append(after)
    table = np.array(moves, np.int32)
    points = numbers[[_middle(_third(state.interval, state.third)) for state in states]]
    return PointLocation(points.astype(np.int32), table[:, 0].copy(), table[:, 1].copy())


def _third(interval: Interval, third: int) -> Interval:
    """One of the thirds of an interval, which share no point where it has three or more."""
    low, high = interval
    size = high - low + 1
    first, last = low + (third * size) // 3, low + ((third + 1) * size) // 3 - 1
    return (first, max(first, last))


def _middle(interval: Interval) -> int:
    return (interval[0] + interval[1]) // 2


def _after(state: _State, answer: int, n_points: int) -> _State:
    """The state after an answer, 1 for up and -1 for down."""
    balance, n_answers = state.balance + answer, state.n_answers + 1
    decided = abs(balance) == N_MORE
    if not decided and n_answers < N_ANSWERS:
        return state._replace(balance=balance, n_answers=n_answers)
    side = (balance > 0) - (balance < 0) if decided else 0
    return _decided(state.interval, state.third, side, n_points)


def _decided(interval: Interval, third: int, side: int, n_points: int) -> _State:
    """The state after a third is decided: the point is above (1), below (-1) or inside (0)."""
    low, high = interval
    if low == high:
        return _State(_reopened(low, side, n_points) if side else interval)
    if third == 1 and side:
        return _State(interval, 1 + side)
    kept = (third, third)
    if third != 1 and side == 1 - third:  # back towards the middle: both thirds
        kept = (min(third, 1), max(third, 1))
    return _State(_shrunk(interval, (_third(interval, kept[0])[0], _third(interval, kept[1])[1])))


def _shrunk(interval: Interval, kept: Interval) -> Interval:
    """The kept part, which is smaller than the interval: of two points the nearer one."""
    return kept if kept != interval else (kept[0], kept[1] - 1)


def _reopened(point: int, side: int, n_points: int) -> Interval:
    """The interval of some points from one on, on the side of the answers; the point alone at the border."""
    if side > 0:
        return (min(point + 1, n_points - 1), min(point + REOPENED, n_points - 1))
    return (max(point - REOPENED, 0), max(point - 1, 0))
