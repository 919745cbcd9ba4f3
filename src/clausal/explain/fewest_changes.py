"""The smallest set of features whose change leads to another decision.

`fewest_changes` is exact for up to three features, and for all features of a small model. It tries sets of
features by decreasing upper bound of their gain, and skips sets whose bound is too low. The amount of work is
limited; `Answer.exact` is False if the limit was reached. If no set is found, `greedy_changes` changes
features step by step. Not here: the meaning of cells (cells.py), the text of an answer (counterfactual.py).
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
Changes = dict[int, int]  # feature -> new cell


@dataclass(frozen=True, eq=False)
class CellModel:
    """The rules of a model in terms of cells.

    Attributes
    ----------
    allows : for each feature bool [cells, rules], whether the conditions of a rule on it hold in a cell
    points : float [rules, banks], the points of each rule in the column of its bank
    constants : float [banks]
    outcome : what votes mean
    """

    allows: Sequence[Bools]
    points: Floats
    constants: Floats
    outcome: Outcome

    @cached_property
    def touches(self) -> Bools:
        """Whether a rule depends on a feature, bool [features, rules]."""
        touches = [~allows.all(axis=0) for allows in self.allows]
        return np.array(touches, bool).reshape(len(touches), len(self.points))


class Assignment:
    """A cell for every feature: which rules hold, and the votes after changes.

    Attributes
    ----------
    fails : bool [features, rules], whether a condition of the rule on the feature fails
    n_fails : int [rules], number of features with failed conditions
    fires : bool [rules]
    votes : float [banks]
    decided : index of the predicted class
    """

    def __init__(self, model: CellModel, cells: Sequence[int]) -> None:
        self.model, self.cells = model, tuple(cells)
        allowed = [allows[cell] for allows, cell in zip(model.allows, cells, strict=True)]
        self.fails = ~np.array(allowed, bool).reshape(len(allowed), len(model.points))
        self.n_fails = self.fails.sum(axis=0)
        self.fires = self.n_fails == 0
        self.votes: Floats = model.constants + model.points[self.fires].sum(axis=0)
        self.decided = int(model.outcome.decide(self.votes))

    def effort(self, features: Sequence[int]) -> tuple[int, int]:
        """How many numbers in memory and how many multiplications `votes_grid` needs."""
        n_cells = [len(self.model.allows[feature]) for feature in features]
        n_votes = math.prod(n_cells) * len(self.votes)
        n_rules = int(self._open_rules(features).sum())
        return n_votes * max(1, n_rules // n_cells[-1]), n_votes * n_rules

    def votes_grid(self, features: Sequence[int]) -> Floats:
        """The votes for all combinations of cells of these features, [cells, ..., banks]."""
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

    def votes_after(self, changes: Mapping[int, int]) -> Floats:
        """The votes after some changes, [banks]."""
        features = list(changes)
        fails = np.array([~self.model.allows[feature][cell] for feature, cell in changes.items()], bool)
        n_fails = self.n_fails - self.fails[features].sum(axis=0) + fails.sum(axis=0)
        votes: Floats = self.model.constants + self.model.points[n_fails == 0].sum(axis=0)
        return votes

    def with_changes(self, changes: Mapping[int, int]) -> Assignment:
        """The assignment after some changes."""
        return Assignment(self.model, [changes.get(i, cell) for i, cell in enumerate(self.cells)])

    def _open_rules(self, features: Sequence[int]) -> Bools:
        """Rules that depend on these features and fail on no other feature; bool [rules]."""
        touched = self.model.touches[list(features)].any(axis=0)
        open_rules: Bools = touched & (self.n_fails == self.fails[list(features)].sum(axis=0))
        return open_rules


_MAX_STEPS = 50


def greedy_changes(assignment: Assignment, costs: Sequence[Costs | None], wanted: Bools) -> Changes | None:
    """Some changes that lead to a wanted class, or None if no step helps; see `fewest_changes`."""
    found = []
    for winner in np.flatnonzero(wanted).tolist():
        changes = _greedy_steps(assignment, costs, winner)
        if changes is not None:
            kept = _drop_unneeded(assignment, changes, costs, wanted)
            found.append((len(kept), _cost(kept, costs), winner, kept))
    return min(found)[3] if found else None


def _greedy_steps(start: Assignment, costs: Sequence[Costs | None], winner: int) -> Changes | None:
    """Take the step with the largest lead of the winner, again and again, until it wins."""
    here, changes = start, Changes()
    for _ in range(_MAX_STEPS):
        steps = [
            (float(start.model.outcome.leads(votes, winner)), -len(step), -_cost(step, costs), index, step)
            for index, (step, votes) in enumerate(_steps(here, costs, winner))
        ]
        best = max(steps, default=None)
        if best is None or best[0] <= start.model.outcome.leads(here.votes, winner):
            return None
        changes |= best[4]
        here = start.with_changes(changes)
        if here.decided == winner:
            return changes
    return None


def _steps(here: Assignment, costs: Sequence[Costs | None], winner: int) -> Iterator[tuple[Changes, Floats]]:
    """Possible steps, each with the votes [banks] after it: one feature, or what makes one more rule hold."""
    model = here.model
    for feature, cost in enumerate(costs):
        if cost is None:
            continue
        votes = here.votes_grid([feature])
        leads = np.where(cost < NEVER, model.outcome.leads(votes, winner), -np.inf)
        cell = int(leads.argmax())
        if cell != here.cells[feature]:
            yield {feature: cell}, votes[cell]
    for rule in np.flatnonzero((model.outcome.gains(model.points, winner) > 0) & (here.n_fails > 1)).tolist():
        step = _steps_to_rule(here, costs, rule)
        if step is not None:
            yield step, here.votes_after(step)


def _steps_to_rule(here: Assignment, costs: Sequence[Costs | None], rule: int) -> Changes | None:
    """The cheapest changes that make a rule hold, or None if that is impossible."""
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


def _drop_unneeded(
    start: Assignment, changes: Changes, costs: Sequence[Costs | None], wanted: Bools
) -> Changes:
    """The changes without those that the decision does not need; the largest are dropped first."""
    kept = {feature: cell for feature, cell in changes.items() if cell != start.cells[feature]}
    for feature in sorted(kept, key=lambda feature: -_cost({feature: kept[feature]}, costs)):
        rest = {other: cell for other, cell in kept.items() if other != feature}
        if wanted[start.model.outcome.decide(start.votes_after(rest))]:
            kept = rest
    return kept


def _cost(changes: Changes, costs: Sequence[Costs | None]) -> int:
    return sum(int(cost[cell]) for feature, cell in changes.items() if (cost := costs[feature]) is not None)


_MAX_FEATURES = 3  # in the sets that are tried
_MAX_CANDIDATES = {1: 10**9, 2: 1000, 3: 120}  # features from which all sets of this size are formed
_MAX_NUMBERS = 4e6  # in memory
_MAX_WORK = 5e8  # multiplications for one row
_WORK_PER_SET = 2e4  # overhead, in multiplications
_ROUNDING = 1e-9  # relative rounding error of sums of points


@dataclass(frozen=True)
class Answer:
    """The result of `fewest_changes`.

    Attributes
    ----------
    changes : the new cell of each changed feature, or None if nothing was found
    exact : whether it is proven that there are no fewer changes or, without changes, that none exist
    """

    changes: Changes | None
    exact: bool


def fewest_changes(assignment: Assignment, costs: Sequence[Costs | None], wanted: Bools) -> Answer:
    """The fewest changes that lead to a wanted class, and the cheapest ones among those.

    Parameters
    ----------
    assignment : the present cells of the features
    costs : for each feature the cost of changing it to each cell, NEVER if impossible; None if it is fixed
    wanted : bool [classes], the acceptable classes
    """
    free = [i for i, cost in enumerate(costs) if cost is not None and np.sum(cost < NEVER) > 1]
    bounds = [_GainBounds(assignment, free, int(winner)) for winner in np.flatnonzero(wanted)]
    if not any(bound.is_possible for bound in bounds):
        return Answer(None, exact=True)
    evaluator = _SetEvaluator(assignment, costs, wanted)
    for size in range(1, min(_MAX_FEATURES, len(free)) + 1):
        evaluator.run(_promising_sets(bounds, free, size, evaluator))
        if evaluator.best is not None:
            return Answer(evaluator.best[2], evaluator.exact)
    if len(free) <= _MAX_FEATURES and evaluator.exact:
        return Answer(None, exact=True)
    all_at_once = _SetEvaluator(assignment, costs, wanted)
    all_at_once.run([tuple(free)])
    if all_at_once.exact:  # a small model
        return Answer(all_at_once.best and all_at_once.best[2], exact=True)
    return Answer(greedy_changes(assignment, costs, wanted), exact=False)


class _GainBounds:
    """Upper bounds of what changes can add to the lead of one class over the predicted class.

    Attributes
    ----------
    needed : the gain that the class needs to win
    is_possible : whether changing all free features might be enough
    """

    def __init__(self, assignment: Assignment, free: list[int], winner: int) -> None:
        model, rival = assignment.model, assignment.decided
        self._assignment = assignment
        gains = model.outcome.gains(model.points, winner, rival)
        # A rule gives a gain if it is against the winner and stops holding, or for it and starts to hold.
        stuck = assignment.fails[free].sum(axis=0) < assignment.n_fails  # fail on a feature that is not free
        self._stop_gains = np.where(assignment.fires, np.maximum(-gains, 0.0), 0.0)
        self._start_gains = np.where(assignment.fires | stuck, 0.0, np.maximum(gains, 0.0))
        self._for_winner, self._against = (
            ~stuck & (sign * model.outcome.gains(model.points, winner) > 0) for sign in (1, -1)
        )
        lead = float(model.outcome.gains(assignment.votes[None] - model.outcome.cut_off, rival, winner)[0])
        self.needed = lead - _ROUNDING * float(np.abs(gains).sum())
        max_gain = self._stop_gains[model.touches[free].any(axis=0)].sum() + self._start_gains.sum()
        self.is_possible = bool(max_gain >= self.needed)

    def of_features(self, features: list[int], size: int) -> Floats:
        """The maximum gain that each feature can add to a set of this size; -inf if no such set needs it."""
        touches, fails = self._assignment.model.touches[features], self._assignment.fails[features]
        n_fails = self._assignment.n_fails
        bound = touches @ self._stop_gains + fails @ (self._start_gains * (n_fails <= size))
        # A set may need a feature to start a rule, or to stop a rule that holds or that other changes start.
        starts = fails[:, self._for_winner & (n_fails <= size)].any(axis=1)
        stops = touches[:, self._against & (n_fails < size)].any(axis=1)
        return np.where(starts | stops, bound, -np.inf)

    def of_sets(self, features: list[int], sets: NDArray[np.intp]) -> Floats:
        """The maximum gain of each set; `sets` is int [sets, size], of indices into `features`."""
        touches, fails = self._assignment.model.touches[features], self._assignment.fails[features]
        n_fails = self._assignment.n_fails
        alone = touches @ self._stop_gains + fails @ (self._start_gains * (n_fails == 1))
        bound: Floats = alone[sets].sum(axis=1)
        pairs = list(combinations(range(sets.shape[1]), 2))
        for size in range(2, sets.shape[1] + 1):  # rules that fail on exactly `size` features
            start_gains = self._start_gains * (n_fails == size)
            shared = (fails * start_gains) @ fails.T  # [features, features]: rules that fail on both
            of_pairs = np.array([shared[sets[:, i], sets[:, j]] for i, j in pairs])
            bound += of_pairs.sum(axis=0) if size == 2 else of_pairs.min(axis=0)
        return bound


class _SetEvaluator:
    """Tries sets of features, keeps the cheapest changes, and limits the amount of work.

    Attributes
    ----------
    exact : False if a set was skipped
    best : (cost, features, changes) of the cheapest changes, or None
    """

    def __init__(self, assignment: Assignment, costs: Sequence[Costs | None], wanted: Bools) -> None:
        self._assignment, self._costs, self._wanted = assignment, costs, wanted
        self._work = 0.0
        self.exact = True
        self.best: tuple[int, tuple[int, ...], Changes] | None = None

    def run(self, sets: Iterable[tuple[int, ...]]) -> None:
        """Try every set, until the limit is reached."""
        for features in sets:
            n_numbers, work = self._assignment.effort(features)
            fits = n_numbers <= _MAX_NUMBERS and self._work + work <= _MAX_WORK
            self._work += _WORK_PER_SET + work * fits
            if fits:
                self._try(features)
            self.exact &= fits
            if self._work > _MAX_WORK:
                self.exact = False
                return

    def _try(self, features: tuple[int, ...]) -> None:
        model = self._assignment.model
        won = self._wanted[model.outcome.decide(self._assignment.votes_grid(features))]
        cost = np.zeros((), np.int64)
        for feature in features:
            feature_costs = self._costs[feature]
            assert feature_costs is not None
            cost = cost[..., None] + feature_costs
        cost = np.where(won, cost, NEVER)
        least = int(cost.min())
        if least >= NEVER or (self.best is not None and (least, features) >= self.best[:2]):
            return
        cells = np.unravel_index(int(cost.argmin()), cost.shape)
        changes = {feature: int(cell) for feature, cell in zip(features, cells, strict=True)}
        present = self._assignment.cells
        changes = {feature: cell for feature, cell in changes.items() if cell != present[feature]}
        self.best = (least, features, changes)


def _promising_sets(
    bounds: Sequence[_GainBounds], free: list[int], size: int, evaluator: _SetEvaluator
) -> Iterator[tuple[int, ...]]:
    """Sets of features that might gain enough for a wanted class, by decreasing surplus of the gain."""
    surplus = np.full(len(free), -np.inf)  # of each feature together with the best other features
    for bound in bounds:
        gain = bound.of_features(free, size)
        other_gains = np.maximum(np.sort(gain)[::-1][: size - 1], 0.0).sum()
        surplus = np.maximum(surplus, gain + other_gains - bound.needed)
    order = np.argsort(-surplus, kind="stable")
    order = order[surplus[order] >= 0]
    if len(order) > _MAX_CANDIDATES[size]:
        order, evaluator.exact = order[: _MAX_CANDIDATES[size]], False
    features = [free[i] for i in sorted(order.tolist())]
    indices = np.fromiter(chain.from_iterable(combinations(range(len(features)), size)), np.intp)
    sets = indices.reshape(-1, size)
    surplus = np.full(len(sets), -np.inf)
    for bound in bounds:
        surplus = np.maximum(surplus, bound.of_sets(features, sets) - bound.needed)
    order = np.argsort(-surplus, kind="stable")
    for index in order[surplus[order] >= 0].tolist():
        yield tuple(features[i] for i in sets[index].tolist())
