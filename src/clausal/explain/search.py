"""The fewest features to change so that the decision changes: exact for three, and for all of a small model.

Sets of features are tried in the order of what they could gain at best; a set that cannot gain enough is left
out, which loses nothing. The work is bounded, and it is said where that cut the search short. Not here: more
features of large models (greedy.py), what a cell means (cells.py, domains.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations

import numpy as np
from numpy.typing import NDArray

from clausal.explain.board import Bools, Changes, Costs, Floats, Position
from clausal.explain.domains import NEVER
from clausal.explain.greedy import greedy_changes

_MOST_FEATURES = 3  # changed by the exact search
_MOST_CANDIDATES = {1: 10**9, 2: 1000, 3: 120}  # features of which all sets of that size are listed
_MOST_ROOM = 4e6  # numbers in memory
_MOST_WORK = 5e8  # multiplications in one search
_WORK_PER_SET = 2e4  # what a set takes besides
_ROUNDING = 1e-9  # relative: sums of points need not be exact


@dataclass(frozen=True)
class Answer:
    """What a search found.

    Attributes
    ----------
    changes : the cell that each changed feature moves to, or None where nothing was found
    exact : no fewer features would do; without changes: none exist
    """

    changes: Changes | None
    exact: bool


def fewest_changes(position: Position, costs: Sequence[Costs | None], wanted: Bools) -> Answer:
    """The fewest changes that lead to a wanted class, those of the least cost among them.

    Parameters
    ----------
    position : where the features are
    costs : of moving each feature to each of its cells, NEVER where it cannot; None where it is fixed
    wanted : bool [classes], the classes that will do
    """
    free = [i for i, cost in enumerate(costs) if cost is not None and np.sum(cost < NEVER) > 1]
    goals = [_Goal(position, free, int(winner)) for winner in np.flatnonzero(wanted)]
    if not any(goal.is_possible for goal in goals):
        return Answer(None, exact=True)
    trial = _Trial(position, costs, wanted)
    for size in range(1, min(_MOST_FEATURES, len(free)) + 1):
        trial.run(_promising_sets(goals, free, size, trial))
        if trial.best is not None:
            return Answer(trial.best[2], trial.exact)
    if len(free) <= _MOST_FEATURES and trial.exact:
        return Answer(None, exact=True)
    everything = _Trial(position, costs, wanted)
    everything.run([tuple(free)])
    if everything.exact:  # a small model
        return Answer(everything.best and everything.best[2], exact=True)
    return Answer(greedy_changes(position, costs, wanted), exact=False)


class _Goal:
    """What changing features can gain for one class against the one decided for; bounds, never too low."""

    def __init__(self, position: Position, free: list[int], winner: int) -> None:
        board, rival = position.board, position.decided
        self._position = position
        gains = board.gains(winner, rival)
        # A rule against the winner that holds can be broken, one for it that does not can be made to hold.
        stuck = position.fails[free].sum(axis=0) < position.n_fails  # by features that cannot change
        self._broken = np.where(position.fires, np.maximum(-gains, 0.0), 0.0)
        self._made = np.where(position.fires | stuck, 0.0, np.maximum(gains, 0.0))
        self._for_winner, self._against = (~stuck & (sign * board.gains(winner) > 0) for sign in (1, -1))
        behind = board.lead_over(position.votes, rival, winner)
        self.needed = behind - _ROUNDING * float(np.abs(gains).sum())
        within_reach = self._broken[board.touches[free].any(axis=0)].sum() + self._made.sum()
        self.is_possible = bool(within_reach >= self.needed)

    def of_features(self, features: list[int], size: int) -> Floats:
        """The most that each feature can add to a set of this size; -inf where no such set needs it."""
        touches, fails = self._position.board.touches[features], self._position.fails[features]
        n_fails = self._position.n_fails
        most = touches @ self._broken + fails @ (self._made * (n_fails <= size))
        # A feature is needed to make a rule hold, or to keep one from holding, also when others change.
        makes = fails[:, self._for_winner & (n_fails <= size)].any(axis=1)
        keeps = touches[:, self._against & (n_fails < size)].any(axis=1)
        return np.where(makes | keeps, most, -np.inf)

    def of_sets(self, features: list[int], sets: NDArray[np.intp]) -> Floats:
        """The most that each set, int [sets, size] of places in `features`, can gain."""
        fails, n_fails = self._position.fails[features], self._position.n_fails
        alone = self._position.board.touches[features] @ self._broken + fails @ (self._made * (n_fails == 1))
        bound: Floats = alone[sets].sum(axis=1)
        pairs = list(combinations(range(sets.shape[1]), 2))
        for size in range(2, sets.shape[1] + 1):  # rules that exactly `size` features keep from holding
            made = self._made * (n_fails == size)
            shared = (fails * made) @ fails.T  # [features, features]: by both of a pair
            of_pairs = np.array([shared[sets[:, i], sets[:, j]] for i, j in pairs])
            bound += of_pairs.sum(axis=0) if size == 2 else of_pairs.min(axis=0)
        return bound


class _Trial:
    """Tries sets of features and keeps the best; counts its work."""

    def __init__(self, position: Position, costs: Sequence[Costs | None], wanted: Bools) -> None:
        self._position, self._costs, self._wanted = position, costs, wanted
        self._work = 0.0
        self.exact = True
        self.best: tuple[int, tuple[int, ...], Changes] | None = None

    def run(self, sets: Iterable[tuple[int, ...]]) -> None:
        """Try every set, as long as the work lasts."""
        for features in sets:
            room, work = self._position.effort(features)
            fits = room <= _MOST_ROOM and self._work + work <= _MOST_WORK
            self._work += _WORK_PER_SET + work * fits
            if fits:
                self._try(features)
            self.exact &= fits
            if self._work > _MOST_WORK:
                self.exact = False
                return

    def _try(self, features: tuple[int, ...]) -> None:
        board = self._position.board
        won = self._wanted[board.decide(self._position.grid(features))]
        cost = np.zeros((), np.int64)
        for feature in features:
            own = self._costs[feature]
            assert own is not None
            cost = cost[..., None] + own
        cost = np.where(won, cost, NEVER)
        least = int(cost.min())
        if least >= NEVER or (self.best is not None and (least, features) >= self.best[:2]):
            return
        cells = np.unravel_index(int(cost.argmin()), cost.shape)
        changes = {feature: int(cell) for feature, cell in zip(features, cells, strict=True)}
        present = self._position.cells
        changes = {feature: cell for feature, cell in changes.items() if cell != present[feature]}
        self.best = (least, features, changes)


def _promising_sets(
    goals: Sequence[_Goal], free: list[int], size: int, trial: _Trial
) -> Iterator[tuple[int, ...]]:
    """Sets of features that might gain enough for some goal, the most promising first."""
    surplus = np.full(len(free), -np.inf)  # of each feature with the best company
    for goal in goals:
        gain = goal.of_features(free, size)
        company = np.maximum(np.sort(gain)[::-1][: size - 1], 0.0).sum()
        surplus = np.maximum(surplus, gain + company - goal.needed)
    order = np.argsort(-surplus, kind="stable")
    order = order[surplus[order] >= 0]
    if len(order) > _MOST_CANDIDATES[size]:
        order, trial.exact = order[: _MOST_CANDIDATES[size]], False
    features = [free[i] for i in sorted(order.tolist())]
    listed = np.fromiter(chain.from_iterable(combinations(range(len(features)), size)), np.intp)
    sets = listed.reshape(-1, size)
    surplus = np.full(len(sets), -np.inf)
    for goal in goals:
        surplus = np.maximum(surplus, goal.of_sets(features, sets) - goal.needed)
    chosen = np.argsort(-surplus, kind="stable")
    for place in chosen[surplus[chosen] >= 0].tolist():
        yield tuple(features[i] for i in sets[place].tolist())
