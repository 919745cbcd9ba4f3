"""Changes that lead to another decision, found step by step: quick for any number, but not the fewest.

A step changes one feature, or all that keep one rule from holding, whichever brings the wanted class
furthest; at the end every change that is not needed is taken back. Not here: the exact search (search.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from clausal.explain.board import Bools, Changes, Costs, Floats, Position
from clausal.explain.domains import NEVER

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
            (float(start.board.leads(votes, winner)), -len(step), -_cost(step, costs), place, step)
            for place, (step, votes) in enumerate(_steps(here, costs, winner))
        ]
        best = max(steps, default=None)
        if best is None or best[0] <= start.board.leads(here.votes, winner):
            return None
        changes |= best[4]
        here = start.moved(changes)
        if here.decided == winner:
            return changes
    return None


def _steps(here: Position, costs: Sequence[Costs | None], winner: int) -> Iterator[tuple[Changes, Floats]]:
    """Possible steps, each with the votes [banks] that it leads to."""
    board = here.board
    for feature, cost in enumerate(costs):
        if cost is None:
            continue
        votes = here.grid([feature])
        leads = np.where(cost < NEVER, board.leads(votes, winner), -np.inf)
        cell = int(leads.argmax())
        if cell != here.cells[feature]:
            yield {feature: cell}, votes[cell]
    for rule in np.flatnonzero((board.gains(winner) > 0) & (here.n_fails > 1)).tolist():
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
        allowed = np.where(here.board.allows[feature][:, rule], cost, NEVER)
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
        if wanted[start.board.decide(start.after(rest))]:
            kept = rest
    return kept


def _cost(changes: Changes, costs: Sequence[Costs | None]) -> int:
    return sum(int(cost[cell]) for feature, cell in changes.items() if (cost := costs[feature]) is not None)
