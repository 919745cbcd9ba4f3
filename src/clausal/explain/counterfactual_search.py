"""The fewest features to change so that the decision changes.

`fewest_changes` is exact for three features, and for all of a small model: sets of features are tried in the
order of what they could gain at best, and a set that cannot gain enough is left out, which loses nothing. The
work is bounded; the answer says where that cut the search short. Beyond, `greedy_changes` finds some changes
step by step. Not here: what a cell means (cells.py) and how an answer reads (counterfactual.py).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations

import numpy as np
from numpy.typing import NDArray

from clausal.explain.cells import NEVER
from clausal.outcome import Outcome

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Costs = NDArray[np.int64]
Changes = dict[int, int]  # feature -> its new cell


@dataclass(frozen=True, eq=False)
class CellModel:
    """The rules of a model over the cells of its features.

    Attributes
    ----------
    allows : for each feature bool [cells, rules], the rules whose conditions on it hold there
    points : float [rules, banks], each rule's points in the column of its bank
    constants : float [banks]
    outcome : what votes mean
    """

    allows: Sequence[Bools]
    points: Floats
    constants: Floats
    outcome: Outcome

    @cached_property
    def touches(self) -> Bools:
        """Which rules depend on which feature, bool [features, rules]."""
        found = [~allows.all(axis=0) for allows in self.allows]
        return np.array(found, bool).reshape(len(found), len(self.points))


class Position:
    """A model with every feature in a cell: which rules hold, and what changes would do to the votes."""

    def __init__(self, model: CellModel, cells: Sequence[int]) -> None:
        self.model, self.cells = model, tuple(cells)
        allowed = [allows[cell] for allows, cell in zip(model.allows, cells, strict=True)]
        self.fails = ~np.array(allowed, bool).reshape(len(allowed), len(model.points))  # [features, rules]
        self.n_fails = self.fails.sum(axis=0)
        self.fires = self.n_fails == 0
        self.votes: Floats = model.constants + model.points[self.fires].sum(axis=0)
        self.decided = int(model.outcome.decide(self.votes))

    def effort(self, features: Sequence[int]) -> tuple[int, int]:
        """How many numbers `grid` holds at a time, and how many multiplications it takes."""
        n_cells = [len(self.model.allows[feature]) for feature in features]
        n_votes = math.prod(n_cells) * len(self.votes)
        n_rules = int(self._open_rules(features).sum())
        return n_votes * max(1, n_rules // n_cells[-1]), n_votes * n_rules

    def grid(self, features: Sequence[int]) -> Floats:
        """The votes for all combinations of these features' cells, [cells, ..., banks]."""
        allows, points = self.model.allows, self.model.points
        touched = self.model.touches[list(features)].any(axis=0)
        rules = np.flatnonzero(self._open_rules(features))
        product = points[rules].T[None]  # [combinations so far, banks, open rules]
        for feature in features[:-1]:
            product = product[:, None] * allows[feature][None, :, None, rules]
            product = product.reshape(product.shape[0] * product.shape[1], *product.shape[2:])
        last = allows[features[-1]][:, rules].astype(np.float64)
        change = np.moveaxis(product @ last.T, 1, 2)  # [combinations, cells of the last, banks]
        base = self.votes - points[self.fires & touched].sum(axis=0)
        shape = [len(allows[feature]) for feature in features]
        votes: Floats = base + change.reshape(*shape, len(base))
        return votes

    def after(self, changes: Mapping[int, int]) -> Floats:
        """The votes after some changes, [banks]."""
        features = list(changes)
        fails = np.array([~self.model.allows[feature][cell] for feature, cell in changes.items()], bool)
        n_fails = self.n_fails - self.fails[features].sum(axis=0) + fails.sum(axis=0)
        votes: Floats = self.model.constants + self.model.points[n_fails == 0].sum(axis=0)
        return votes

    def moved(self, changes: Mapping[int, int]) -> Position:
        """The position after some changes."""
        return Position(self.model, [changes.get(i, cell) for i, cell in enumerate(self.cells)])

    def _open_rules(self, features: Sequence[int]) -> Bools:
        """Rules that depend on these features, and that all the others let hold; bool [rules]."""
        touched = self.model.touches[list(features)].any(axis=0)
        open_rules: Bools = touched & (self.n_fails == self.fails[list(features)].sum(axis=0))
        return open_rules


_MOST_STEPS = 50


def greedy_changes(position: Position, costs: Sequence[Costs | None], wanted: Bools) -> Changes | None:
    """Some changes that lead to a wanted class, or None where no step leads on; see `fewest_changes`."""
    found = []
    for winner in np.flatnonzero(wanted).tolist():
        changes = _climb(position, costs, winner)
        if changes is not None:
            kept = _without_needless(position, changes, costs, wanted)
            found.append((len(kept), _cost(kept, costs), winner, kept))
    return min(found)[3] if found else None


