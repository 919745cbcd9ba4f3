"""Machines that train side by side on the same visits as one engine: groups of clauses with a T and s each.

Each group takes feedback by its own votes, so its clauses learn as if they were alone; the votes of the whole
machine are the sum of the groups' votes, each times its factor. The state of the whole has the clauses of
the groups one after the other. On every backend. Not here: how a group learns (reference.py, native.py).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from clausal.engine.backends import Backend
from clausal.engine.protocol import Engine, EngineConfig, EngineState, TrainingJob


class GroupedEngine:
    """One engine per group of a config; a call trains all, as one job each."""

    def __init__(self, config: EngineConfig, n_threads: int, backend: Backend) -> None:
        self._n_threads, self._train_many = n_threads, backend.train_many
        self._engines: list[Engine] = [backend.engine(group, n_threads) for group in config.groups]
        self._ends = np.cumsum([group.n_clauses for group in config.groups]).tolist()

    def fit_epoch(
        self, literals: NDArray[np.uint64], targets: NDArray[np.int32], order: NDArray[np.int64]
    ) -> None:
        """Visit rows in the order given, one step each; interrupted, the state is as before the call."""
        jobs = [TrainingJob(engine, literals, targets, order) for engine in self._engines]
        self._train_many(jobs, self._n_threads)

    def fit_epochs(
        self,
        literals: NDArray[np.uint64],
        targets: NDArray[np.int32],
        orders: Sequence[NDArray[np.int64]],
        levels: NDArray[np.int32],
    ) -> None:
        """Run an epoch per order; interrupted, the state is that of the last whole epoch."""
        for order, ends_with in zip(orders, levels, strict=True):
            try:
                self.fit_epoch(literals, targets, order)
            finally:  # an interrupt may come between the end of an epoch and this
                ends_with[...] = self.levels

    @property
    def step(self) -> int:
        """Steps taken so far, by each of the groups."""
        return self._engines[0].step

    @property
    def levels(self) -> NDArray[np.int32]:
        """The clauses' levels, [banks, clauses]."""
        return np.concatenate([engine.levels for engine in self._engines], axis=1)

    def export_state(self) -> EngineState:
        """A copy of the state."""
        parts = [engine.export_state() for engine in self._engines]
        return EngineState(
            np.concatenate([part.states for part in parts], axis=1),
            np.concatenate([part.levels for part in parts], axis=1),
            self.step,
        )

    def import_state(self, state: EngineState) -> None:
        """Go on from a state."""
        starts = [0, *self._ends[:-1]]
        for engine, start, end in zip(self._engines, starts, self._ends, strict=True):
            own = (state.states[:, start:end], state.levels[:, start:end], state.step)
            engine.import_state(EngineState(*own))
