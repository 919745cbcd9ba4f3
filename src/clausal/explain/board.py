"""A model as a board: every feature is in one of its cells, a rule holds where all of its cells allow it.

Here: the votes of a position and of its neighbours. Not here: what a cell means (cells.py, domains.py) and
which changes to look for (search.py, greedy.py).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Costs = NDArray[np.int64]
Changes = dict[int, int]  # feature -> its new cell


@dataclass(frozen=True, eq=False)
class Board:
    """The rules of a model over the cells of its features.

    Attributes
    ----------
    allows : for each feature bool [cells, rules], the rules whose conditions on it hold there
    points : float [rules, banks], each rule's points in the column of its bank
    constants : float [banks]
    """

    allows: Sequence[Bools]
    points: Floats
    constants: Floats

    @cached_property
    def touches(self) -> Bools:
        """Which rules depend on which feature, bool [features, rules]."""
        found = [~allows.all(axis=0) for allows in self.allows]
        return np.array(found, bool).reshape(len(found), len(self.points))

    def decide(self, votes: Floats) -> NDArray[np.intp]:
        """The class that wins, for votes [..., banks]."""
        return (votes[..., 0] >= 0).astype(np.intp) if votes.shape[-1] == 1 else votes.argmax(axis=-1)

    def leads(self, votes: Floats, winner: int) -> Floats:
        """How far a class is ahead of the best other one, for votes [..., banks]."""
        if votes.shape[-1] == 1:
            return votes[..., 0] if winner == 1 else -votes[..., 0]
        others: Floats = np.delete(votes, winner, axis=-1).max(axis=-1)
        return votes[..., winner] - others

    def lead_over(self, votes: Floats, winner: int, rival: int) -> float:
        """How far a class is ahead of another, for votes [banks]."""
        return float(self.leads(votes, winner) if len(votes) == 1 else votes[winner] - votes[rival])

    def gains(self, winner: int, rival: int | None = None) -> Floats:
        """What each rule, where it holds, adds to a class's lead over another, or over any other; [rules]."""
        if len(self.constants) == 1:
            return self.points[:, 0] if winner == 1 else -self.points[:, 0]
        rivals = self.points[:, [rival]] if rival is not None else np.delete(self.points, winner, axis=1)
        gains: Floats = self.points[:, winner] - rivals.sum(axis=1)
        return gains


class Position:
    """A board with every feature in a cell: which rules hold, and what changes would do to the votes."""

    def __init__(self, board: Board, cells: Sequence[int]) -> None:
        self.board, self.cells = board, tuple(cells)
        allowed = [allows[cell] for allows, cell in zip(board.allows, cells, strict=True)]
        self.fails = ~np.array(allowed, bool).reshape(len(allowed), len(board.points))  # [features, rules]
        self.n_fails = self.fails.sum(axis=0)
        self.fires = self.n_fails == 0
        self.votes: Floats = board.constants + board.points[self.fires].sum(axis=0)
        self.decided = int(board.decide(self.votes))

    def effort(self, features: Sequence[int]) -> tuple[int, int]:
        """How many numbers `grid` holds at a time, and how many multiplications it takes."""
        n_cells = [len(self.board.allows[feature]) for feature in features]
        n_votes = math.prod(n_cells) * len(self.votes)
        n_rules = int(self._open_rules(features).sum())
        return n_votes * max(1, n_rules // n_cells[-1]), n_votes * n_rules

    def grid(self, features: Sequence[int]) -> Floats:
        """The votes for all combinations of these features' cells, [cells, ..., banks]."""
        allows, points = self.board.allows, self.board.points
        touched = self.board.touches[list(features)].any(axis=0)
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
        fails = np.array([~self.board.allows[feature][cell] for feature, cell in changes.items()], bool)
        n_fails = self.n_fails - self.fails[features].sum(axis=0) + fails.sum(axis=0)
        votes: Floats = self.board.constants + self.board.points[n_fails == 0].sum(axis=0)
        return votes

    def moved(self, changes: Mapping[int, int]) -> Position:
        """The position after some changes."""
        return Position(self.board, [changes.get(i, cell) for i, cell in enumerate(self.cells)])

    def _open_rules(self, features: Sequence[int]) -> Bools:
        """Rules that depend on these features, and that all the others let hold; bool [rules]."""
        touched = self.board.touches[list(features)].any(axis=0)
        open_rules: Bools = touched & (self.n_fails == self.fails[list(features)].sum(axis=0))
        return open_rules