def _climb(start: Position, costs: Sequence[Costs | None], winner: int) -> Changes | None:
    """Steps that each bring the winner further, until it wins."""
    here, changes = start, Changes()
    for _ in range(_MOST_STEPS):
        steps = [
            (float(start.model.outcome.leads(votes, winner)), -len(step), -_cost(step, costs), place, step)
            for place, (step, votes) in enumerate(_steps(here, costs, winner))
        ]
        best = max(steps, default=None)
        if best is None or best[0] <= start.model.outcome.leads(here.votes, winner):
            return None
        changes |= best[4]
        here = start.moved(changes)
        if here.decided == winner:
            return changes
    return None


def _steps(here: Position, costs: Sequence[Costs | None], winner: int) -> Iterator[tuple[Changes, Floats]]:
    """Possible steps, each with the votes [banks] that it leads to."""
    model = here.model
    for feature, cost in enumerate(costs):
        if cost is None:
            continue
        votes = here.grid([feature])
        leads = np.where(cost < NEVER, model.outcome.leads(votes, winner), -np.inf)
        cell = int(leads.argmax())
        if cell != here.cells[feature]:
            yield {feature: cell}, votes[cell]
    for rule in np.flatnonzero((model.outcome.gains(model.points, winner) > 0) & (here.n_fails > 1)).tolist():
        step = _step_to_rule(here, costs, rule)
        if step is not None:
            yield step, here.after(step)


def _step_to_rule(here: Position, costs: Sequence[Costs | None], rule: int) -> Changes | None:
    """The cheapest changes that make a rule hold, or None where it cannot."""
    step = Changes()
    for feature in np.flatnonzero(here.fails[:, rule]).tolist():
        cost = costs[feature]
        if cost is None:
            return None
        allowed = np.where(here.model.allows[feature][:, rule], cost, NEVER)
        if allowed.min() >= NEVER:
            return None
        step[feature] = int(allowed.argmin())
    return step


def _without_needless(
    start: Position, changes: Changes, costs: Sequence[Costs | None], wanted: Bools
) -> Changes:
    """The changes without those, the largest first, that the decision does not need."""
    kept = {feature: cell for feature, cell in changes.items() if cell != start.cells[feature]}
    for feature in sorted(kept, key=lambda feature: -_cost({feature: kept[feature]}, costs)):
        rest = {other: cell for other, cell in kept.items() if other != feature}
        if wanted[start.model.outcome.decide(start.after(rest))]:
            kept = rest
    return kept


def _cost(changes: Changes, costs: Sequence[Costs | None]) -> int:
    return sum(int(cost[cell]) for feature, cell in changes.items() if (cost := costs[feature]) is not None)


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
        model, rival = position.model, position.decided
        self._position = position
        gains = model.outcome.gains(model.points, winner, rival)
        # A rule against the winner that holds can be broken, one for it that does not can be made to hold.
        stuck = position.fails[free].sum(axis=0) < position.n_fails  # by features that cannot change
        self._broken = np.where(position.fires, np.maximum(-gains, 0.0), 0.0)
        self._made = np.where(position.fires | stuck, 0.0, np.maximum(gains, 0.0))
        self._for_winner, self._against = (
            ~stuck & (sign * model.outcome.gains(model.points, winner) > 0) for sign in (1, -1)
        )
        behind = model.outcome.lead_over(position.votes, rival, winner)
        self.needed = behind - _ROUNDING * float(np.abs(gains).sum())
        within_reach = self._broken[model.touches[free].any(axis=0)].sum() + self._made.sum()
        self.is_possible = bool(within_reach >= self.needed)

    def of_features(self, features: list[int], size: int) -> Floats:
        """The most that each feature can add to a set of this size; -inf where no such set needs it."""
        touches, fails = self._position.model.touches[features], self._position.fails[features]
        n_fails = self._position.n_fails
        most = touches @ self._broken + fails @ (self._made * (n_fails <= size))
        # A feature is needed to make a rule hold, or to keep one from holding, also when others change.
        makes = fails[:, self._for_winner & (n_fails <= size)].any(axis=1)
        keeps = touches[:, self._against & (n_fails < size)].any(axis=1)
        return np.where(makes | keeps, most, -np.inf)

    def of_sets(self, features: list[int], sets: NDArray[np.intp]) -> Floats:
        """The most that each set, int [sets, size] of places in `features`, can gain."""
        fails, n_fails = self._position.fails[features], self._position.n_fails
        alone = self._position.model.touches[features] @ self._broken + fails @ (self._made * (n_fails == 1))
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
        model = self._position.model
        won = self._wanted[model.outcome.decide(self._position.grid(features))]
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
